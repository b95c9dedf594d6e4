internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite struct ExchangeClockTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)
    private let sending = ExchangeClock.Situation(isRequestDone: false, hasResponse: false)
    private let sent = ExchangeClock.Situation(isRequestDone: true, hasResponse: false)
    private let receiving = ExchangeClock.Situation(isRequestDone: false, hasResponse: true)

    private func clock() -> ExchangeClock {
        ExchangeClock(start: start, idleRead: .seconds(40), idleWrite: .seconds(60))
    }

    private func after(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    private func status(_ bytes: UInt64, _ hasUnacknowledged: Bool = true) -> SocketStatus {
        SocketStatus(acknowledgedBytes: bytes, hasUnacknowledged: hasUnacknowledged)
    }

    @Test func appliesTheReadLimitToASentRequest() {
        let clock = clock()
        #expect(clock.due(sent)?.instant == after(40))
        #expect(clock.due(sent)?.expiry == .nothingArrived)
        #expect(clock.nextLook(sent) == nil)
    }

    @Test func namesTheLimitToRaise() {
        let hints: [(ExchangeClock.Expiry, String)] = [
            (.nothingArrived, "timeouts.idleRead"), (.peerTookNothing, "timeouts.idleWrite"),
            (.sourceGaveNothing, "timeouts.idleWrite"),
        ]
        for (expiry, limit) in hints {
            let error = expiry.error(after: .seconds(60))
            #expect(error.detail.hasSuffix("60 s"))
            #expect(error.hint?.hasPrefix("raise \(limit) ") == true)
        }
    }

    @Test func countsAnyAcknowledgedBytesAsProgress() {
        var clock = clock()
        clock.watchSending(status(0), at: start)
        for second in stride(from: 10, through: 600, by: 10) {
            clock.look(status(UInt64(second)), at: after(second))
            #expect(clock.due(sending)?.instant == after(second + 60))
        }
        #expect(clock.due(sending)?.expiry == .peerTookNothing)
    }

    @Test func detectsAStalledPeerDespiteAnActiveSource() {
        var clock = clock()
        clock.watchSending(status(100), at: start)
        for second in stride(from: 10, through: 50, by: 10) {
            clock.noteQueued(at: after(second))
            clock.look(status(100), at: after(second))
        }
        #expect(clock.due(sending)?.instant == after(60))
        #expect(clock.due(sending)?.expiry == .peerTookNothing)
    }

    @Test func measuresASilentSourceFromItsLastPiece() {
        var clock = clock()
        clock.watchSending(status(0), at: start)
        clock.look(status(10, false), at: after(10))
        clock.noteQueued(at: after(30))
        clock.look(status(20, false), at: after(40))
        #expect(clock.due(sending)?.instant == after(100))
        #expect(clock.due(sending)?.expiry == .sourceGaveNothing)
    }

    @Test func startsTheFullLimitForAPieceAfterAPause() {
        var clock = clock()
        clock.watchSending(status(0), at: start)
        clock.look(status(10, false), at: after(10))
        clock.noteQueued(at: after(65))
        clock.look(status(10), at: after(66))
        #expect(clock.due(sending)?.instant == after(125))
        #expect(clock.due(sending)?.expiry == .peerTookNothing)
    }

    @Test func startsTheReadLimitAtTheLastAcknowledgement() {
        var clock = clock()
        clock.watchSending(status(0), at: start)
        clock.look(status(10), at: after(20))
        #expect(clock.due(sent)?.expiry == .peerTookNothing)
        clock.look(status(10, false), at: after(70))
        #expect(clock.due(sent)?.instant == after(110))
        #expect(clock.due(sent)?.expiry == .nothingArrived)
        #expect(clock.nextLook(sent) == nil)
    }

    @Test func countsAStreamedResponseAsProgress() {
        var clock = clock()
        clock.watchSending(status(5), at: start)
        clock.noteStalled()
        for second in stride(from: 30, through: 300, by: 30) {
            clock.look(status(5), at: after(second))
            clock.noteProgress(at: after(second))
        }
        #expect(clock.due(receiving)?.instant == after(340))
        #expect(clock.due(receiving)?.expiry == .nothingArrived)
    }

    @Test func checksAtAQuarterOfTheShorterLimit() {
        var clock = clock()
        clock.watchSending(status(0), at: start)
        #expect(clock.nextLook(sending) == after(10))
        clock.look(status(0), at: after(10))
        #expect(clock.nextLook(sending) == after(20))
    }

    @Test func countsWritesAsProgressWithoutASocketStatus() {
        var clock = clock()
        clock.watchSending(nil, at: start)
        clock.noteQueued(at: after(5))
        clock.noteStalled()
        #expect(clock.due(sending)?.instant == after(65))
        #expect(clock.nextLook(sending) == nil)
        clock.noteStalled()
        #expect(clock.due(sending)?.expiry == .peerTookNothing)
        clock.noteWritable(at: after(50))
        #expect(clock.due(sending)?.instant == after(110))
        #expect(clock.due(sending)?.expiry == .sourceGaveNothing)
        clock.noteQueued(at: after(70))
        #expect(clock.due(sending)?.instant == after(130))
    }

    @Test func isNeverDueWithoutLimits() {
        var clock = ExchangeClock(start: start)
        clock.watchSending(status(0), at: start)
        #expect(clock.due(sending) == nil)
        #expect(clock.due(sent) == nil)
        #expect(clock.nextLook(sending) == nil)
    }
}
