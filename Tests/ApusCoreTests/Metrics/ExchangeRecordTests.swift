internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct ExchangeRecordTests {
    private final class Listener: ExchangeListener {
        let ends = Lock(0)
        let informationals = Lock(0)
        let sent = Lock<[Int64]>([])
        func exchange(_ record: ExchangeRecord, didSend byteCount: Int64, of total: Int64?) {
            sent.withLock { $0.append(byteCount) }
        }
        func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse) {
            informationals.withLock { $0 += 1 }
        }
        func exchangeDidEnd(_ record: ExchangeRecord) { ends.withLock { $0 += 1 } }
    }

    private func instant(_ nanoseconds: UInt64) -> MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

    private func record(_ listener: Listener? = nil) throws -> ExchangeRecord {
        let target = try TargetURI("http://h/")
        return ExchangeRecord(method: .get, target: target, cause: .first, begin: instant(1), listener: listener)
    }

    @Test func canBeClosedOnlyOnce() throws {
        let listener = Listener()
        let record = try record(listener)
        record.close(at: instant(5)) { $0.responseBodyBytes = 3 }
        record.close(at: instant(9), error: ApusError(.cancelled, "x")) { $0.responseBodyBytes = 4 }
        #expect(record.metrics.end == instant(5))
        #expect(record.metrics.error == nil)
        #expect(record.metrics.responseBodyBytes == 3)
        #expect(listener.ends.withLock { $0 } == 1)
    }

    @Test func ignoresChangesAfterItIsClosed() throws {
        let record = try record()
        record.write { $0.isReused = true }
        record.close(at: instant(5))
        record.write { $0.isReused = false }
        record.noteInformational(HTTPResponse(status: .init(code: 103)))
        #expect(record.metrics.isReused)
        #expect(record.metrics.informational.isEmpty)
    }

    @Test func reportsSentBytesUntilItIsClosed() throws {
        let listener = Listener()
        let record = try record(listener)
        record.noteSent(1)
        record.noteSent(3)
        record.close(at: instant(5))
        record.noteSent(4)
        #expect(listener.sent.withLock { $0 } == [1, 3])
    }

    @Test(arguments: [nil, 0, 5] as [Int64?]) func countsSentBytes(length: Int64?) throws {
        let record = ExchangeRecord(
            method: .put,
            target: try TargetURI("http://h/"),
            cause: .first,
            begin: instant(1),
            contentLength: length
        )
        #expect(record.hasContent == (length != 0))
        #expect(record.uploaded.0 == 0 && record.uploaded.1 == length)
        record.noteSent(3)
        #expect(record.metrics.requestBodyBytes == 3)
        #expect(record.uploaded.0 == 3 && record.uploaded.1 == length)
        record.write { $0.requestEnd = instant(2) }
        #expect(record.uploaded.1 == length ?? 3)
        record.close(at: instant(5))
        record.noteSent(4)
        #expect(record.uploaded.0 == 3)
    }

    @Test func countsTheReceivedBytesOfADecodedBody() throws {
        let record = try record()
        #expect(!record.isDecoded)
        #expect(record.received(3, of: 5).completed == 3 && record.received(3, of: 5).total == 5)
        // A body may be decoded after the end of the exchange.
        record.close(at: instant(5))
        record.noteDecoding(of: 9)
        #expect(record.isDecoded)
        record.noteDecoded(4)
        #expect(record.received(3, of: 5).completed == 4 && record.received(3, of: 5).total == 9)
        record.noteDecoded(9)
        #expect(record.received(3, of: nil).completed == 9 && record.received(3, of: nil).total == 9)
    }

    /// Middleware may replace a body that it has not read.
    @Test func countsTheBytesThatWereReadIfNoneWereDecoded() throws {
        let record = try record()
        record.noteDecoding(of: 9)
        #expect(record.received(3, of: 5).completed == 3 && record.received(3, of: 5).total == 5)
        record.noteDecoding(of: nil)
        record.noteDecoded(4)
        #expect(record.received(3, of: 5).completed == 4 && record.received(3, of: 5).total == nil)
    }

    @Test func recordsInformationalResponses() throws {
        let listener = Listener()
        let record = try record(listener)
        record.noteInformational(HTTPResponse(status: .init(code: 103)))
        record.noteInformational(HTTPResponse(status: .init(code: 102)))
        #expect(record.metrics.informational.map(\.status.code) == [103, 102])
        #expect(listener.informationals.withLock { $0 } == 2)
    }

    @Test func measuresItsPhases() throws {
        let record = try record()
        #expect(record.metrics.timeToFirstByte == nil)
        #expect(record.metrics.duration(now: instant(11)) == .nanoseconds(10))
        record.write {
            $0.requestBegin = instant(2)
            $0.responseBegin = instant(5)
        }
        #expect(record.metrics.timeToFirstByte == .nanoseconds(3))
        record.close(at: instant(7))
        #expect(record.metrics.duration() == .nanoseconds(6))
    }

    @Test func sumsUpTheExchangesOfARequest() throws {
        let target = try TargetURI("http://h/")
        let first = ExchangeRecord(method: .get, target: target, cause: .first, begin: instant(1))
        let second = ExchangeRecord(method: .get, target: target, cause: .redirect, begin: instant(5))
        first.close(at: instant(4))
        second.close(at: instant(9))
        let metrics = RequestMetrics(first: first, others: [second])
        #expect(metrics.exchanges.map(\.cause) == [.first, .redirect])
        #expect(metrics.redirectCount == 1)
        #expect(metrics.duration == .nanoseconds(8))
        #expect(RequestMetrics(first: nil).duration == .zero)
    }

    @Test func lastsUntilTheLastExchangeEnds() throws {
        let target = try TargetURI("http://h/")
        let first = ExchangeRecord(method: .get, target: target, cause: .first, begin: instant(1))
        let hedge = ExchangeRecord(method: .get, target: target, cause: .hedge, begin: instant(5))
        hedge.close(at: instant(6))
        first.close(at: instant(9))
        #expect(RequestMetrics(first: first, others: [hedge]).duration == .nanoseconds(8))
    }

    @Test func usesTheClockOfItsSession() throws {
        let clock = ManualClock()
        let record = ExchangeRecord(method: .get, target: try TargetURI("http://h/"), cause: .first, begin: clock.now)
        let metrics = RequestMetrics(first: record, clock: AnySessionClock(clock))
        clock.advance(by: .seconds(3))
        #expect(metrics.duration == .seconds(3))
        record.close(at: clock.now)
        clock.advance(by: .seconds(3))
        #expect(metrics.duration == .seconds(3))
    }

    @Test func usesTheClockOfTheSessionForARequest() throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.time = clock
        let context = RequestContext(environment: SessionEnvironment(configuration: configuration))
        let record = context.openRecord(for: try RequestMessage("http://h/"), cause: .first)
        clock.advance(by: .seconds(5))
        #expect(context.metrics.duration == .seconds(5))
        record.close(at: clock.now)
    }
}
