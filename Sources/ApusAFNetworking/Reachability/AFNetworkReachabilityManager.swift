public import Apus
internal import ApusCore
internal import Dispatch
internal import Foundation

/// Monitors how the network can be reached.
///
/// ```swift
/// let reachability = AFNetworkReachabilityManager.shared
/// reachability.setReachabilityStatusChange { status in print(status) }
/// try reachability.startMonitoring()
/// ```
///
/// It reads the kernel's routing table and interfaces, and sends nothing. A route means that a request can be tried,
/// not that a server responds. Do not hold back requests because of the status.
public final class AFNetworkReachabilityManager: Sendable {
    /// The shared manager, which looks for a route to any address.
    public static let shared = AFNetworkReachabilityManager()

    /// Calls the closure on the queue whenever the network changes, until the returned object is released.
    typealias Watch =
        @Sendable (DispatchQueue, @escaping @Sendable () -> Void) throws(ApusError) -> any AnyObject & Sendable

    private struct State {
        var status = AFNetworkReachabilityStatus.unknown
        var block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?
        var watch: (any AnyObject & Sendable)?
        /// Identifies the current monitoring, so that events of an earlier one are ignored.
        var round = 0
    }

    private let probe: @Sendable () -> AFNetworkReachabilityStatus
    private let watch: Watch
    private let queue = DispatchQueue(label: "apus.reachability")
    private let state = Lock(State())

    /// Creates a manager that looks for a route to any address: a default route.
    public convenience init() {
        self.init(probe: { RouteProbe.anywhere.status })
    }

    /// Creates a manager that looks for a route to one address.
    ///
    /// - Parameter address: An IPv4 or IPv6 address, not a host name.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if it is not an address.
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

    /// The last known status, or `unknown` before monitoring has started.
    public var networkReachabilityStatus: AFNetworkReachabilityStatus { state.withLock { $0.status } }

    /// Whether there is any route.
    public var isReachable: Bool { isReachableViaWWAN || isReachableViaWiFi }

    /// Whether the route uses a mobile network.
    public var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// Whether the route uses any other interface, wireless or wired.
    public var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// Sets the handler of status changes. Called on the main queue in order, first with the initial status.
    ///
    /// - Parameter block: The handler, or `nil` for none.
    public func setReachabilityStatusChange(_ block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?) {
        // The previous handler is released outside the lock.
        let before = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        withExtendedLifetime(before) {}
    }

    /// Starts monitoring, or restarts it. The first status is always reported. Each report also posts
    /// `AFNetworkingReachabilityDidChange`.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the process may not watch the kernel's routes.
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

    /// Stops monitoring. The status keeps its last value.
    public func stopMonitoring() {
        let watch = state.withLock { state in
            state.round += 1
            defer { state.watch = nil }
            return state.watch
        }
        withExtendedLifetime(watch) {}
    }

    /// Reads the status and reports a change. Called on `queue`.
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
    /// The status as text.
    public var description: String { networkReachabilityStatus.description }
}
