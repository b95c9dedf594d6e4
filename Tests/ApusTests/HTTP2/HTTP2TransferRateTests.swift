import Apus
import ApusEngine
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// Streams with a limited rate wait for the clock of their session, and hold back neither their connection nor each
/// other.
@Suite(.timeLimit(.minutes(5))) struct HTTP2TransferRateTests {
    private static let pattern = TestServer.pattern(count: 1000)
    private static let windowBytes = 256 << 10
    /// The number of bytes that the client buffers for a reader before it stops opening the window.
    private static let bufferBytes = 256 << 10

    @Test(arguments: Wire.allCases) func holdsBothDirectionsToTheirRate(wire: Wire) async throws {
        let clock = ManualClock()
        let limit = TransferRateLimit(download: 1000, upload: 1000)
        try await wire.withHTTP2(
            configure: { ($0.time, $0.transferRate) = (clock, limit) },
            responder: HTTP2Server.echo
        ) { server, session in
            let url = server.url("/")
            let (response, duration) = try await clock.timed {
                try await session.post(url, body: .bytes(Data(Self.pattern)))
            }
            #expect(response.data == Data(Self.pattern))
            #expect(duration >= .milliseconds(800))
            #expect(duration <= .seconds(2))
        }
    }

    /// Three bodies of 1000 bytes, of which 600 pass at once.
    @Test(arguments: Wire.allCases) func sharesTheRateAmongStreams(wire: Wire) async throws {
        let clock = ManualClock()
        let limit = TransferRateLimit(download: 1000)
        try await wire.withHTTP2(
            configure: { ($0.time, $0.transferRate) = (clock, limit) },
            responder: { stream in
                guard stream.request.path == "/long" else { return await stream.respond("") }
                await stream.respond(bytes: Self.pattern)
            }
        ) { server, session in
            // Makes the connection.
            try await session.get(server.url("/")).validate()
            let url = server.url("/long")
            let (bodies, duration) = try await clock.timed {
                async let first = session.get(url)
                async let second = session.get(url)
                async let third = session.get(url)
                return try await [first.data, second.data, third.data]
            }
            #expect(bodies == Array(repeating: Data(Self.pattern), count: 3))
            #expect(duration >= .milliseconds(2400))
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Only a window and a buffer are ahead of the reader. Other streams of the connection go on.
    @Test(arguments: Wire.allCases) func holdsTheServerBack(wire: Wire) async throws {
        let (clock, received) = (ManualClock(), Tally())
        try await wire.withHTTP2(
            configure: {
                $0.time = clock
                $0.http2.streamWindowBytes = Self.windowBytes
            },
            responder: HTTP2Server.endless
        ) { server, session in
            let begin = clock.now
            let limit = TransferRateLimit(download: 1 << 20)
            let response = try await session.stream(server.url("/endless"), options: [limit])
            let stream = try await server.stream(for: "/endless")
            let reader = Task {
                for try await chunk in response.body { received.countUp(by: chunk.count) }
            }
            var earlier = 0
            for _ in 0..<5 {
                while received.value <= earlier {
                    if clock.sleeperCount > 0 { clock.advance(by: .milliseconds(10)) }
                    await Task.yield()
                }
                let sentBytes = try await server.sentBytes(of: stream, session)
                earlier = received.value
                let seconds = begin.duration(to: clock.now) / .seconds(1)
                // Those of the time, those of the credit, and two turns.
                #expect(Double(earlier) <= (seconds + 0.1) * Double(1 << 20) + Double(128 << 10))
                #expect(sentBytes - earlier <= Self.windowBytes + Self.bufferBytes + (128 << 10))
            }
            reader.cancel()
            _ = await reader.result
            #expect(await stream.resetCode() == .cancel)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Six turns pass at once, and the seventh waits.
    @Test(arguments: Wire.allCases) func readsTheSourceOfAnUploadNoFurther(wire: Wire) async throws {
        let (clock, source) = (ManualClock(), MeteredBody(30, of: 100))
        try await wire.withHTTP2(configure: { $0.time = clock }) { server, session in
            let (url, limit) = (server.url("/upload"), TransferRateLimit(upload: 1000))
            let task = Task { try await session.post(url, body: source.body, options: [limit]) }
            let stream = try await server.stream(for: "/upload")
            #expect(await eventually { source.readCount == 7 && clock.sleeperCount == 1 })
            await stream.waitForBytes(600)
            for _ in 0..<5 { try await session.get(server.url("/")).validate() }
            #expect(source.readCount == 7)
            #expect(stream.progress.value.body.count == 600)
            let (response, _) = try await clock.timed { try await task.value }
            #expect(try response.string() == "hi")
            #expect(stream.progress.value.body.count == 3000)
            #expect(server.acceptedConnections == 1)
        }
    }
}
