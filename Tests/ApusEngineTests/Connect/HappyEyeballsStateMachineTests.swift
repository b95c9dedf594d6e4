internal import Testing

@testable internal import ApusEngine

@Suite struct HappyEyeballsStateMachineTests {
    static let orders: [([String], [String])] = [
        ([], []),
        (["4a"], ["4a"]),
        (["6a", "6b", "4a", "4b"], ["6a", "4a", "6b", "4b"]),
        (["4a", "4b", "6a", "6b"], ["4a", "6a", "4b", "6b"]),
        (["6a", "6b", "6c", "4a"], ["6a", "4a", "6b", "6c"]),
        (["6a", "4a", "4b", "4c"], ["6a", "4a", "4b", "4c"]),
        (["4a", "4b"], ["4a", "4b"]),
        (["6a", "4a", "6b", "4b"], ["6a", "4a", "6b", "4b"]),
    ]

    @Test(arguments: orders)
    func alternatesAddressFamilies(addresses: [String], order: [String]) {
        #expect(HappyEyeballsStateMachine.interleaved(addresses) { $0.hasPrefix("6") } == order)
    }

    @Test func triesTheNextAddressWhenTheLastIsSilent() {
        var machine = HappyEyeballsStateMachine(count: 3)
        #expect(machine.proceed() == .attempt(0))
        #expect(machine.hasMore)
        #expect(machine.proceed() == .attempt(1))
        #expect(machine.proceed() == .attempt(2))
        #expect(!machine.hasMore)
        #expect(machine.proceed() == .wait)
    }

    @Test func triesTheNextAddressAtOnceWhenTheLastFails() {
        var machine = HappyEyeballsStateMachine(count: 2)
        _ = machine.proceed()
        #expect(machine.failed(0) == .attempt(1))
        #expect(machine.failed(1) == .fail)
        #expect(machine.proceed() == .wait)
    }

    @Test func waitsForPendingAttemptsBeforeFailing() {
        var machine = HappyEyeballsStateMachine(count: 3)
        for _ in 0..<3 { _ = machine.proceed() }
        #expect(machine.failed(1) == .wait)
        #expect(machine.failed(0) == .wait)
        #expect(machine.failed(2) == .fail)
    }

    @Test func keepsTheFirstConnectionAndCancelsTheOthers() {
        var machine = HappyEyeballsStateMachine(count: 4)
        for _ in 0..<3 { _ = machine.proceed() }
        #expect(machine.failed(0) == .attempt(3))
        #expect(machine.succeeded(1) == [2, 3])
        #expect(machine.succeeded(2) == nil)
        #expect(machine.failed(3) == .wait)
        #expect(!machine.hasMore)
        #expect(machine.proceed() == .wait)
    }

    @Test func triesNoAddressAfterCancellation() {
        var machine = HappyEyeballsStateMachine(count: 3)
        for _ in 0..<2 { _ = machine.proceed() }
        #expect(machine.cancel() == [0, 1])
        #expect(!machine.hasMore)
        #expect(machine.proceed() == .wait)
        #expect(machine.failed(0) == .wait)
        #expect(machine.succeeded(1) == nil)
    }

    @Test func failsAtOnceWithoutAnAddress() {
        var machine = HappyEyeballsStateMachine(count: 0)
        #expect(machine.proceed() == .fail)
    }
}
