/// An IP address, of version 4 or 6.
///
/// ```swift
/// let address = IPAddress("192.0.2.7")
/// let loopback = IPAddress.v4(127, 0, 0, 1)
/// ```
public struct IPAddress: Sendable, Hashable {
    /// The first half of an IPv6 address. 0 for IPv4.
    let high: UInt64
    /// The second half of an IPv6 address, or the 32 bits of an IPv4 address.
    let low: UInt64
    /// The index of the network interface that a link-local IPv6 address belongs to. 0 for none.
    public let scope: UInt32
    /// Whether the address is an IPv6 address.
    public let isIPv6: Bool

    init(high: UInt64, low: UInt64, scope: UInt32) {
        self.high = high
        self.low = low
        self.scope = scope
        self.isIPv6 = true
    }

    init(ipv4 bits: UInt32) {
        self.high = 0
        self.low = UInt64(bits)
        self.scope = 0
        self.isIPv6 = false
    }

    /// Creates an address from its bytes, the most significant one first. `nil` unless there are 4 or 16.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the address.
    ///   - scope: The index of the network interface, for a link-local IPv6 address. Default: 0, none.
    public init?(bytes: some Collection<UInt8>, scope: UInt32 = 0) {
        switch bytes.count {
        case 4: self.init(ipv4: UInt32(truncatingIfNeeded: Self.bits(bytes)))
        case 16: self.init(high: Self.bits(bytes.prefix(8)), low: Self.bits(bytes.dropFirst(8)), scope: scope)
        default: return nil
        }
    }

    /// Returns an IPv4 address: `v4(127, 0, 0, 1)`.
    public static func v4(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> IPAddress {
        IPAddress(ipv4: UInt32(truncatingIfNeeded: bits([first, second, third, fourth])))
    }

    /// Returns an IPv6 address of eight groups: `v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1)` is `2001:db8::1`.
    public static func v6(
        _ first: UInt16,
        _ second: UInt16,
        _ third: UInt16,
        _ fourth: UInt16,
        _ fifth: UInt16,
        _ sixth: UInt16,
        _ seventh: UInt16,
        _ eighth: UInt16
    ) -> IPAddress {
        IPAddress(groups: [first, second, third, fourth, fifth, sixth, seventh, eighth], scope: 0)
    }

    init(groups: [UInt16], scope: UInt32) {
        self.init(
            high: groups.prefix(4).reduce(0) { $0 << 16 | UInt64($1) },
            low: groups.dropFirst(4).reduce(0) { $0 << 16 | UInt64($1) },
            scope: scope
        )
    }

    /// The IPv4 address of this machine itself, 127.0.0.1.
    public static let loopback = IPAddress.v4(127, 0, 0, 1)

    /// The IPv6 address of this machine itself, ::1.
    public static let ipv6Loopback = IPAddress.v6(0, 0, 0, 0, 0, 0, 0, 1)

    /// The 4 or 16 bytes of the address, the most significant one first.
    public var bytes: [UInt8] {
        let halves = isIPv6 ? [high, low] : [low << 32]
        let bytes = halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) } }
        return isIPv6 ? bytes : Array(bytes.prefix(4))
    }

    /// The size of the address in bits, 32 or 128.
    var bitCount: Int { isIPv6 ? 128 : 32 }

    /// Whether both are of one version of IP and have the same first bits. Scopes are not compared.
    ///
    /// - Parameters:
    ///   - other: The other address.
    ///   - length: The number of bits, at most `bitCount`.
    /// - Returns: Whether they agree.
    func agrees(with other: IPAddress, inFirst length: Int) -> Bool {
        guard isIPv6 == other.isIPv6 else { return false }
        // A shift by all bits leaves none to compare.
        guard isIPv6 else { return (low ^ other.low) >> (32 - length) == 0 }
        guard length > 64 else { return (high ^ other.high) >> (64 - length) == 0 }
        return high == other.high && (low ^ other.low) >> (128 - length) == 0
    }

    private static func bits(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
