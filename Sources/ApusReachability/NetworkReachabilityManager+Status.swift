extension NetworkReachabilityManager {
    /// How a network can be reached.
    public enum NetworkReachabilityStatus: Sendable, Hashable {
        /// It is not known yet, or the process may not ask the kernel.
        case unknown
        /// There is no route, or the interface of the route is not running.
        case notReachable
        /// There is a route over an interface of this type.
        case reachable(ConnectionType)
    }

    /// The type of an interface.
    public enum ConnectionType: Sendable, Hashable, CaseIterable {
        /// Any interface that is not a mobile network: wired, wireless, virtual or loopback.
        case ethernetOrWiFi
        /// A mobile network. On Linux the kernel says so, or the name of the interface begins with `ww`, `rmnet`,
        /// `ccmni` or `ppp`. So a modem for a fixed line that uses `ppp` counts as one too.
        case cellular
    }

    /// A closure that gets each status.
    public typealias Listener = @Sendable (NetworkReachabilityStatus) -> Void
}

extension NetworkReachabilityManager.NetworkReachabilityStatus: CustomStringConvertible {
    /// The status in words.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notReachable: "not reachable"
        case .reachable(.ethernetOrWiFi): "reachable over Ethernet or Wi-Fi"
        case .reachable(.cellular): "reachable over a mobile network"
        }
    }
}

package typealias ReachabilityStatus = NetworkReachabilityManager.NetworkReachabilityStatus

extension ReachabilityStatus {
    /// The order of the statuses, the best one last.
    private var rank: Int {
        switch self {
        case .unknown: 0
        case .notReachable: 1
        case .reachable(.cellular): 2
        case .reachable(.ethernetOrWiFi): 3
        }
    }

    /// Returns the best of several statuses. Default: `notReachable`.
    static func best(of statuses: [ReachabilityStatus]) -> ReachabilityStatus {
        statuses.max { $0.rank < $1.rank } ?? .notReachable
    }

    /// Returns the worst of several statuses. Default: `notReachable`.
    static func worst(of statuses: [ReachabilityStatus]) -> ReachabilityStatus {
        statuses.min { $0.rank < $1.rank } ?? .notReachable
    }
}
