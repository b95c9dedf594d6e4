internal import ApusCore
internal import Dispatch

/// The network towards the addresses of a host name.
///
/// The name is looked up on a queue of its own, since a lookup blocks. It is looked up when the value is made, and when
/// the network changes. While nothing is watched, reading the status begins a lookup if no address is known.
final class HostNetwork: ObservedNetwork {
    /// An observation of the system's network, and the end of that of the host.
    private final class Observation: Sendable {
        let network: HostNetwork
        let number: Int
        let system: any AnyObject & Sendable

        init(_ network: HostNetwork, _ number: Int, _ system: any AnyObject & Sendable) {
            self.network = network
            self.number = number
            self.system = system
        }

        deinit { network.remove(number) }
    }

    private struct State {
        var lookups = HostLookupStateMachine()
        /// Each reports a change to its watcher.
        var watchers: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    private let host: String
    private let retryDelay: DispatchTimeInterval
    private let lookUp: @Sendable (String) -> HostLookup
    private let network: @Sendable (ReachabilityTarget) -> any ObservedNetwork
    private let lookups = DispatchQueue(label: "apus.reachability.lookup")
    private let state = Lock(State())

    /// - Parameters:
    ///   - host: The name.
    ///   - retryDelay: The time until a lookup without an answer is repeated, while the network is watched.
    ///   - lookUp: Looks up a name. It may block.
    ///   - network: Makes the network towards addresses.
    init(
        _ host: String,
        retryDelay: DispatchTimeInterval = .seconds(10),
        lookUp: @escaping @Sendable (String) -> HostLookup = HostLookup.querySystem,
        network: @escaping @Sendable (ReachabilityTarget) -> any ObservedNetwork = { SystemNetwork.network(to: $0) }
    ) {
        self.host = host
        self.retryDelay = retryDelay
        self.lookUp = lookUp
        self.network = network
        begin { $0.begin() }
    }

    func status() -> ReachabilityStatus {
        let (known, begins) = state.withLock { state -> (HostLookup?, Bool) in
            // A watched host is looked up by its watcher. Otherwise a name that does not exist had no pause.
            guard state.watchers.isEmpty, state.lookups.lacksAddresses else { return (state.lookups.known, false) }
            return (state.lookups.known, state.lookups.beginIfIdle())
        }
        if begins { run() }
        switch known {
        case nil: return .unknown
        case .found(let addresses)?: return network(.addresses(addresses)).status()
        case .notFound?, .failed?: return .notReachable
        }
    }

    func watch(
        on queue: DispatchQueue,
        _ changed: @escaping @Sendable () -> Void
    ) throws(ApusError) -> any AnyObject & Sendable {
        let system = try network(.anywhere)
            .watch(on: queue) { [weak self] in
                self?.begin { $0.begin() }
                changed()
            }
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            state.watchers[state.nextNumber] = { queue.async(execute: changed) }
            return state.nextNumber
        }
        // The last lookup may be long ago.
        begin { $0.beginIfIdle() }
        return Observation(self, number, system)
    }

    private func remove(_ number: Int) {
        let watcher = state.withLock { $0.watchers.removeValue(forKey: number) }
        withExtendedLifetime(watcher) {}
    }

    private func begin(_ decide: @Sendable (inout HostLookupStateMachine) -> Bool) {
        if state.withLock({ decide(&$0.lookups) }) { run() }
    }

    /// Runs a lookup, whose result is dropped if the value was released meanwhile.
    private func run() {
        let (host, lookUp) = (self.host, self.lookUp)
        lookups.async { [weak self] in
            let outcome = lookUp(host)
            self?.end(outcome)
        }
    }

    private func end(_ outcome: HostLookup) {
        let (next, watchers) = state.withLock { state in
            (state.lookups.end(outcome, retries: !state.watchers.isEmpty), Array(state.watchers.values))
        }
        if next.begins { run() }
        if next.retries {
            lookups.asyncAfter(deadline: .now() + retryDelay) { [weak self] in self?.retry() }
        }
        for changed in watchers { changed() }
    }

    private func retry() {
        if state.withLock({ $0.lookups.retry(isUseful: !$0.watchers.isEmpty) }) { run() }
    }
}
