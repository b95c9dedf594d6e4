/// How the network can be reached.
public enum AFNetworkReachabilityStatus: Int, Sendable, Hashable, CaseIterable {
    /// Nobody looked yet.
    case unknown = -1
    /// There is no way.
    case notReachable = 0
    /// By a modem of a mobile network.
    case reachableViaWWAN = 1
    /// By anything else: wireless or wired.
    case reachableViaWiFi = 2
}

extension AFNetworkReachabilityStatus: CustomStringConvertible {
    /// The status in words.
    public var description: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}
