internal import ApusCore

/// A question to the kernel: see rtnetlink(7).
enum NetlinkRequest: Sendable {
    /// All interfaces.
    case links
    /// One interface, by its index.
    case link(UInt32)
    /// The addresses of all interfaces.
    case addresses
    /// The route to an address.
    case route(IPAddress)

    private static let ipv4: UInt8 = 2
    private static let ipv6: UInt8 = 10

    /// Whether the response is a list.
    var isList: Bool {
        switch self {
        case .links, .addresses: true
        case .link, .route: false
        }
    }

    /// The bytes of the message.
    func bytes(sequence: UInt32) -> [UInt8] {
        let (type, body) = content
        // A request, for all entries of a list.
        let flags: UInt16 = isList ? 0x1 | 0x300 : 0x1
        var bytes: [UInt8] = []
        bytes.append(number: UInt32(16 + body.count))
        bytes.append(number: type)
        bytes.append(number: flags)
        bytes.append(number: sequence)
        // The kernel is port 0.
        bytes.append(number: UInt32(0))
        return bytes + body
    }

    private var content: (type: UInt16, body: [UInt8]) {
        switch self {
        case .links: (18, Self.linkBody(0))
        case .link(let index): (18, Self.linkBody(index))
        case .addresses: (22, [UInt8](repeating: 0, count: 8))
        case .route(let address): (26, Self.routeBody(address))
        }
    }

    /// `struct ifinfomsg`, and the attribute that leaves out statistics.
    private static func linkBody(_ index: UInt32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4)
        bytes.append(number: index)
        bytes += [UInt8](repeating: 0, count: 8)
        let skipStatistics: UInt32 = 8
        bytes.append(attribute: 29) { $0.append(number: skipStatistics) }
        return bytes
    }

    /// `struct rtmsg`, the destination, and the interface of a link-local one.
    private static func routeBody(_ address: IPAddress) -> [UInt8] {
        var bytes = [address.isIPv6 ? ipv6 : ipv4, UInt8(address.bytes.count * 8)]
        bytes += [UInt8](repeating: 0, count: 10)
        bytes.append(attribute: 1) { $0 += address.bytes }
        if address.scope > 0 { bytes.append(attribute: 4) { $0.append(number: address.scope) } }
        return bytes
    }
}

extension [UInt8] {
    /// Appends a number in the byte order of the machine.
    fileprivate mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }

    /// Appends an attribute whose value has a multiple of four bytes.
    fileprivate mutating func append(attribute type: UInt16, _ write: (inout [UInt8]) -> Void) {
        var value: [UInt8] = []
        write(&value)
        append(number: UInt16(4 + value.count))
        append(number: type)
        self += value
    }
}
