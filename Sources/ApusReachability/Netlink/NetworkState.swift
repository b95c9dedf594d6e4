/// The interfaces of the machine and their addresses, from the messages of the kernel.
struct NetworkState: Sendable, Equatable {
    private(set) var links: [UInt32: NetworkLink] = [:]
    private(set) var addresses: Set<LinkAddress> = []

    /// Applies a message. Messages about routes and rules change nothing: the kernel is asked for a route, since its
    /// rules and tables decide.
    mutating func apply(_ content: NetlinkMessage.Content) {
        switch content {
        case .link(let link): links[link.index] = link
        case .removedLink(let link):
            links[link.index] = nil
            addresses = addresses.filter { $0.index != link.index }
        case .address(let address): addresses.insert(address)
        case .removedAddress(let address): addresses.remove(address)
        case .route, .removedRoute, .rule, .done, .failure, .overrun, .other: break
        }
    }

    /// Returns the best status of all interfaces with an assigned address. Loopback is no network. `isModem` returns
    /// whether an interface is a mobile network, if its kind and name do not say so.
    func status(isModem: (NetworkLink) -> Bool) -> ReachabilityStatus {
        let usable = Set(addresses.lazy.filter { $0.address.isAssigned }.map(\.index))
        let statuses = usable.compactMap { index -> ReachabilityStatus? in
            guard let link = links[index], !link.isLoopback else { return nil }
            return link.status(isModem: isModem)
        }
        return .best(of: statuses)
    }
}

extension NetworkLink {
    /// Returns the status of routes over the interface.
    func status(isModem: (NetworkLink) -> Bool) -> ReachabilityStatus {
        guard isRunning else { return .notReachable }
        return .reachable(isCellular || isModem(self) ? .cellular : .ethernetOrWiFi)
    }
}
