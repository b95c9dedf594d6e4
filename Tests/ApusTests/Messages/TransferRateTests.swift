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

    /// Advances the clock whenever a body waits. Returns the result of `work`, and its duration.
    private func timed<Value: Sendable>(
        _ clock: ManualClock,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> (Value, Duration) {
        let begin = clock.now
        let isDone = LockedValue(false)
        let task = Task {
            defer { isDone.value = true }
            return try await work()
        }
        while !isDone.value {
            if clock.sleeperCount > 0 { clock.advance(by: .milliseconds(100)) }
            await Task.yield()
        }
        return (try await task.value, begin.duration(to: clock.now))
    }

    @Test(arguments: Wire.allCases) func holdsADownloadToTheRateOfTheSession(wire: Wire) async throws {
        let clock = ManualClock()
        let limit = TransferRateLimit(download: 1000)
        try await wire.with(configure: { ($0.time, $0.transferRate) = (clock, limit) }) { server, session in
            let url = server.url("/bytes/1000")
            let (response, duration) = try await timed(clock) { try await session.get(url) }
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
            let (response, duration) = try await timed(clock) {
                try await session.post(url, body: .bytes(data), options: [TransferRateLimit(upload: 1000)])
            }
            #expect(try response.decode(Report.self).bytes == 1000)
            #expect(duration >= .milliseconds(400))
            #expect(duration <= .seconds(1))
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
