/// A message of the kernel about interfaces, addresses and routes: see netlink(7) and rtnetlink(7).
struct NetlinkMessage: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        /// An interface is new, or has changed.
        case link(NetworkLink)
        /// An interface is gone.
        case removedLink(NetworkLink)
        /// An interface has an address.
        case address(LinkAddress)
        /// An interface has lost an address.
        case removedAddress(LinkAddress)
        /// There is a route.
        case route(LinkRoute)
        /// There is a route no longer.
        case removedRoute(LinkRoute)
        /// A rule that chooses a table of routes was added or removed.
        case rule
        /// The end of a list, with an error number if it is incomplete, or 0.
        case done(Int32)
        /// A request has failed with this error number, or has succeeded with 0.
        case failure(Int32)
        /// The kernel has dropped messages.
        case overrun
        /// Any other message.
        case other

        /// Whether the network has changed, or may have.
        var isChange: Bool {
            switch self {
            case .link, .removedLink, .address, .removedAddress, .route, .removedRoute, .rule, .overrun: true
            case .done, .failure, .other: false
            }
        }
    }

    /// The number of the request that it responds to, or 0.
    let sequence: UInt32
    /// Whether further messages of the same list follow.
    let isPartial: Bool
    /// Whether the list has changed while the kernel wrote it.
    let isInterrupted: Bool
    let content: Content
}
