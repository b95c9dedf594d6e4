internal import Testing

@testable internal import ApusEngine

@Suite struct HTTP1ConnectionStateMachineTests {
    /// Returns a connection whose exchange has completed, before the end of the read.
    private func settling(
        requestsClose: Bool = false,
        requestDone: Bool = true,
        keepsAlive: Bool = true
    ) -> HTTP1ConnectionStateMachine {
        var machine = HTTP1ConnectionStateMachine()
        machine.begin(keepsAlive: !requestsClose)
        if requestDone { machine.requestEnded() }
        machine.responseEnded(keepsAlive: keepsAlive)
        return machine
    }

    @Test func beginsIdle() {
        var machine = HTTP1ConnectionStateMachine()
        #expect(machine.isIdle && !machine.isActive && !machine.isClosed)
        #expect(machine.isRequestDone)
        #expect(machine.readEnded(hasLeftover: false) == .nothing)
        machine.begin(keepsAlive: true)
        #expect(machine.isActive && !machine.isIdle)
        #expect(!machine.isRequestDone)
    }

    @Test func becomesIdleOnlyAtTheEndOfTheRead() {
        var machine = settling()
        #expect(!machine.isActive && !machine.isIdle)
        #expect(machine.readEnded(hasLeftover: false) == .release)
        #expect(machine.isIdle)
        machine.begin(keepsAlive: true)
        #expect(machine.isActive)
    }

    static let settlings: [(requestsClose: Bool, requestDone: Bool, keepsAlive: Bool, leftover: Bool)] = (0..<16).map {
        ($0 & 1 != 0, $0 & 2 != 0, $0 & 4 != 0, $0 & 8 != 0)
    }

    @Test(arguments: settlings)
    func isReusedOnlyIfAllConditionsHold(
        requestsClose: Bool,
        requestDone: Bool,
        keepsAlive: Bool,
        leftover: Bool
    ) {
        var machine = settling(requestsClose: requestsClose, requestDone: requestDone, keepsAlive: keepsAlive)
        let isFree = !requestsClose && requestDone && keepsAlive && !leftover
        #expect(machine.readEnded(hasLeftover: leftover) == (isFree ? .release : .close))
        #expect(machine.isIdle == isFree)
        #expect(machine.isClosed != isFree)
    }

    @Test func staysActiveUntilTheResponseEnds() {
        var machine = HTTP1ConnectionStateMachine()
        machine.begin(keepsAlive: true)
        #expect(machine.readEnded(hasLeftover: false) == .nothing)
        #expect(machine.readEnded(hasLeftover: true) == .nothing)
        machine.requestEnded()
        #expect(machine.readEnded(hasLeftover: false) == .nothing)
        #expect(machine.isActive)
    }

    @Test func closesOnUnexpectedBytes() {
        var machine = HTTP1ConnectionStateMachine()
        #expect(machine.readEnded(hasLeftover: true) == .close)
        #expect(machine.isClosed)
        #expect(machine.readEnded(hasLeftover: true) == .nothing)
    }

    @Test func becomesIdleAfterAnUnwritableRequest() {
        var machine = HTTP1ConnectionStateMachine()
        machine.begin(keepsAlive: false)
        machine.abandon()
        #expect(machine.isIdle && machine.isRequestDone)
        machine.begin(keepsAlive: true)
        machine.requestEnded()
        machine.responseEnded(keepsAlive: true)
        #expect(machine.readEnded(hasLeftover: false) == .release)
    }

    @Test func reportsWhetherAnExchangeWasActiveAtClose() {
        var idle = HTTP1ConnectionStateMachine()
        #expect(idle.closed() == false)
        #expect(idle.isClosed)
        #expect(idle.closed() == false)
        var active = HTTP1ConnectionStateMachine()
        active.begin(keepsAlive: true)
        #expect(active.closed() == true)
        #expect(active.closed() == false)
        var settling = settling()
        #expect(settling.closed() == false)
    }

    @Test func staysClosed() {
        var machine = HTTP1ConnectionStateMachine()
        machine.begin(keepsAlive: true)
        _ = machine.closed()
        machine.requestEnded()
        machine.responseEnded(keepsAlive: true)
        #expect(machine.isClosed)
        #expect(machine.readEnded(hasLeftover: false) == .nothing)
    }

    @Test func ignoresASecondEndOfTheResponse() {
        var machine = settling(keepsAlive: false)
        machine.responseEnded(keepsAlive: true)
        #expect(machine.readEnded(hasLeftover: false) == .close)
    }
}
