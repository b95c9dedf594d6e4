public import ApusReachability

/// Reports a network if an interface is up and running, is not a loopback interface, and has an assigned address: one
/// of IPv4 or IPv6 that is not link-local (RFC 3927, RFC 4291 §2.5.6).
///
/// It asks the operating system and sends nothing. A reported network means that a request is worth trying, not that a
/// server is reachable. No default route is needed, since the server may be in the local network.
public struct InterfaceWatch: NetworkWatch {
    /// The types of interfaces that count as a network.
    private let connectionTypes: Set<NetworkReachabilityManager.ConnectionType>
    private let manager: NetworkReachabilityManager

    /// Creates a watch.
    ///
    /// - Parameter connectionTypes: The types of interfaces that count as a network. If both kinds are available, the
    ///   one that is not a mobile network decides. Default: all.
    public init(
        connectionTypes: Set<NetworkReachabilityManager.ConnectionType> = [.ethernetOrWiFi, .cellular]
    ) {
        self.init(connectionTypes: connectionTypes, manager: .interfaces)
    }

    init(connectionTypes: Set<NetworkReachabilityManager.ConnectionType>, manager: NetworkReachabilityManager) {
        self.connectionTypes = connectionTypes
        self.manager = manager
    }

    public func isReachable() -> Bool {
        switch manager.status {
        case .reachable(let type): connectionTypes.contains(type)
        case .notReachable: false
        // If the kernel does not answer, do not hold requests back.
        case .unknown: true
        }
    }
}
