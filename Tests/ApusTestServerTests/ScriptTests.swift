internal import ApusTestServer
internal import NIOCore
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScriptTests {
    private static let request = "GET /a?b HTTP/1.1\r\nHost: x\r\nx-Odd:  y \r\n\r\n"

    @Test func sendsTextAsLatin1() async throws {
        let script: Script = [.send("a\u{80}\u{ff}\r\n"), .sendBytes([0, 1]), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            let bytes = try await RawClient.with(port: server.port) { try await $0.readToEnd() }
            #expect(bytes == [0x61, 0x80, 0xFF, 0x0D, 0x0A, 0, 1])
        }
    }

    @Test func recordsHeadAsSent() async throws {
        try await TestServer.with(behavior: .script([.expectHead, .send("ok"), .close])) { server in
            let text = try await RawClient.with(port: server.port) { client in
                for byte in Self.request.utf8 { try await client.write([byte]) }
                return try await client.readTextToEnd()
            }
            #expect(text == "ok")
            let request = try #require(server.requests.first)
            #expect(request.head == Array(Self.request.utf8))
            #expect(request.method == "GET")
            #expect(request.target == "/a?b")
            #expect(request.version == "HTTP/1.1")
            #expect(request.fault == nil)
            #expect(request.fields.map(\.name) == ["Host", "x-Odd"])
            #expect(request["X-ODD"] == "y")
            #expect(request.connection == 1)
            #expect(request.serverName == nil)
        }
    }

    @Test(arguments: [
        "Content-Length: 5\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nX-Sum: 5\r\n\r\n",
    ])
    func readsABodyByItsFraming(remainder: String) async throws {
        try await TestServer.with(behavior: .script([.loop([.expectHead, .expectBody, .send("ok")])])) { server in
            let texts = try await RawClient.with(port: server.port) { client in
                var texts: [String] = []
                for _ in 0..<3 {
                    try await client.write("POST / HTTP/1.1\r\nHost: x\r\n" + remainder)
                    texts.append(try await client.readText(2))
                }
                return texts
            }
            #expect(texts == ["ok", "ok", "ok"])
            #expect(server.requests.map(\.bodyText) == ["hello", "hello", "hello"])
            #expect(server.requests.map(\.isComplete) == [true, true, true])
            #expect(server.requests[0].trailers.map(\.name) == (remainder.contains("X-Sum") ? ["X-Sum"] : []))
        }
    }

    @Test func playsNthScriptOnNthConnection() async throws {
        let scripts: [Script] = [[.send("1"), .close], [.send("2"), .close]]
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            var texts: [String] = []
            for _ in 0..<3 {
                texts.append(try await RawClient.with(port: server.port) { try await $0.readTextToEnd() })
            }
            #expect(texts == ["1", "2", "2"])
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test func waitsAtGateAndSignals() async throws {
        let arrived = Gate()
        let gate = Gate()
        let script: Script = [.send("a"), .signal(arrived), .wait(gate), .send("b"), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            let text = try await RawClient.with(port: server.port) { client in
                let first = try await client.readText(1)
                await arrived.wait()
                #expect(!gate.isOpen)
                gate.open()
                return first + (try await client.readTextToEnd())
            }
            #expect(text == "ab")
        }
    }

    @Test func pausesForTheTime() async throws {
        try await TestServer.with(behavior: .script([.pause(.milliseconds(50)), .close])) { server in
            let time = try await ContinuousClock().measure {
                try await RawClient.with(port: server.port) { client in _ = try await client.readToEnd() }
            }
            #expect(time >= .milliseconds(50))
        }
    }

    @Test func resetsConnection() async throws {
        let gate = Gate()
        try await TestServer.with(behavior: .script([.send("a"), .wait(gate), .reset])) { server in
            let error = await #expect(throws: IOError.self) {
                try await RawClient.with(port: server.port) { client in
                    _ = try await client.read(1)
                    gate.open()
                    _ = try await client.readToEnd()
                }
            }
            #expect(error?.errnoCode == 104 || error?.errnoCode == 54)  // ECONNRESET on Linux, on Darwin
        }
    }

    @Test func halfClosesAndReadsOn() async throws {
        let script: Script = [.expectHead, .send("end"), .halfClose, .expectBytes(4), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            try await RawClient.with(port: server.port) { client in
                try await client.write(Self.request)
                #expect(try await client.readTextToEnd() == "end")
                try await client.write("more")
                await server.waitForOpenConnections(0)
            }
            #expect(server.requests.first?.bodyText == "more")
        }
    }

    @Test func continuesWhenPeerHalfCloses() async throws {
        let script: Script = [.allowHalfClose, .signal(Gate()), .expectHead, .expectEnd, .send("late"), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.write(Self.request)
                client.finish()
                return try await client.readTextToEnd()
            }
            #expect(text == "late")
        }
    }

    @Test func stopsReading() async throws {
        let script: Script = [.stopReading, .pause(.milliseconds(100)), .reset]
        let server = try await TestServer.start(behavior: .script(script), receiveBufferBytes: 16 << 10)
        await #expect(throws: (any Error).self) {
            try await RawClient.with(port: server.port) { client in
                // More than all buffers can hold: a write waits until the connection breaks.
                for _ in 0..<64 { try await client.write([UInt8](repeating: 0, count: 1 << 20)) }
            }
        }
        await server.stop()
    }

    @Test func sendsRepeatedlyUnderBackPressure() async throws {
        let piece = TestServer.pattern(count: 251 * 40)
        let script: Script = [.sendRepeatedly(piece, count: 1000), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            let bytes = try await RawClient.with(port: server.port) { try await $0.readToEnd() }
            var expected: [UInt8] = []
            for _ in 0..<1000 { expected += piece }
            let isWhole = bytes == expected
            #expect(isWhole)
        }
    }

    @Test(
        arguments: [
            [.expectHead], [.wait(Gate())], [.pause(.seconds(600))], [.silence], [], [.loop([])], [.stopReading],
            [.loop([.pause(.zero)])], [.loop([.signal(Gate())])],
            [.sendRepeatedly([UInt8](repeating: 0, count: 1000), count: .max)],
        ] as [Script]
    )
    func endsWhenPeerClosesAtAnyStep(script: Script) async throws {
        try await TestServer.with(behavior: .script(script)) { server in
            try await RawClient.with(port: server.port) { client in
                await server.waitForOpenConnections(1)
                try await client.write("x")
            }
            await server.waitForOpenConnections(0)
            #expect(server.openConnections == 0)
        }
    }
}
