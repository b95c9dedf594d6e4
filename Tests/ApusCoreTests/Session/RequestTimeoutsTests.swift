internal import Testing

@testable internal import ApusCore

@Suite struct RequestTimeoutsTests {
    private static let session = {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(1)
        timeouts.tls = .seconds(2)
        timeouts.idleRead = .seconds(3)
        timeouts.idleWrite = .seconds(4)
        timeouts.request = .seconds(5)
        timeouts.poolWait = .seconds(6)
        timeouts.expectContinue = .seconds(7)
        timeouts.errorBody = .seconds(8)
        return timeouts
    }()

    @Test func leavesTheTimeoutsThatItDoesNotSet() {
        #expect(RequestTimeouts().applied(to: Self.session) == Self.session)
    }

    @Test func replacesEachTimeoutAlone() {
        let rows: [(RequestTimeouts, (inout Timeouts) -> Void)] = [
            (RequestTimeouts(idleRead: .seconds(9)), { $0.idleRead = .seconds(9) }),
            (RequestTimeouts(idleWrite: .milliseconds(90)), { $0.idleWrite = .milliseconds(90) }),
            (RequestTimeouts(poolWait: .seconds(0.5)), { $0.poolWait = .milliseconds(500) }),
            (RequestTimeouts(expectContinue: .zero), { $0.expectContinue = .zero }),
            (RequestTimeouts(errorBody: .after(.microseconds(9))), { $0.errorBody = .microseconds(9) }),
        ]
        for (own, change) in rows {
            var expected = Self.session
            change(&expected)
            #expect(own.applied(to: Self.session) == expected)
        }
    }

    @Test func removesLimits() {
        let own = RequestTimeouts(
            idleRead: .unlimited,
            idleWrite: .unlimited,
            poolWait: .unlimited,
            errorBody: .unlimited
        )
        let timeouts = own.applied(to: Self.session)
        #expect(timeouts.idleRead == nil && timeouts.idleWrite == nil)
        #expect(timeouts.poolWait == nil && timeouts.errorBody == nil)
        #expect(timeouts.request == .seconds(5))
    }
}
