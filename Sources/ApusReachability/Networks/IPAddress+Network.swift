internal import ApusCore
internal import ApusPlatform

extension IPAddress {
    /// Copies the address of a socket. Returns `nil` for any other address family.
    init?(socket address: UnsafePointer<sockaddr>) {
        // The address follows family and port, and in IPv6 also the flow label, on every system. The scope follows it.
        let start = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(bytes: UnsafeRawBufferPointer(start: start + 4, count: 4))
        case AF_INET6:
            let scope = start.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
            self.init(bytes: UnsafeRawBufferPointer(start: start + 8, count: 16), scope: scope)
        default:
            return nil
        }
    }

    /// Whether the address was assigned by a network, and is not a link-local, loopback or unspecified one.
    var isAssigned: Bool { !isLinkLocal && !isLoopback && !isUnspecified }
}
