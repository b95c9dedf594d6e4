internal import Apus
internal import Testing

@testable internal import ApusResilience

@Suite struct CircuitBreakerStateMachineTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private static func after(_ duration: Duration) -> MonotonicInstant { start.advanced(by: duration) }

    private static func machine(trials: Int = 1, share: Double = 0.5) -> CircuitBreakerStateMachine {
        CircuitBreakerStateMachine(
            CircuitBreakerStateMachine.Rules(
                failureShare: share,
                minimumRequests: 4,
                window: .seconds(10),
                openDuration: .seconds(30),
                trials: trials
            )
        )
    }

    /// Returns a machine that is open until 30 s after the start.
    private static func open(trials: Int = 1) throws -> CircuitBreakerStateMachine {
        var machine = machine(trials: trials)
        for _ in 0..<4 { try run(&machine, .failure("x"), at: start) }
        try #require(machine.state == .open(until: after(.seconds(30))))
        return machine
    }

    private static func ticket(
        _ machine: inout CircuitBreakerStateMachine,
        at now: MonotonicInstant
    ) throws -> CircuitBreakerStateMachine.Ticket {
        guard case .admitted(let ticket) = machine.admit(at: now) else { throw NotAdmitted() }
        return ticket
    }

    private static func run(
        _ machine: inout CircuitBreakerStateMachine,
        _ outcome: CircuitBreakerStateMachine.Outcome,
        at now: MonotonicInstant
    ) throws {
        let ticket = try ticket(&machine, at: now)
        machine.note(outcome, ticket, at: now)
    }

    private struct NotAdmitted: Error {}

    @Test func opensWhenTheShareIsReached() throws {
        var machine = Self.machine()
        try Self.run(&machine, .success, at: Self.start)
        try Self.run(&machine, .success, at: Self.start)
        try Self.run(&machine, .failure("status 503"), at: Self.start)
        #expect(machine.state == .closed)
        try Self.run(&machine, .failure("connectFailed"), at: Self.after(.seconds(9)))
        #expect(machine.state == .open(until: Self.after(.seconds(39))))
        #expect(machine.reason == "2 of 4 exchanges within 10 s failed, the last with connectFailed")
    }

    @Test func needsTheMinimumNumberOfRequests() throws {
        var machine = Self.machine()
        for _ in 0..<3 { try Self.run(&machine, .failure("x"), at: Self.start) }
        #expect(machine.state == .closed)
    }

    @Test func ignoresFailuresOutsideTheWindow() throws {
        var machine = Self.machine()
        for _ in 0..<3 { try Self.run(&machine, .failure("x"), at: Self.start) }
        try Self.run(&machine, .failure("x"), at: Self.after(.seconds(10)))
        #expect(machine.state == .closed)
    }

    @Test func doesNotCountNeutralOutcomes() throws {
        var machine = Self.machine()
        for _ in 0..<3 { try Self.run(&machine, .failure("x"), at: Self.start) }
        for _ in 0..<9 { try Self.run(&machine, .neither, at: Self.start) }
        #expect(machine.state == .closed)
        try Self.run(&machine, .failure("x"), at: Self.start)
        #expect(machine.state != .closed)
    }

    @Test func neverOpensOnSuccesses() throws {
        var machine = Self.machine(share: 0)
        for _ in 0..<9 { try Self.run(&machine, .success, at: Self.start) }
        #expect(machine.state == .closed)
    }

    @Test func rejectsRequestsWhileOpen() throws {
        var machine = try Self.open()
        let end = Self.after(.seconds(30))
        #expect(machine.admit(at: Self.start) == .refused(until: end))
        #expect(machine.admit(at: Self.after(.seconds(30) - .nanoseconds(1))) == .refused(until: end))
        _ = try Self.ticket(&machine, at: end)
        #expect(machine.state == .halfOpen)
    }

    @Test func admitsOnlyOneTrial() throws {
        var machine = try Self.open()
        let now = Self.after(.seconds(30))
        let trial = try Self.ticket(&machine, at: now)
        #expect(machine.admit(at: now) == .refused(until: nil))
        machine.note(.success, trial, at: now)
        #expect(machine.state == .closed)
    }

    @Test func reopensAfterAFailedTrial() throws {
        var machine = try Self.open()
        try Self.run(&machine, .failure("readTimeout"), at: Self.after(.seconds(40)))
        #expect(machine.state == .open(until: Self.after(.seconds(70))))
        #expect(machine.reason == "a trial failed with readTimeout")
    }

    @Test func admitsAnotherTrialAfterANeutralOne() throws {
        var machine = try Self.open()
        let now = Self.after(.seconds(30))
        try Self.run(&machine, .neither, at: now)
        #expect(machine.state == .halfOpen)
        try Self.run(&machine, .success, at: now)
        #expect(machine.state == .closed)
    }

    @Test func closesAfterTheRequiredNumberOfTrials() throws {
        var machine = try Self.open(trials: 3)
        let now = Self.after(.seconds(30))
        let trials = try (0..<3).map { _ in try Self.ticket(&machine, at: now) }
        #expect(machine.admit(at: now) == .refused(until: nil))
        machine.note(.success, trials[0], at: now)
        machine.note(.success, trials[1], at: now)
        #expect(machine.state == .halfOpen)
        #expect(machine.admit(at: now) == .refused(until: nil))
        machine.note(.success, trials[2], at: now)
        #expect(machine.state == .closed)
    }

    @Test func reopensAfterOneFailedTrialOfSeveral() throws {
        var machine = try Self.open(trials: 3)
        let now = Self.after(.seconds(30))
        let trials = try (0..<3).map { _ in try Self.ticket(&machine, at: now) }
        machine.note(.success, trials[0], at: now)
        machine.note(.failure("x"), trials[1], at: now)
        #expect(machine.state == .open(until: Self.after(.seconds(60))))
        machine.note(.success, trials[2], at: now)
        #expect(machine.state == .open(until: Self.after(.seconds(60))))
    }

    @Test func ignoresOutcomesOfAnEarlierRound() throws {
        var machine = Self.machine()
        let early = try Self.ticket(&machine, at: Self.start)
        for _ in 0..<4 { try Self.run(&machine, .failure("x"), at: Self.start) }
        let now = Self.after(.seconds(30))
        let trial = try Self.ticket(&machine, at: now)
        machine.note(.success, early, at: now)
        #expect(machine.state == .halfOpen)
        machine.note(.failure("x"), early, at: now)
        #expect(machine.state == .halfOpen)
        machine.note(.success, trial, at: now)
        machine.note(.failure("x"), trial, at: now)
        #expect(machine.state == .closed)
    }

    @Test func startsWithAnEmptyWindowAfterClosing() throws {
        var machine = try Self.open()
        let now = Self.after(.seconds(30))
        try Self.run(&machine, .success, at: now)
        for _ in 0..<3 { try Self.run(&machine, .failure("x"), at: now) }
        #expect(machine.state == .closed)
        try Self.run(&machine, .failure("x"), at: now)
        #expect(machine.state != .closed)
    }
}
