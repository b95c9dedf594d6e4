internal import ApusTestServer
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct CuttingRelayTests {
    private static let byteCount = 3_000_000

    /// Requests bytes through a relay, and returns all that arrives.
    private func bytes(from relay: CuttingRelay) async throws -> [UInt8] {
        try await RawClient.with(port: relay.port) { client in
            try await client.write("GET /bytes/\(Self.byteCount) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return try await client.readToEnd()
        }
    }

    @Test func passesAllBytesOn() async throws {
        try await TestServer.with { server in
            let relay = try await CuttingRelay.start(to: server.port)
            let bytes = try await bytes(from: relay)
            #expect(Array(bytes.suffix(Self.byteCount)) == TestServer.pattern(count: Self.byteCount))
            #expect(relay.byteCount == bytes.count)
            #expect(relay.cutCount == 0)
            #expect(relay.acceptedConnections == 1)
            await relay.stop()
        }
    }

    @Test(arguments: [1, 100, 65_536, 1_000_001])
    func cutsAConnectionOfTheServer(count: Int) async throws {
        try await TestServer.with { server in
            let relay = try await CuttingRelay.start(to: server.port) { number in
                number == 1 ? CuttingRelay.Cut(after: count) : nil
            }
            let first = try await bytes(from: relay)
            #expect(first.count == count)
            #expect(relay.cutCount == 1)
            let second = try await bytes(from: relay)
            #expect(Array(second.prefix(count)) == first)
            #expect(Array(second.suffix(Self.byteCount)) == TestServer.pattern(count: Self.byteCount))
            #expect(relay.cutCount == 1)
            #expect(relay.byteCount == count + second.count)
            await relay.stop()
            await server.waitForOpenConnections(0)
        }
    }

    /// The server answers to the head.
    @Test func waitsForAnAnswer() async throws {
        try await TestServer.with { server in
            let relay = try await CuttingRelay.start(to: server.port, counting: .toServer) { _ in
                CuttingRelay.Cut(after: 200, waitsForAnswer: true)
            }
            let text = try await RawClient.with(port: relay.port) { client in
                // One write, since unread bytes would turn the end into a RST.
                let head = "POST /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
                try await client.write(head + String(repeating: "a", count: 500))
                return try await client.readTextToEnd()
            }
            #expect(text == "HTTP/1.1 100 Continue\r\n\r\n")
            #expect(relay.byteCount == 200)
            #expect(relay.cutCount == 1)
            await relay.stop()
            await server.waitForOpenConnections(0)
            #expect(server.requests.map(\.isComplete) == [false])
        }
    }
}
