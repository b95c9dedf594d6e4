import Apus
import ApusEngine
import ApusTestServer
import Foundation
import Testing

/// The windows of the client limit the bytes that a server can send before they are read.
@Suite(.timeLimit(.minutes(5))) struct HTTP2BackPressureTests {
    private static let windowBytes = 256 << 10
    /// The number of bytes that the client buffers for a reader before it stops opening the window.
    private static let bufferBytes = 256 << 10

    @Test(arguments: Wire.allCases)
    func stopsTheServerWhenTheReaderStops(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.http2.streamWindowBytes = Self.windowBytes },
            responder: HTTP2Server.endless
        ) { server, session in
            let response = try await session.stream(server.url("/endless"))
            let stream = try await server.stream(for: "/endless")
            var reader = response.body.makeAsyncIterator()
            var readBytes = 0
            for _ in 0..<4 {
                let sentBytes = try await server.sentBytes(of: stream, session)
                // A window, a full buffer, and the chunk that has filled it.
                #expect(sentBytes - readBytes > Self.bufferBytes / 2)
                #expect(sentBytes - readBytes <= Self.windowBytes + Self.bufferBytes + (64 << 10))
                for _ in 0..<40 {
                    let chunk = try await reader.next()
                    readBytes += chunk?.count ?? 0
                }
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The default window of a stream is 1 MiB. It grows only for a reader that keeps up.
    @Test(arguments: Wire.allCases)
    func beginsWithAWindowOfAMebibyte(wire: Wire) async throws {
        try await wire.withHTTP2(responder: HTTP2Server.endless) { server, session in
            let response = try await session.stream(server.url("/endless"))
            let stream = try await server.stream(for: "/endless")
            let sentBytes = try await server.sentBytes(of: stream, session)
            #expect(sentBytes >= 1 << 20)
            #expect(sentBytes <= (1 << 20) + Self.bufferBytes + (64 << 10))
            response.body.discard()
            #expect(await stream.resetCode() == .cancel)
        }
    }

    @Test(arguments: Wire.allCases)
    func letsOtherResponsesPassAStoppedReader(wire: Wire) async throws {
        let size = 3_000_000
        try await wire.withHTTP2(
            configure: {
                $0.http2.streamWindowBytes = Self.windowBytes
                $0.http2.connectionWindowBytes = 1 << 20
            },
            responder: { stream in
                guard stream.request.path == "/long" else { return await HTTP2Server.endless(stream) }
                await stream.respond(bytes: TestServer.pattern(count: size))
            }
        ) { server, session in
            var stopped: [StreamedResponse] = []
            for number in 0..<3 {
                stopped.append(try await session.stream(server.url("/endless/\(number)")))
                let stream = try await server.stream(for: "/endless/\(number)")
                _ = try await server.sentBytes(of: stream, session)
            }
            let response = try await session.get(server.url("/long"))
            #expect(response.data == Data(TestServer.pattern(count: size)))
            #expect(server.acceptedConnections == 1)
            for response in stopped { response.body.discard() }
        }
    }

    /// One reader can hold the whole window of a connection, until it reads or is cancelled.
    @Test(arguments: Wire.allCases, [true, false])
    func freesTheWindowOfAConnection(wire: Wire, reads: Bool) async throws {
        // The protocol has no smaller window for a connection.
        let windowBytes = 65_535
        try await wire.withHTTP2(
            configure: { $0.http2.connectionWindowBytes = windowBytes },
            responder: HTTP2Server.endless
        ) { server, session in
            let stopped = try await session.stream(server.url("/endless"))
            let stream = try await server.stream(for: "/endless")
            let enough = Self.bufferBytes + windowBytes - (20 << 10)
            await stream.progress.wait { $0.isBlocked && $0.sentBytes >= enough }
            async let waiting = session.get(server.url("/small"))
            _ = try await server.stream(for: "/small")
            await Wire.yieldToOthers()
            if reads {
                var byteCount = 0
                for try await chunk in stopped.body {
                    byteCount += chunk.count
                    if byteCount > 4 << 20 { break }
                }
            } else {
                stopped.body.discard()
            }
            let response = try await waiting
            #expect(try response.string() == "small")
            #expect(stream.progress.value.sentBytes <= (reads ? 8 << 20 : 1 << 20))
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Windows smaller than a frame, and ones that open thousands of times, do not change a body.
    @Test(arguments: Wire.allCases, [1000, 16_384, 100_000])
    func receivesABodyThroughASmallWindow(wire: Wire, windowBytes: Int) async throws {
        let pattern = TestServer.pattern(count: 300_000)
        try await wire.withHTTP2(
            configure: {
                $0.http2.streamWindowBytes = windowBytes
                $0.http2.connectionWindowBytes = 65_535
            },
            responder: { stream in await stream.respond(bytes: pattern) }
        ) { server, session in
            async let first = session.get(server.url("/1"))
            async let second = session.get(server.url("/2"))
            let bodies = try await [first.data, second.data]
            #expect(bodies == [Data(pattern), Data(pattern)])
        }
    }

    @Test(arguments: Wire.allCases)
    func receivesABodyUnchangedWithASlowReader(wire: Wire) async throws {
        let pattern = TestServer.pattern(count: 2_000_000)
        try await wire.withHTTP2(
            configure: { $0.http2.streamWindowBytes = Self.windowBytes },
            responder: { stream in await stream.respond(bytes: pattern) }
        ) { server, session in
            var data = Data()
            for try await chunk in try await session.stream(server.url("/")).body {
                #expect(!chunk.isEmpty)
                data.append(chunk)
                for _ in 0..<20 { await Task.yield() }
            }
            #expect(data == Data(pattern))
        }
    }

    /// A short rest is read, and a long one is cancelled. The connection is used again in both cases.
    @Test(arguments: Wire.allCases)
    func keepsTheConnectionOfADiscardedResponse(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                guard stream.request.path == "/short" else { return await HTTP2Server.endless(stream) }
                stream.head()
                await stream.send("hello")
                await stream.pause(.milliseconds(5))
                await stream.send("world", ends: true)
            }
        ) { server, session in
            try await session.stream(server.url("/short")).body.discard()
            try await session.stream(server.url("/endless")).body.discard()
            let stream = try await server.stream(for: "/endless")
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }
}
