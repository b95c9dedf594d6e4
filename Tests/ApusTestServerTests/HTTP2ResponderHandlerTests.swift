internal import ApusTestServer
internal import Testing

/// The frames that the server sends for the bytes of a client.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2ResponderHandlerTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let block: [UInt8] = [0x88, 0x0F, 0x10, 0x0A] + Array("text/plain".utf8)

    /// The types of frames.
    private static let data: UInt8 = 0
    private static let headers: UInt8 = 1
    private static let reset: UInt8 = 3
    private static let settings: UInt8 = 4
    private static let ping: UInt8 = 6
    private static let windowUpdate: UInt8 = 8

    /// Returns a number with the most significant byte first.
    private static func big(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func joined(_ pieces: [UInt8]...) -> [UInt8] { pieces.flatMap { $0 } }

    private static func frame(
        _ kind: UInt8,
        flags: UInt8 = 0,
        stream: Int = 0,
        _ payload: [UInt8] = []
    ) -> [UInt8] {
        joined(Array(big(payload.count).dropFirst()), [kind, flags], big(stream), payload)
    }

    /// A request without content.
    private static func request(_ stream: Int) -> [UInt8] { frame(headers, flags: 5, stream: stream, [0x82]) }

    private static func response(_ stream: Int) -> [UInt8] {
        let content = Array("stream \(stream)".utf8)
        return joined(
            frame(headers, flags: 4, stream: stream, block),
            frame(data, flags: 1, stream: stream, content)
        )
    }

    /// Sends bytes, and compares the bytes that follow the server's SETTINGS.
    private func expect(
        _ expected: [UInt8],
        for bytes: [UInt8],
        inPieces: Bool = false,
        delay: @escaping @Sendable (Int) -> Duration = { _ in .zero }
    ) async throws {
        let received = try await TestServer.with(behavior: .http2(delay: delay)) { server in
            try await RawClient.with(port: server.port) { client in
                let sent = Self.preface + bytes
                if inPieces {
                    for byte in sent { try await client.write([byte]) }
                } else {
                    try await client.write(sent)
                }
                return try await client.read(9 + expected.count)
            }
        }
        #expect(received == Self.frame(Self.settings) + expected)
    }

    // MARK: Requests

    @Test(arguments: [false, true])
    func respondsToRequests(inPieces: Bool) async throws {
        let requests = [1, 3, 7].flatMap { Self.request($0) }
        try await expect([1, 3, 7].flatMap { Self.response($0) }, for: requests, inPieces: inPieces)
    }

    @Test(arguments: [false, true])
    func respondsAfterTheEndOfTheContent(inPieces: Bool) async throws {
        let sent = Self.joined(
            Self.frame(Self.headers, flags: 4, stream: 1, [0x83]),
            Self.request(3),
            Self.frame(Self.data, stream: 1, [1, 2]),
            Self.frame(Self.data, flags: 1, stream: 1, [3])
        )
        let expected = Self.joined(
            Self.response(3),
            Self.frame(Self.windowUpdate, Self.big(2)),
            Self.frame(Self.windowUpdate, stream: 1, Self.big(2)),
            Self.frame(Self.windowUpdate, Self.big(1)),
            Self.response(1)
        )
        try await expect(expected, for: sent, inPieces: inPieces)
    }

    @Test func respondsAfterTrailers() async throws {
        let sent = Self.joined(
            Self.frame(Self.headers, flags: 4, stream: 1, [0x83]),
            Self.frame(Self.data, stream: 1),
            Self.frame(Self.headers, flags: 5, stream: 1)
        )
        try await expect(Self.response(1), for: sent)
    }

    @Test func delaysEachResponseByItsStream() async throws {
        let sent = [1, 3, 5].flatMap { Self.request($0) }
        let expected = [5, 3, 1].flatMap { Self.response($0) }
        try await expect(expected, for: sent) { stream in .milliseconds(20 * (5 - stream)) }
    }

    @Test func forgetsAResetRequest() async throws {
        let sent = Self.joined(
            Self.frame(Self.headers, flags: 4, stream: 1, [0x83]),
            Self.frame(Self.reset, stream: 1, Self.big(8)),
            Self.frame(Self.data, flags: 1, stream: 1),
            Self.request(3),
            Self.frame(Self.reset, stream: 3, Self.big(8)),
            Self.request(5)
        )
        try await expect(Self.response(5), for: sent) { stream in .milliseconds(20 * stream) }
    }

    // MARK: Other frames

    @Test func acknowledgesSettingsAndPings() async throws {
        let token = Array("8 octets".utf8)
        let sent = Self.joined(
            Self.frame(Self.settings, [0, 3, 0, 0, 0, 1]),
            Self.frame(Self.settings, flags: 1),
            Self.frame(Self.ping, token),
            Self.frame(Self.ping, flags: 1, token),
            Self.request(1)
        )
        let expected = Self.joined(
            Self.frame(Self.settings, flags: 1),
            Self.frame(Self.ping, flags: 1, token),
            Self.response(1)
        )
        try await expect(expected, for: sent)
    }

    @Test func ignoresWindowsPrioritiesAndTheEnd() async throws {
        let sent = Self.joined(
            Self.frame(Self.windowUpdate, Self.big(1)),
            Self.frame(2, stream: 3, [0, 0, 0, 0, 16]),
            Self.frame(7, [0, 0, 0, 0, 0, 0, 0, 0]),
            Self.request(1)
        )
        try await expect(Self.response(1), for: sent)
    }

    @Test func acknowledgesManyPings() async throws {
        let token = Array("8 octets".utf8)
        let sent = (0..<2000).flatMap { _ in Self.frame(Self.ping, token) }
        let expected = (0..<2000).flatMap { _ in Self.frame(Self.ping, flags: 1, token) }
        try await expect(expected, for: sent)
    }

    // MARK: Faults

    /// Sends bytes, and waits until the server has closed the connection. Returns the number of its requests.
    private func requestCount(afterClosing bytes: [UInt8]) async throws -> Int {
        try await TestServer.with(behavior: .http2 { _ in .zero }) { server in
            try await RawClient.with(port: server.port) { client in
                try await client.write(bytes)
                // A close with unread bytes resets the connection.
                _ = try? await client.readToEnd()
            }
            await server.waitForOpenConnections(0)
            #expect(server.openConnections == 0)
            return server.requestCount
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n", "x", "PRI * HTTP/2.0\r\n\r\nSN"])
    func closesAConnectionThatDoesNotBeginWithThePreface(text: String) async throws {
        #expect(try await requestCount(afterClosing: Array(text.utf8)) == 0)
    }

    /// Frames that are invalid or not supported.
    static let faults: [String: [UInt8]] = [
        "a large payload": joined([0, 0x40, 1], Array(frame(data, stream: 1).dropFirst(3))),
        "PUSH_PROMISE": frame(5, flags: 4, stream: 1, big(2)),
        "CONTINUATION": frame(9, flags: 4, stream: 1, [0x82]),
        "an unknown type": frame(0x10),
        "a block that goes on": frame(headers, flags: 1, stream: 1, [0x82]),
        "HEADERS on stream 0": request(0),
        "HEADERS on an even stream": request(2),
        "DATA on stream 0": frame(data, flags: 1),
        "DATA on an idle stream": frame(data, flags: 1, stream: 1),
        "a short PING": frame(ping, [1, 2, 3, 4, 5, 6, 7]),
    ]

    @Test(arguments: faults.keys.sorted())
    func closesTheConnectionAfterAFault(name: String) async throws {
        let fault = try #require(Self.faults[name])
        let sent = Self.joined(Self.preface, fault, Self.request(3))
        #expect(try await requestCount(afterClosing: sent) == 0)
    }

    @Test(arguments: [1, 3])
    func closesTheConnectionAfterAnOldStream(stream: Int) async throws {
        let sent = Self.joined(Self.preface, Self.request(3), Self.request(stream))
        #expect(try await requestCount(afterClosing: sent) == 1)
    }

    @Test func closesTheConnectionAfterTrailersWithoutAnEnd() async throws {
        let head = Self.frame(Self.headers, flags: 4, stream: 1, [0x83])
        #expect(try await requestCount(afterClosing: Self.joined(Self.preface, head, head)) == 0)
    }

    @Test func closesTheConnectionAfterTooManyRequests() async throws {
        let requests = (0...1000).flatMap { Self.request(2 * $0 + 1) }
        #expect(try await requestCount(afterClosing: Self.preface + requests) == 1000)
    }

    /// Each byte of valid frames is replaced. The server must close the connection, respond or wait for more.
    @Test func survivesDamagedFrames() async throws {
        let valid = Self.joined(
            Self.preface,
            Self.frame(Self.settings),
            Self.request(1),
            Self.frame(Self.headers, flags: 4, stream: 3, [0x83]),
            Self.frame(Self.data, flags: 1, stream: 3, [0])
        )
        var generator = SeededGenerator(seed: 1)
        let damaged = valid.indices.map { index in
            var bytes = valid
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
            return bytes
        }
        try await TestServer.with(behavior: .http2 { _ in .zero }) { server in
            for bytes in damaged {
                try await RawClient.with(port: server.port) { client in
                    try await client.write(bytes)
                    client.finish()
                    _ = try? await client.readToEnd()
                }
            }
            await server.waitForOpenConnections(0)
            #expect(server.acceptedConnections == damaged.count)
        }
    }
}
