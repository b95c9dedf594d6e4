internal import ApusCore
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct SOCKSHandshakeTests {
    private static let name = SOCKSHandshake.Destination.name("a.example")
    private static let request: [UInt8] = [5, 1, 0, 3, 9] + Array("a.example".utf8) + [1, 187]
    private static let reply: [UInt8] = [5, 0, 0, 1, 10, 0, 0, 1, 4, 56]

    private func handshake(_ user: String? = nil) -> SOCKSHandshake {
        SOCKSHandshake(to: Self.name, port: 443, credentials: user.map { (user: $0, password: "secret") })
    }

    private func step(_ handshake: inout SOCKSHandshake, _ bytes: [UInt8]) throws(SOCKSFault) -> SOCKSHandshake.Step {
        var buffer = ByteBuffer(bytes: bytes)
        return try handshake.receive(&buffer)
    }

    @Test func asksForAName() throws {
        var handshake = handshake()
        #expect(handshake.greeting == [5, 1, 0])
        let first = try step(&handshake, [5, 0])
        #expect(first == .send(Self.request))
        let second = try step(&handshake, Self.reply)
        #expect(second == .open)
    }

    @Test func sendsUserAndPassword() throws {
        var handshake = handshake("ada")
        #expect(handshake.greeting == [5, 2, 0, 2])
        let first = try step(&handshake, [5, 2])
        #expect(first == .send([1, 3] + Array("ada".utf8) + [6] + Array("secret".utf8)))
        let second = try step(&handshake, [1, 0])
        #expect(second == .send(Self.request))
    }

    @Test func sendsNoCredentialsThatAreNotWanted() throws {
        var handshake = handshake("ada")
        let first = try step(&handshake, [5, 0])
        #expect(first == .send(Self.request))
    }

    @Test(
        arguments: [
            ("192.0.2.7", [5, 1, 0, 1, 192, 0, 2, 7, 0, 80]),
            ("::1", [5, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80]),
        ] as [(String, [UInt8])]
    )
    func asksForAnAddress(text: String, request: [UInt8]) throws {
        let address = try #require(IPAddress(text))
        var handshake = SOCKSHandshake(to: .address(address), port: 80, credentials: nil)
        let first = try step(&handshake, [5, 0])
        #expect(first == .send(request))
    }

    /// The bytes that follow a reply belong to the origin, whichever address it has.
    @Test(
        arguments: [
            reply, [5, 0, 0, 4] + [UInt8](repeating: 1, count: 18), [5, 0, 0, 3, 2, 97, 98, 0, 80],
            [5, 0, 0, 3, 0, 0, 80],
        ] as [[UInt8]]
    )
    func leavesTheBytesAfterTheReply(reply: [UInt8]) throws {
        var handshake = handshake()
        _ = try step(&handshake, [5, 0])
        var buffer = ByteBuffer(bytes: reply + [1, 2, 3])
        let last = try handshake.receive(&buffer)
        #expect(last == .open)
        #expect(Array(buffer.readableBytesView) == [1, 2, 3])
    }

    @Test func readsOneByteAtATime() throws {
        var handshake = handshake("ada")
        var buffer = ByteBuffer()
        var sent: [[UInt8]] = []
        var isOpen = false
        for byte in [5, 2, 1, 0] + Self.reply {
            buffer.writeInteger(byte)
            switch try handshake.receive(&buffer) {
            case .wait: break
            case .send(let bytes): sent.append(bytes)
            case .open: isOpen = true
            }
        }
        #expect(sent.count == 2)
        #expect(sent.last == Self.request)
        #expect(isOpen)
    }

    @Test(
        arguments: [
            (nil, [[72, 84]], .versionUnsupported),
            (nil, [[4]], .versionUnsupported),
            (nil, [[5, 255]], .noAcceptableMethod),
            (nil, [[5, 2]], .malformed),
            (nil, [[5, 1]], .malformed),
            ("ada", [[5, 255]], .noAcceptableMethod),
            ("ada", [[5, 2], [1, 1]], .credentialsRefused),
            (nil, [[5, 0], [5, 1]], .refused(1)),
            (nil, [[5, 0], [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]], .refused(5)),
            (nil, [[5, 0], [5, 0, 0, 2]], .malformed),
            (nil, [[5, 0], [72, 84, 84, 80]], .versionUnsupported),
        ] as [(String?, [[UInt8]], SOCKSFault)]
    )
    func reportsFaults(user: String?, responses: [[UInt8]], fault: SOCKSFault) {
        var handshake = handshake(user)
        var thrown: SOCKSFault?
        do throws(SOCKSFault) {
            for response in responses { _ = try step(&handshake, response) }
        } catch {
            thrown = error
        }
        #expect(thrown == fault)
    }
}
