public import Apus
internal import ApusCore
internal import Dispatch
internal import Foundation

/// Tells how the network can be reached, and when that changes.
///
/// ```swift
/// let reachability = AFNetworkReachabilityManager.shared
/// reachability.setReachabilityStatusChange { status in print(status) }
/// try reachability.startMonitoring()
/// ```
///
/// What is looked at is the kernel's table of routes and its interfaces; nothing is sent. That there is a way says that a
/// request may be tried, and not that anybody answers: don't keep a request back because of it.
public final class AFNetworkReachabilityManager: Sendable {
    /// One that looks for the way to any address.
    public static let shared = AFNetworkReachabilityManager()

    /// Looks whenever it is told to.
    typealias Watch =
        @Sendable (DispatchQueue, @escaping @Sendable () -> Void) throws(ApusError) -> any AnyObject & Sendable

    private struct State {
        var status = AFNetworkReachabilityStatus.unknown
        var block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?
        var watch: (any AnyObject & Sendable)?
        /// Tells one monitoring from the next.
        var round = 0
    }

    private let probe: @Sendable () -> AFNetworkReachabilityStatus
    private let watch: Watch
    private let queue = DispatchQueue(label: "apus.reachability")
    private let state = Lock(State())

    /// Makes one that looks for the way to any address: a default route.
    public convenience init() {
        self.init(probe: { RouteProbe.anywhere.status })
    }

    /// Makes one that looks for the way to an address.
    ///
    /// - Parameter address: An address of IPv4 or IPv6; a name is none.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, where it is no address.
    public convenience init(forAddress address: String) throws(ApusError) {
        let probe = try RouteProbe(address: address)
        self.init(probe: { probe.status })
    }

    init(
        probe: @escaping @Sendable () -> AFNetworkReachabilityStatus,
        watch: @escaping Watch = { (queue, changed) throws(ApusError) in try RouteWatch(on: queue, changed) }
    ) {
        self.probe = probe
        self.watch = watch
    }

    /// How the network can be reached, as of the last look; `unknown` before the first.
    public var networkReachabilityStatus: AFNetworkReachabilityStatus { state.withLock { $0.status } }

    /// Whether there is any way.
    public var isReachable: Bool { isReachableViaWWAN || isReachableViaWiFi }

    /// Whether the way is by a modem of a mobile network.
    public var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// Whether the way is by anything else.
    public var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// Sets what is told of the status on the main queue, in order: of the one at the start, and of each that is another.
    ///
    /// - Parameter block: What is told; `nil` for nothing.
    public func setReachabilityStatusChange(_ block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?) {
        // What was there is let go of outside of the lock.
        let before = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        withExtendedLifetime(before) {}
    }

    /// Begins to look; what had begun goes on anew. The first status is told in any case, with
    /// `AFNetworkingReachabilityDidChange` as each.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration`, where the process may not watch the kernel's routes.
    public func startMonitoring() throws(ApusError) {
        stopMonitoring()
        let round = state.withLock { state in
            state.round += 1
            return state.round
        }
        let watch = try watch(queue) { [weak self] in self?.look(round, isFirst: false) }
        let isKept = state.withLock { state in
            guard state.round == round else { return false }
            state.watch = watch
            return true
        }
        guard isKept else { return }
        queue.async { [weak self] in self?.look(round, isFirst: true) }
    }

    /// Looks no longer. The status stays as it was.
    public func stopMonitoring() {
        let watch = state.withLock { state in
            state.round += 1
            defer { state.watch = nil }
            return state.watch
        }
        withExtendedLifetime(watch) {}
    }

    /// Looks, and tells of what is another; on `queue`.
    private func look(_ round: Int, isFirst: Bool) {
        let status = probe()
        let isNews = state.withLock { state in
            guard state.round == round else { return false }
            defer { state.status = status }
            return isFirst || state.status != status
        }
        guard isNews else { return }
        DispatchQueue.main.async { [self] in
            state.withLock { $0.block }?(status)
            NotificationCenter.default.post(
                name: .AFNetworkingReachabilityDidChange,
                object: self,
                userInfo: [AFNetworkingKeys.reachabilityStatus: status]
            )
        }
    }
}

extension AFNetworkReachabilityManager: CustomStringConvertible {
    /// The status in words.
    public var description: String { networkReachabilityStatus.description }
}
