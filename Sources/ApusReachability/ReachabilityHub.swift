internal import ApusCore
internal import Dispatch

/// Watches a network for its subscribers, while it has any.
///
/// A change wakes the queue of the hub, which reads the status and reports it to each subscriber that has another one.
/// Only this queue reports, so that all subscribers get the statuses in order.
final class ReachabilityHub: Sendable {
    private struct State {
        var subscriptions = ReachabilitySubscriptions()
        var observation: (any AnyObject & Sendable)?
    }

    private let network: any ObservedNetwork
    private let queue = DispatchQueue(label: "apus.reachability")
    private let state = Lock(State())

    init(_ network: any ObservedNetwork) {
        self.network = network
    }

    /// The status now.
    var status: ReachabilityStatus { network.status() }

    /// Whether the network is watched.
    var isWatching: Bool { state.withLock { $0.observation != nil } }

    /// Reports the current status on the queue of the hub, then each change.
    ///
    /// - Parameters:
    ///   - deliver: Gets the number of the subscription, and a status. It must not block.
    ///   - prepare: Gets the number before the first status is reported. Default: does nothing.
    /// - Returns: The number of the subscription.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the process may not watch the network.
    @discardableResult
    func subscribe(
        _ deliver: @escaping ReachabilitySubscriptions.Delivery,
        prepare: (_ number: Int) -> Void = { _ in }
    ) throws(ApusError) -> Int {
        // The subscription is added before the network is watched, so that another one that leaves ends no watch.
        let (number, isWatched) = state.withLock { state in
            (state.subscriptions.add(deliver), state.observation != nil)
        }
        prepare(number)
        if !isWatched {
            do throws(ApusError) {
                try watch()
            } catch {
                unsubscribe(number)
                throw error
            }
        }
        state.withLock { $0.subscriptions.activate(number) }
        queue.async { [weak self] in self?.look() }
        return number
    }

    /// Ends a subscription. Does nothing if it has ended.
    func unsubscribe(_ number: Int) {
        // Released outside the lock, since a subscription holds code of the user.
        let released = state.withLock { state -> (ReachabilitySubscriptions.Delivery?, (any AnyObject & Sendable)?) in
            let delivery = state.subscriptions.remove(number)
            guard state.subscriptions.isEmpty else { return (delivery, nil) }
            defer { state.observation = nil }
            return (delivery, state.observation)
        }
        withExtendedLifetime(released) {}
    }

    func isSubscribed(_ number: Int) -> Bool { state.withLock { $0.subscriptions.contains(number) } }

    private func watch() throws(ApusError) {
        let observation = try network.watch(on: queue) { [weak self] in self?.look() }
        // Another subscriber may have begun to watch, or all of them may have left. The observation ends then.
        state.withLock { state in
            guard state.observation == nil, !state.subscriptions.isEmpty else { return }
            state.observation = observation
        }
    }

    /// Reads the status and reports it. Called on `queue`.
    private func look() {
        let status = network.status()
        let reports = state.withLock { $0.subscriptions.update(status) }
        for report in reports { report.deliver(report.number, status) }
    }
}
