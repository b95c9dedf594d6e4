public import Apus
internal import ApusCore
internal import ApusReachability
internal import Dispatch
internal import Foundation

/// Monitors how the network can be reached, with AFNetworking's names for `NetworkReachabilityManager`.
///
/// ```swift
/// let reachability = AFNetworkReachabilityManager.shared
/// reachability.setReachabilityStatusChange { status in print(status) }
/// try reachability.startMonitoring()
/// ```
///
/// It reads the kernel's routing table and interfaces, and sends nothing but the lookups of a domain. A route means
/// that a request can be tried, not that a server responds. Do not hold back requests because of the status.
public final class AFNetworkReachabilityManager: Sendable {
    /// The shared manager, which looks for a route to any address.
    public static let shared = AFNetworkReachabilityManager()

    private struct State {
        var status = AFNetworkReachabilityStatus.unknown
        var block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?
    }

    private let manager: NetworkReachabilityManager
    private let queue = DispatchQueue(label: "apus.reachability.monitor")
    private let state = Lock(State())

    /// Creates a manager that looks for a route to any address: a default route.
    public convenience init() {
        self.init(NetworkReachabilityManager())
    }

    /// Creates a manager that looks for a route to one address.
    ///
    /// - Parameter address: An IPv4 or IPv6 address, not a host name.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if it is not an address.
    public convenience init(forAddress address: String) throws(ApusError) {
        self.init(try NetworkReachabilityManager(address: address))
    }

    /// Creates a manager that looks for a route to an address of a domain.
    ///
    /// The domain is looked up at once, and again whenever the network changes. The status is `unknown` until the first
    /// lookup ends.
    ///
    /// - Parameter domain: A host name.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if it is not a host name.
    public convenience init(forDomain domain: String) throws(ApusError) {
        self.init(try NetworkReachabilityManager(host: domain))
    }

    init(_ manager: NetworkReachabilityManager) {
        self.manager = manager
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
        try manager.startListening(onQueue: queue) { [weak self] in self?.report(AFNetworkReachabilityStatus($0)) }
    }

    /// Stops monitoring. The status keeps its last value.
    public func stopMonitoring() { manager.stopListening() }

    /// Stores a status and reports it. Called on `queue`.
    private func report(_ status: AFNetworkReachabilityStatus) {
        state.withLock { $0.status = status }
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
