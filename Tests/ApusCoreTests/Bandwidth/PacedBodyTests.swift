internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct PacedBodyTests {
    private let clock = ManualClock()
    private let environment: SessionEnvironment

    init() {
        var configuration = SessionConfiguration()
        configuration.time = clock
        environment = SessionEnvironment(configuration: configuration)
    }

    /// Returns a pace whose burst is used up: the next turn passes at once, and each further one 0.1 s later.
    private func pace(_ rate: Int = 30) throws -> TransferPace {
        let limiter = BandwidthLimiter(rate, AnySessionClock(clock))
        _ = limiter.take(rate / 2)
        return try #require(TransferPace(limiter))
    }

    private func paced(_ body: ResponseBody, rate: Int = 30) throws -> ResponseBody {
        body.paced(by: try pace(rate), in: environment)
    }

    /// Reads the turns of a body, each with its time since the beginning.
    private func turns(of body: ResponseBody) -> Task<[String], any Error> {
        let clock = clock
        return Task {
            let begin = clock.now
            var turns: [String] = []
            for try await chunk in body { turns.append("\(String(chunk)) \(begin.duration(to: clock.now).formatted)") }
            return turns
        }
    }

    private func advance(times: Int) async {
        for _ in 0..<times {
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func passesTurnsOfAWholeBody() async throws {
        let turns = turns(of: try paced(.whole(BodyChunk("0123456"))))
        await advance(times: 2)
        #expect(try await turns.value == ["012 0 µs", "345 100 ms", "6 200 ms"])
        #expect(clock.sleeperCount == 0)
    }

    @Test func passesTurnsOfAStream() async throws {
        let source = ScriptedBody(["ab", "cdef", "g"], trailers: [.age: "1"])
        let body = try paced(.stream(source), rate: 20)
        let turns = turns(of: body)
        await advance(times: 3)
        #expect(try await turns.value == ["ab 0 µs", "cd 100 ms", "ef 200 ms", "g 300 ms"])
        #expect(body.trailers == [.age: "1"])
        #expect(environment.counters.nonZero.isEmpty)
    }

    @Test func readsNoFurtherWhileItWaits() async throws {
        let source = ScriptedBody(["ab", "cd", "ef"])
        let turns = turns(of: try paced(.stream(source), rate: 20))
        await clock.waitForSleepers(1)
        #expect(source.reads == 2)
        await advance(times: 2)
        #expect(try await turns.value.count == 3)
    }

    @Test func passesShortBodiesInMemory() throws {
        let body = try paced(.whole(BodyChunk("012")))
        guard case .whole = body.storage else {
            Issue.record("\(body)")
            return
        }
        #expect(try paced(.empty).isEmpty)
    }

    @Test func passesTheErrorOfItsSource() async throws {
        let source = ScriptedBody(["a"], failure: ApusError(.connectionClosed, "gone"))
        let body = try paced(.stream(source))
        let error = await failure { try await body.collect(upTo: 10) }
        #expect(error?.code == .connectionClosed)
    }

    @Test func endsItsWaitWithTheTask() async throws {
        let source = ScriptedBody(["ab", "cd"])
        let turns = turns(of: try paced(.stream(source), rate: 20))
        await clock.waitForSleepers(1)
        turns.cancel()
        let error = await failure { try await turns.value }
        #expect(error?.code == .cancelled)
        #expect(source.cancels >= 1)
        #expect(clock.sleeperCount == 0)
        #expect(await eventually { environment.counters.nonZero.isEmpty })
    }

    @Test(arguments: [false, true]) func endsItsWaitWithTheBody(discards: Bool) async throws {
        let source = ScriptedBody(["ab", "cd"])
        let pace = try pace(20)
        let body = PacedBody(.stream(source), pace: pace, environment: environment)
        let reader = Task { () -> ApusError? in
            await failure { while try await body.next() != nil {} }
        }
        await clock.waitForSleepers(1)
        if discards { body.discard() } else { body.cancel() }
        #expect(await reader.value?.code == .cancelled)
        #expect(source.discards == (discards ? 1 : 0))
        #expect((source.cancels == 0) == discards)
        #expect(await failure { try await body.next() }?.code == .cancelled)
        #expect(await eventually { environment.counters.nonZero.isEmpty })
        // The bytes that did not pass were given back.
        #expect(pace.take(1) == .milliseconds(100))
    }

    @Test func discardsItsSource() throws {
        let source = ScriptedBody(["a"])
        let body = try paced(.stream(source))
        body.discard()
        #expect(source.discards == 1)
        #expect(source.cancels == 0)
        #expect(source.reads == 0)
    }

    @Test func cancelsItsSourceIfReleased() throws {
        let source = ScriptedBody(["a"])
        var body: ResponseBody? = try paced(.stream(source))
        #expect(body != nil)
        body = nil
        #expect(source.cancels > 0)
    }

    @Test func canBeReadOnceOnly() async throws {
        let stream = ResponseBody.stream(ScriptedBody(["a"]))
        let body = try paced(stream)
        #expect(try await body.collect(upTo: 10) == Data("a".utf8))
        let error = await failure { try await stream.collect(upTo: 10) }
        #expect(error?.code == .bodyAlreadyRead)
    }
}
