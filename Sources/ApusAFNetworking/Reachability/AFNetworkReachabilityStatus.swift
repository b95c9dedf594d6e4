internal import ApusReachability

/// A reachability status of the network.
public enum AFNetworkReachabilityStatus: Int, Sendable, Hashable, CaseIterable {
    /// Monitoring has not started yet.
    case unknown = -1
    /// There is no route.
    case notReachable = 0
    /// The route uses a mobile network.
    case reachableViaWWAN = 1
    /// The route uses any other interface, wireless or wired.
    case reachableViaWiFi = 2
}

extension AFNetworkReachabilityStatus {
    init(_ status: NetworkReachabilityManager.NetworkReachabilityStatus) {
        self =
            switch status {
            case .unknown: .unknown
            case .notReachable: .notReachable
            case .reachable(.cellular): .reachableViaWWAN
            case .reachable(.ethernetOrWiFi): .reachableViaWiFi
            }
    }
}

extension AFNetworkReachabilityStatus: CustomStringConvertible {
    /// The status as text.
    public var description: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}
