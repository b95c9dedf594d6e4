internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct PacedChunksTests {
    private let clock = ManualClock()
    private let environment: SessionEnvironment

    init() {
        var configuration = SessionConfiguration()
        configuration.time = clock
        environment = SessionEnvironment(configuration: configuration)
    }

    /// Returns a body whose first turn of three bytes passes at once, and each further one 0.1 s later.
    private func paced(_ body: RequestBody) throws -> RequestBody {
        let limiter = BandwidthLimiter(30, AnySessionClock(clock))
        _ = limiter.take(15)
        return body.paced(by: try #require(TransferPace(limiter)), in: environment)
    }

    /// Returns a body at a rate that never makes it wait.
    private func fast(_ body: RequestBody) throws -> RequestBody {
        let limiter = BandwidthLimiter(Int.max, AnySessionClock(clock))
        return body.paced(by: try #require(TransferPace(limiter)), in: environment)
    }

    private func stream(_ texts: String...) -> AsyncStream<BodyChunk> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(BodyChunk(text)) }
            continuation.finish()
        }
    }

    /// Reads the turns of a body, each with its time since the beginning.
    private func turns(of body: RequestBody) -> Task<[String], any Error> {
        let clock = clock
        return Task {
            let begin = clock.now
            let reader = try await body.open()
            var turns: [String] = []
            while let chunk = try await reader.next() {
                turns.append("\(String(chunk)) \(begin.duration(to: clock.now).formatted)")
            }
            return turns
        }
    }

    private func advance(times: Int) async {
        for _ in 0..<times {
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func passesTurnsOfEachKindOfBody() async throws {
        let folder = try TemporaryFolder()
        let file = try RequestBody.file(folder.write(Data("0123456".utf8), to: "file"))
        let bodies: [RequestBody] = [
            .string("0123456"), file, .replayable { stream("0123456") }, .once(stream("0123456")),
            RequestBody.string("0123456").withTrailers(["X-A": "b"]),
        ]
        for body in bodies {
            let turns = turns(of: try paced(body))
            await advance(times: 2)
            #expect(try await turns.value == ["012 0 µs", "345 100 ms", "6 200 ms"])
            #expect(clock.sleeperCount == 0)
            #expect(await eventually { environment.counters.nonZero.isEmpty })
        }
        withExtendedLifetime(folder) {}
    }

    @Test func passesShortChunksAsTheyAre() async throws {
        let turns = turns(of: try paced(.replayable { stream("ab", "", "c", "defg") }))
        await advance(times: 2)
        #expect(try await turns.value == ["ab 0 µs", " 0 µs", "c 100 ms", "def 100 ms", "g 200 ms"])
    }

    @Test func keepsShortBodiesInMemory() throws {
        let body = try paced(.string("012"))
        #expect(body.bytesInMemory == BodyChunk("012"))
        #expect(try paced(.none).isNone)
        #expect(try paced(.string("")).bytesInMemory?.isEmpty == true)
        #expect(try paced(.string("0123")).bytesInMemory == nil)
    }

    @Test func keepsThePropertiesOfTheBody() async throws {
        let long = String(repeating: "a", count: 100_000)
        let bodies: [RequestBody] = [
            .string(long), .replayable { stream(long) }, .replayable(length: 100_000) { stream(long) },
            .once(stream(long)), .once(length: 100_000, stream(long)),
        ]
        let trailed = bodies.filter { !$0.isReadOnce }.map { $0.withTrailers(["X-A": "b"]) }
        for body in bodies + trailed {
            let fast = try fast(body)
            #expect(fast.length == body.length)
            #expect(fast.isReadOnce == body.isReadOnce)
            #expect(fast.hasTrailers == body.hasTrailers)
            #expect((fast.pieces == nil) == (body.pieces == nil))
            #expect(fast.isReplayable)
            #expect(try await fast.data() == Data(long.utf8))
            #expect(fast.isReplayable == !body.isReadOnce)
            #expect(body.isReplayable == !body.isReadOnce)
            if !body.isReadOnce { #expect(try await fast.data() == Data(long.utf8)) }
            #expect(try await fast.trailers()?.count == body.trailers()?.count)
        }
    }

    @Test func passesTheErrorOfItsFile() async throws {
        let folder = try TemporaryFolder()
        let body = try fast(.file(folder.write("text", to: "file")))
        try folder.write("other text", to: "file")
        let error = await failure { try await body.data() }
        #expect(error?.code == .fileChanged)
        #expect(await eventually { environment.counters.nonZero.isEmpty })
        withExtendedLifetime(folder) {}
    }

    @Test func stopsWaitingWhenCancelled() async throws {
        let turns = turns(of: try paced(.string("0123456")))
        await clock.waitForSleepers(1)
        turns.cancel()
        await #expect(throws: CancellationError.self) { try await turns.value }
        #expect(environment.counters.nonZero.isEmpty)
    }
}
