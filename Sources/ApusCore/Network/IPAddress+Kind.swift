extension IPAddress {
    /// The use of an address, by the registries of special-purpose addresses of IANA.
    ///
    /// https://www.iana.org/assignments/iana-ipv4-special-registry and
    /// https://www.iana.org/assignments/iana-ipv6-special-registry. Minor versions may add kinds, so a `switch` needs a
    /// `default`.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The kind in words, with an article: `a loopback address`.
        public let description: String

        /// A publicly routable address.
        public static let global = Kind(description: "a public address")
        /// The unspecified address, 0.0.0.0 or ::, with which some systems reach this machine itself.
        public static let unspecified = Kind(description: "the unspecified address")
        /// An address of this network, 0.0.0.0/8.
        public static let thisNetwork = Kind(description: "an address of this network")
        /// An address of this machine itself, 127.0.0.0/8 or ::1.
        public static let loopback = Kind(description: "a loopback address")
        /// An address of a private network, such as 10.0.0.0/8, or fc00::/7.
        public static let privateUse = Kind(description: "a private address")
        /// An address behind the translation of a provider, 100.64.0.0/10.
        public static let shared = Kind(description: "a shared address of a provider's network")
        /// An address of the local link, 169.254.0.0/16 or fe80::/10. Clouds serve their metadata at 169.254.169.254.
        public static let linkLocal = Kind(description: "a link-local address")
        /// An address for examples in documents.
        public static let documentation = Kind(description: "an address for documentation")
        /// An address for measurements of network devices.
        public static let benchmarking = Kind(description: "an address for benchmarks")
        /// An address that is assigned to a protocol of the IETF.
        public static let protocolAssignment = Kind(description: "an address of an IETF protocol")
        /// An address of 6to4, Teredo or ISATAP, which may contain the IPv4 address of any machine.
        public static let tunnel = Kind(description: "an address of a tunnel")
        /// The address 168.63.129.16, where Azure serves each of its virtual machines. It is in the public space.
        public static let azureWireServer = Kind(description: "the wire server of Azure")
        /// An address of a group of machines.
        public static let multicast = Kind(description: "a multicast address")
        /// The address of all machines of this network, 255.255.255.255.
        public static let broadcast = Kind(description: "the broadcast address")
        /// An address that is not assigned to a use.
        public static let reserved = Kind(description: "a reserved address")
    }

    /// The use of the address, by the registries, and for 168.63.129.16 by Azure. That of an IPv4 address inside an
    /// IPv6 address (`::ffff:0:0/96`, and `64:ff9b::/96` of NAT64) is the use of the IPv4 address.
    public var kind: Kind {
        guard isIPv6 else { return Self.kind(of: self, in: Self.ipv4Blocks, otherwise: .global) }
        if isMapped || isTranslated { return IPAddress(ipv4: UInt32(truncatingIfNeeded: low)).kind }
        let kind = Self.kind(of: self, in: Self.ipv6Blocks, otherwise: .reserved)
        // A machine with the same prefix sends packets to the IPv4 address inside.
        return kind == .global && isISATAP ? .tunnel : kind
    }

    /// Whether the address is publicly routable: not of this machine, of a local or private network, of a cloud's host,
    /// or reserved.
    public var isPublic: Bool { kind == .global }

    /// Whether it is an address of this machine itself.
    public var isLoopback: Bool { kind == .loopback }

    /// Whether it is an address of a private network.
    public var isPrivate: Bool { kind == .privateUse }

    /// Whether it is an address of the local link.
    public var isLinkLocal: Bool { kind == .linkLocal }

    /// Whether it is an address of a group of machines.
    public var isMulticast: Bool { kind == .multicast }

    /// Whether it is 0.0.0.0 or ::.
    public var isUnspecified: Bool { kind == .unspecified }

    /// Whether it is an IPv4 address in the notation of IPv6. RFC 4291 §2.5.5.2.
    var isMapped: Bool { isIPv6 && high == 0 && low >> 32 == 0xFFFF }

    /// Whether it is an IPv4 address that a network translates (NAT64), by the well-known prefix. RFC 6052 §2.1.
    var isTranslated: Bool { isIPv6 && high == 0x0064_FF9B_0000_0000 && low >> 32 == 0 }

    /// Whether it has an identifier of ISATAP, which contains an IPv4 address. RFC 5214 §6.1.
    private var isISATAP: Bool { isIPv6 && low >> 32 & 0xFDFF_FFFF == 0x5EFE }
}

extension IPAddress {
    /// The addresses that begin with the same bits.
    private struct Block: Sendable {
        let address: IPAddress
        let length: Int
        let kind: Kind

        init(_ address: IPAddress, _ length: Int, _ kind: Kind) {
            self.address = address
            self.length = length
            self.kind = kind
        }

        init(groups: [UInt16], _ length: Int, _ kind: Kind) {
            let all: [UInt16] = groups + Array(repeating: 0, count: 8 - groups.count)
            self.init(IPAddress(groups: all, scope: 0), length, kind)
        }

        func contains(_ other: IPAddress) -> Bool { address.agrees(with: other, inFirst: length) }
    }

    private static func kind(of address: IPAddress, in blocks: [Block], otherwise kind: Kind) -> Kind {
        blocks.first { $0.contains(address) }?.kind ?? kind
    }

    /// The blocks of IPv4 that are not public, and exceptions before the blocks that they are in.
    private static let ipv4Blocks: [Block] = [
        Block(.v4(0, 0, 0, 0), 32, .unspecified),
        Block(.v4(0, 0, 0, 0), 8, .thisNetwork),
        Block(.v4(10, 0, 0, 0), 8, .privateUse),
        Block(.v4(100, 64, 0, 0), 10, .shared),
        Block(.v4(127, 0, 0, 0), 8, .loopback),
        // Not in the registry: it is an address of Microsoft's, which Azure routes to the host of each virtual machine.
        Block(.v4(168, 63, 129, 16), 32, .azureWireServer),
        Block(.v4(169, 254, 0, 0), 16, .linkLocal),
        Block(.v4(172, 16, 0, 0), 12, .privateUse),
        // Anycast addresses for port control and TURN. RFC 7723 §4.1, RFC 8155 §8.1.
        Block(.v4(192, 0, 0, 9), 32, .global),
        Block(.v4(192, 0, 0, 10), 32, .global),
        Block(.v4(192, 0, 0, 0), 24, .protocolAssignment),
        Block(.v4(192, 0, 2, 0), 24, .documentation),
        // The relays of 6to4, which RFC 7526 has deprecated.
        Block(.v4(192, 88, 99, 0), 24, .tunnel),
        Block(.v4(192, 168, 0, 0), 16, .privateUse),
        Block(.v4(198, 18, 0, 0), 15, .benchmarking),
        Block(.v4(198, 51, 100, 0), 24, .documentation),
        Block(.v4(203, 0, 113, 0), 24, .documentation),
        Block(.v4(224, 0, 0, 0), 4, .multicast),
        Block(.v4(255, 255, 255, 255), 32, .broadcast),
        Block(.v4(240, 0, 0, 0), 4, .reserved),
    ]

    /// The blocks of IPv6, exceptions before the blocks that they are in. All others are reserved, with ::/96, which
    /// RFC 4291 §2.5.5.1 has deprecated, and the local translations of 64:ff9b:1::/48.
    private static let ipv6Blocks: [Block] = [
        Block(.v6(0, 0, 0, 0, 0, 0, 0, 0), 128, .unspecified),
        Block(.ipv6Loopback, 128, .loopback),
        // Anycast addresses for port control, TURN and service discovery. RFC 7723, RFC 8155, RFC 9665.
        Block(.v6(0x2001, 1, 0, 0, 0, 0, 0, 1), 128, .global),
        Block(.v6(0x2001, 1, 0, 0, 0, 0, 0, 2), 128, .global),
        Block(.v6(0x2001, 1, 0, 0, 0, 0, 0, 3), 128, .global),
        Block(groups: [0x2001, 0], 32, .tunnel),
        Block(groups: [0x2001, 2, 0], 48, .benchmarking),
        Block(groups: [0x2001, 3], 32, .global),
        Block(groups: [0x2001, 4, 0x112], 48, .global),
        // Identifiers of hosts and of aircraft. RFC 7343, RFC 9374.
        Block(groups: [0x2001, 0x20], 28, .global),
        Block(groups: [0x2001, 0x30], 28, .global),
        Block(groups: [0x2001, 0], 23, .protocolAssignment),
        Block(groups: [0x2001, 0xDB8], 32, .documentation),
        Block(groups: [0x2002], 16, .tunnel),
        Block(groups: [0x3FFF], 20, .documentation),
        Block(groups: [0x2000], 3, .global),
        Block(groups: [0xFC00], 7, .privateUse),
        Block(groups: [0xFE80], 10, .linkLocal),
        // Site-local addresses, which RFC 3879 has deprecated.
        Block(groups: [0xFEC0], 10, .privateUse),
        Block(groups: [0xFF00], 8, .multicast),
    ]
}
