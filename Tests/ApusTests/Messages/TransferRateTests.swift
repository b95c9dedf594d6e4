import Apus
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// Bodies with a limited rate arrive unchanged, and wait for the clock of their session.
@Suite(.timeLimit(.minutes(5))) struct TransferRateTests {
    private struct Report: Decodable {
        let bytes: Int
    }

    @Test(arguments: Wire.allCases) func holdsADownloadToTheRateOfTheSession(wire: Wire) async throws {
        let clock = ManualClock()
        let limit = TransferRateLimit(download: 1000)
        try await wire.with(configure: { ($0.time, $0.transferRate) = (clock, limit) }) { server, session in
            let url = server.url("/bytes/1000")
            let (response, duration) = try await clock.timed { try await session.get(url) }
            #expect(response.data == Data(TestServer.pattern(count: 1000)))
            #expect(duration >= .milliseconds(400))
            #expect(duration <= .seconds(1))
        }
    }

    @Test(arguments: Wire.allCases) func holdsAnUploadToTheRateOfItsRequest(wire: Wire) async throws {
        let clock = ManualClock()
        let data = Data(TestServer.pattern(count: 1000))
        try await wire.with(configure: { $0.time = clock }) { server, session in
            let url = server.url("/upload")
            let (response, duration) = try await clock.timed {
                try await session.post(url, body: .bytes(data), options: [TransferRateLimit(upload: 1000)])
            }
            #expect(try response.decode(Report.self).bytes == 1000)
            #expect(duration >= .milliseconds(400))
            #expect(duration <= .seconds(1))
        }
    }

    /// An upload of at least 0.4 s, and then a download of at least 0.4 s.
    @Test(arguments: Wire.allCases) func holdsBothDirectionsToTheirRate(wire: Wire) async throws {
        let clock = ManualClock()
        let limit = TransferRateLimit(download: 1000, upload: 1000)
        let behavior = TestServer.Behavior.handler { request in TestResponse(body: .bytes(request.body)) }
        let data = Data(TestServer.pattern(count: 1000))
        try await wire.with(behavior, configure: { ($0.time, $0.transferRate) = (clock, limit) }) { server, session in
            let url = server.url("/")
            let (response, duration) = try await clock.timed { try await session.post(url, body: .bytes(data)) }
            #expect(response.data == data)
            #expect(duration >= .milliseconds(800))
            #expect(duration <= .seconds(2))
        }
    }

    /// Three bodies of 1000 bytes, of which 600 pass at once.
    @Test(arguments: Wire.allCases) func sharesTheRateAmongRequests(wire: Wire) async throws {
        let clock = ManualClock()
        let limit = TransferRateLimit(download: 1000)
        try await wire.with(configure: { ($0.time, $0.transferRate) = (clock, limit) }) { server, session in
            let url = server.url("/bytes/1000")
            let (bodies, duration) = try await clock.timed {
                async let first = session.get(url)
                async let second = session.get(url)
                async let third = session.get(url)
                return try await [first.data, second.data, third.data]
            }
            #expect(bodies == Array(repeating: Data(TestServer.pattern(count: 1000)), count: 3))
            #expect(duration >= .milliseconds(2400))
        }
    }

    // MARK: Back-pressure

    /// Only the buffers of both sides are ahead of the reader.
    @Test(arguments: Wire.allCases) func holdsTheServerBack(wire: Wire) async throws {
        let (clock, offered, received) = (ManualClock(), Tally(), Tally())
        let size = 64 << 10
        let count = (1 << 30) / size
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let behavior = TestServer.Behavior.handler { request in
            guard request.path == "/large" else { return .text("small") }
            return TestResponse(
                body: .generated(length: size * count) { number in
                    guard number < count else { return nil }
                    offered.countUp()
                    return piece
                }
            )
        }
        try await wire.with(behavior, configure: { $0.time = clock }) { server, session in
            let begin = clock.now
            let limit = TransferRateLimit(download: 1 << 20)
            let response = try await session.stream(server.url("/large"), options: [limit])
            let reader = Task {
                for try await chunk in response.body { received.countUp(by: chunk.count) }
            }
            var earlier = 0
            for _ in 0..<5 {
                while received.value <= earlier {
                    if clock.sleeperCount > 0 { clock.advance(by: .milliseconds(10)) }
                    await Task.yield()
                }
                var last = -1
                while offered.value != last {
                    last = offered.value
                    // Complete exchanges on the same event loops give all pending events time to finish.
                    for _ in 0..<5 { try await session.get(server.url("/")).validate() }
                }
                earlier = received.value
                let seconds = begin.duration(to: clock.now) / .seconds(1)
                // Those of the time, those of the credit, and two turns.
                #expect(Double(earlier) <= (seconds + 0.1) * Double(1 << 20) + Double(128 << 10))
                #expect(offered.value * size - earlier < 32 << 20)
            }
            reader.cancel()
            _ = await reader.result
        }
    }

    /// Six turns pass at once, and the seventh waits.
    @Test(arguments: Wire.allCases) func readsTheSourceOfAnUploadNoFurther(wire: Wire) async throws {
        let (clock, source) = (ManualClock(), MeteredBody(30, of: 100))
        try await wire.with(configure: { $0.time = clock }) { server, session in
            let (url, limit) = (server.url("/upload"), TransferRateLimit(upload: 1000))
            let task = Task { try await session.post(url, body: source.body, options: [limit]) }
            #expect(await eventually { source.readCount == 7 && clock.sleeperCount == 1 })
            for _ in 0..<5 { try await session.get(server.url("/get")).validate() }
            #expect(source.readCount == 7)
            clock.advance(by: .milliseconds(100))
            #expect(await eventually { source.readCount == 8 && clock.sleeperCount == 1 })
            let (response, _) = try await clock.timed { try await task.value }
            #expect(try response.decode(Report.self).bytes == 3000)
            #expect(source.readCount == 30)
        }
    }

    @Test(arguments: Wire.allCases) func passesLongBodiesUnchanged(wire: Wire) async throws {
        let data = Data(TestServer.pattern(count: 4 << 20))
        let limit = TransferRateLimit(download: 1 << 40, upload: 1 << 40)
        try await wire.with(configure: { $0.transferRate = limit }) { server, session in
            let response = try await session.get(server.url("/bytes/\(data.count)"))
            #expect(response.data == data)
            let report = try await session.post(server.url("/upload"), body: .bytes(data)).decode(Report.self)
            #expect(report.bytes == data.count)
            #expect(server.acceptedConnections == 1)
        }
    }
}
