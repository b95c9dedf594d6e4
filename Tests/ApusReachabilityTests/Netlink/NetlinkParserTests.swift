internal import ApusCore
internal import Testing

@testable internal import ApusReachability

/// Messages of a Linux kernel. Their numbers are little-endian, as on all supported processors.
@Suite struct NetlinkParserTests {
    /// The route to 192.0.2.1 over interface 3, by a gateway.
    private static let route = bytes(
        """
        700000001800000007000000a8010000 02200000fe00000100020000 08000f00fe000000 08000100c0000201 0800040003000000
        080007000a090001 080005000a090002 0800190000000000
        24000c000200000000000000000000000000000000000000000000000000000000000000
        """
    )

    /// There is no route to 192.0.2.1.
    private static let noRoute = bytes(
        """
        3800000002000000070000007c010000 9bffffff 240000001a0001000700000000000000 022000000000000000000000
        08000100c0000201
        """
    )

    /// The end of a list.
    private static let done = bytes("140000000300020007000000d8010000 00000000")

    /// An IPv4 and a link-local IPv6 address of interface 3.
    private static let addresses = bytes(
        """
        4c0000001400020007000000d8010000 0218800003000000 080001000a090001 080002000a090007 0700030076300000
        0800080080000000 14000600ffffffffffffffff4f062a004f062a00
        500000001400020007000000d8010000 0a40c0fd03000000 14000100fe8000000000000070220cfffe8220da
        14000600ffffffffffffffff50062a0050062a00 08000800c0000000 05000b0003000000
        """
    )

    /// A virtual interface that is up and running.
    private static let link = message(16, body: linkHeader(index: 3, flags: 0x11043) + name("wwan0") + kind("veth"))

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.filter(\.isHexDigit).compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func number(_ value: Int, bytes count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func message(_ type: Int, body: [UInt8], length: Int? = nil, flags: Int = 0) -> [UInt8] {
        let header = number(length ?? 16 + body.count, bytes: 4) + number(type, bytes: 2) + number(flags, bytes: 2)
        return header + number(7, bytes: 4) + number(0, bytes: 4) + body
    }

    private static func attribute(_ type: Int, _ value: [UInt8], length: Int? = nil) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        return number(length ?? 4 + value.count, bytes: 2) + number(type, bytes: 2) + value + padding
    }

    private static func linkHeader(index: Int, flags: Int) -> [UInt8] {
        number(0, bytes: 4) + number(index, bytes: 4) + number(flags, bytes: 4) + number(0, bytes: 4)
    }

    private static func name(_ text: String) -> [UInt8] { attribute(3, Array(text.utf8) + [0]) }

    private static func kind(_ text: String) -> [UInt8] { attribute(18, attribute(1, Array(text.utf8) + [0])) }

    private func contents(_ bytes: [UInt8]) -> [NetlinkMessage.Content] { NetlinkParser(bytes).messages.map(\.content) }

    // MARK: Messages of a kernel

    @Test func readsARoute() throws {
        let parser = NetlinkParser(Self.route)
        let message = try #require(parser.messages.first)
        #expect(parser.messages.count == 1 && !parser.isMalformed)
        #expect(message.content == .route(LinkRoute(type: 1, index: 3)))
        #expect(message.sequence == 7)
        #expect(!message.isPartial && !message.isInterrupted)
    }

    @Test func readsAnErrorWithoutTheRequestInIt() {
        #expect(contents(Self.noRoute) == [.failure(101)])
    }

    @Test func readsAddressesOfBothFamilies() throws {
        let ipv4 = LinkAddress(index: 3, address: try #require(IPAddress("10.9.0.7")))
        let ipv6 = LinkAddress(index: 3, address: try #require(IPAddress("fe80::7022:cff:fe82:20da")))
        let parser = NetlinkParser(Self.addresses + Self.done)
        #expect(parser.messages.map(\.content) == [.address(ipv4), .address(ipv6), .done(0)])
        #expect(parser.messages.allSatisfy { $0.isPartial })
        #expect(!parser.isMalformed)
    }

    @Test func readsALink() {
        let expected = NetworkLink(index: 3, flags: NetworkLink.Flags(rawValue: 0x11043), name: "wwan0", kind: "veth")
        #expect(contents(Self.link) == [.link(expected)])
        #expect(expected.isRunning && expected.isCellular && !expected.isLoopback)
    }

    @Test(
        arguments: [
            (3, .done(0)), (4, .overrun), (32, .rule), (33, .rule), (1, .other), (99, .other),
        ] as [(Int, NetlinkMessage.Content)]
    )
    func readsMessagesWithoutABody(type: Int, content: NetlinkMessage.Content) {
        #expect(contents(Self.message(type, body: [])) == [content])
    }

    @Test func readsRemovals() throws {
        let link = Self.message(17, body: Self.linkHeader(index: 3, flags: 0) + Self.name("v0"))
        let address = Self.message(
            21,
            body: [2, 24, 0, 0] + Self.number(3, bytes: 4) + Self.attribute(1, [10, 0, 0, 1])
        )
        let route = Self.message(25, body: [UInt8](repeating: 0, count: 12))
        let ipv4 = try #require(IPAddress("10.0.0.1"))
        let expected: [NetlinkMessage.Content] = [
            .removedLink(NetworkLink(index: 3, flags: [], name: "v0")),
            .removedAddress(LinkAddress(index: 3, address: ipv4)), .removedRoute(LinkRoute(type: 0, index: nil)),
        ]
        #expect(contents(link + address + route) == expected)
        #expect(expected.allSatisfy { $0.isChange })
    }

    @Test func readsTheMarksOfAList() throws {
        let message = try #require(NetlinkParser(Self.message(99, body: [], flags: 0x12)).messages.first)
        #expect(message.isPartial && message.isInterrupted)
        #expect(contents(Self.message(3, body: Self.number(-4, bytes: 4))) == [.done(4)])
        // No error number has a counterpart of the other sign here.
        #expect(contents(Self.message(2, body: Self.number(1 << 31, bytes: 4))) == [.failure(.min)])
    }

    @Test func ignoresAddressesOfOtherFamilies() {
        let body = [28, 24, 0, 0] + Self.number(3, bytes: 4) + Self.attribute(1, [1, 2, 3, 4, 5, 6])
        #expect(contents(Self.message(20, body: body)) == [.other])
    }

    // MARK: Malformed messages

    @Test(arguments: [0, 1, 15, 17 + 16, 1 << 31, -1])
    func stopsAtALengthThatIsWrong(length: Int) {
        let parser = NetlinkParser(Self.link + Self.message(99, body: [], length: length) + Self.link)
        // The length of 33 overlaps with the next message, which is then cut off.
        #expect(parser.isMalformed)
        #expect(parser.messages.first?.content == NetlinkParser(Self.link).messages.first?.content)
        #expect(parser.messages.count <= 2)
    }

    @Test(arguments: [0, 1, 3, 100, 0xFFFF])
    func rejectsAttributesWithALengthThatIsWrong(length: Int) {
        let bad = Self.attribute(3, Array("v0".utf8), length: length)
        for (type, size) in [(16, 16), (17, 16), (20, 8), (21, 8), (24, 12), (25, 12)] {
            let parser = NetlinkParser(Self.message(type, body: [UInt8](repeating: 0, count: size) + bad))
            #expect(parser.isMalformed && parser.messages.isEmpty, "type \(type)")
        }
    }

    /// A nested attribute ends with the one that it is in, whatever its length says.
    @Test func doesNotReadBeyondANestedAttribute() {
        let nested = Self.attribute(18, Self.attribute(1, Array("veth".utf8), length: 40))
        let body = Self.linkHeader(index: 1, flags: 1) + nested + Self.name("v0")
        let expected = NetworkLink(index: 1, flags: .up, name: "v0")
        #expect(contents(Self.message(16, body: body)) == [.link(expected)])
    }

    @Test(arguments: [16, 17, 20, 21, 24, 25, 2]) func rejectsBodiesThatAreTooShort(type: Int) {
        for count in 0..<4 {
            let parser = NetlinkParser(Self.message(type, body: [UInt8](repeating: 1, count: count)))
            #expect(parser.isMalformed && parser.messages.isEmpty)
        }
    }

    @Test func readsNamesThatAreNotText() {
        let body = Self.linkHeader(index: 1, flags: 1) + Self.attribute(3, [0xFF, 0x2F]) + Self.attribute(3, [])
        #expect(contents(Self.message(16, body: body)) == [.link(NetworkLink(index: 1, flags: .up, name: ""))])
    }

    /// Every beginning of a datagram has the messages that are complete in it.
    @Test func readsEveryBeginning() {
        let whole = Self.addresses + Self.route + Self.link + Self.noRoute + Self.done
        let all = NetlinkParser(whole).messages
        #expect(all.count == 6)
        for count in 0..<whole.count {
            let parser = NetlinkParser(Array(whole.prefix(count)))
            #expect(parser.messages == Array(all.prefix(parser.messages.count)))
            #expect(parser.messages.count < all.count)
        }
    }

    /// Changed bytes never crash the parser, and never make more messages than there is room for.
    @Test func readsAnyChangedByte() {
        let whole = Self.addresses + Self.route + Self.link + Self.noRoute + Self.done
        for index in whole.indices {
            for value in [0, 1, 3, 4, 5, 15, 16, 17, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = value
                #expect(NetlinkParser(changed).messages.count <= whole.count / 16)
            }
        }
    }

    @Test func readsRandomBytes() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<2000 {
            var bytes = (0..<count % 300).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Small lengths, so that several messages and attributes are found.
            for index in stride(from: 0, to: bytes.count, by: 4) where Bool.random(using: &generator) {
                let word = [
                    UInt8.random(in: 0...40, using: &generator), 0, UInt8.random(in: 0...30, using: &generator), 0,
                ]
                for (offset, byte) in word.enumerated() where index + offset < bytes.count {
                    bytes[index + offset] = byte
                }
            }
            #expect(NetlinkParser(bytes).messages.count <= bytes.count / 16, "\(bytes)")
        }
    }

    @Test func readsAnEmptyDatagram() {
        let parser = NetlinkParser([])
        #expect(parser.messages.isEmpty && !parser.isMalformed)
    }
}
