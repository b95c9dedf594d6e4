import Apus
import ApusTesting
import Testing

@testable import ApusCommand

@Suite(.timeLimit(.minutes(5))) struct RedirectContentTests {
    /// A body of one chunk that never ends.
    private final class Endless: BodySource {
        private let clock: ManualClock
        private let rest: Lock<[BodyChunk]>

        init(_ chunk: BodyChunk, _ clock: ManualClock) {
            self.clock = clock
            rest = Lock([chunk])
        }

        func next() async throws(ApusError) -> BodyChunk? {
            if let chunk = rest.withLock({ $0.popLast() }) { return chunk }
            do {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(3600)))
            } catch {
                throw ApusError(.cancelled, "nobody waits for more")
            }
            return nil
        }

        func cancel() {}
    }

    private func response(_ body: ResponseBody) throws -> ResponseMessage {
        let target = try TargetURI("http://h/")
        let record = ExchangeRecord(method: .get, target: target, cause: .first, begin: .now)
        return ResponseMessage(status: .found, body: body, record: record)
    }

    @Test func keepsTheBytesThatArriveInTime() async throws {
        let clock = ManualClock()
        let chunk = BodyChunk(Array("moved".utf8))
        let endless = try response(.stream(Endless(chunk, clock)))
        async let content = RedirectContent.bytes(of: endless, time: clock)
        // It waits for more bytes and for its time limit.
        await clock.waitForSleepers(2)
        clock.advance(by: RedirectContent.patience)
        #expect(await content == Array("moved".utf8))
    }

    @Test func doesNotWaitForACompleteBody() async throws {
        let clock = ManualClock()
        let chunk = BodyChunk(Array("moved".utf8))
        #expect(try await RedirectContent.bytes(of: response(.whole(chunk)), time: clock) == Array("moved".utf8))
        #expect(try await RedirectContent.bytes(of: response(.empty), time: clock) == [])
        #expect(clock.sleeperCount == 0)
    }
}
