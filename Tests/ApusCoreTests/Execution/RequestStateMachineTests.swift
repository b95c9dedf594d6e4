internal import Testing

@testable internal import ApusCore

@Suite struct RequestStateMachineTests {
    private typealias Machine = RequestStateMachine<String, String, Int>

    // MARK: States

    private func queued() -> Machine {
        var machine = Machine()
        _ = machine.resume()
        return machine
    }

    private func running() -> Machine {
        var machine = queued()
        _ = machine.beginWork()
        return machine
    }

    private func waitingAtGates(_ gates: [Int]) -> Machine {
        var machine = running()
        _ = machine.suspend()
        for gate in gates { _ = machine.wait(at: gate) }
        return machine
    }

    private func serializing(_ serializers: [String] = []) -> Machine {
        var machine = running()
        for serializer in serializers { _ = machine.append(serializer) }
        _ = machine.endWork()
        return machine
    }

    private func finished() -> Machine {
        var machine = serializing()
        _ = machine.nextStep(after: nil)
        return machine
    }

    private func cancelled() -> Machine {
        var machine = Machine()
        _ = machine.cancel(.user)
        _ = machine.nextStep(after: nil)
        return machine
    }

    // MARK: Resume and suspend

    @Test func beginsIdle() {
        let machine = Machine()
        #expect(machine.life == .initialized && machine.work == .idle)
        #expect(machine.reason == nil)
    }

    @Test func startsWhenItIsFirstResumed() {
        var machine = Machine()
        #expect("\(machine.resume())" == "start")
        #expect(machine.life == .resumed && machine.work == .queued)
    }

    @Test func ignoresRepeatedStateChanges() {
        var resumed = running()
        #expect("\(resumed.resume())" == "ignore")
        #expect(resumed.suspend() == true)
        #expect(resumed.suspend() == false)
        #expect(resumed.life == .suspended)
    }

    @Test func startsOnResumeAfterAnEarlySuspend() {
        var machine = Machine()
        #expect(machine.suspend() == true)
        #expect(machine.life == .suspended && machine.work == .idle)
        #expect("\(machine.resume())" == "start")
        #expect("\(machine.resume())" == "ignore")
    }

    @Test func staysQueuedWhileSuspended() {
        var machine = queued()
        #expect(machine.suspend() == true)
        #expect(machine.beginWork() == true)
        #expect(machine.work == .running)
        #expect("\(machine.resume())" == "open([])")
    }

    @Test func waitsAtItsGatesAndOpensThemAll() {
        var machine = running()
        #expect(machine.wait(at: 1) == false)
        #expect(machine.suspend() == true)
        #expect(machine.isSuspended)
        #expect(machine.wait(at: 2) == true)
        #expect(machine.wait(at: 3) == true)
        #expect("\(machine.resume())" == "open([2, 3])")
        #expect(machine.suspend() == true)
        #expect("\(machine.resume())" == "open([])")
    }

    @Test func canBeSuspendedWhileItIsSerialized() {
        var machine = serializing(["a"])
        #expect(machine.suspend() == true)
        #expect("\(machine.nextStep(after: nil))" == "run(\"a\")")
        #expect(machine.nextStep(after: "A").fired == ["A"])
        #expect(machine.life == .finished)
        #expect(machine.isSuspended == false)
    }

    /// Parity: AF-life-states
    @Test func ignoresAllChangesOnceEnded() {
        for ended in [finished(), cancelled()] {
            var machine = ended
            let life = machine.life
            #expect("\(machine.resume())" == "ignore")
            #expect(machine.suspend() == false)
            #expect("\(machine.cancel(.user))" == "ignore")
            #expect(machine.life == life && machine.work == .ended)
        }
    }

    // MARK: Cancellation

    @Test func endsAtOnceWhenNothingIsRunning() {
        var machine = Machine()
        #expect("\(machine.cancel(.user))" == "finish")
        #expect(machine.life == .cancelled && machine.work == .serializing)
        #expect(machine.reason == .user)
        var suspended = Machine()
        _ = suspended.suspend()
        #expect("\(suspended.cancel(.task))" == "finish")
        #expect(suspended.reason == .task)
    }

    @Test func leavesTheQueueWhenItIsCancelled() {
        var machine = queued()
        #expect("\(machine.cancel(.user))" == "withdraw")
        #expect(machine.work == .queued)
        machine.leaveQueue()
        #expect(machine.work == .serializing)
        #expect(machine.nextStep(after: nil).fired == [])
        #expect(machine.life == .cancelled)
    }

    @Test func doesNotBeginWorkWhenCancelledBeforeAdmission() {
        var machine = queued()
        _ = machine.cancel(.user)
        #expect(machine.beginWork() == false)
    }

    @Test func stopsItsWorkAndOpensItsGates() {
        var machine = running()
        #expect("\(machine.cancel(.deadline(.seconds(1))))" == "stop([])")
        #expect(machine.life == .cancelled && machine.work == .running)
        #expect(machine.reason == .deadline(.seconds(1)))
        var held = waitingAtGates([1, 2])
        #expect("\(held.cancel(.user))" == "stop([1, 2])")
        #expect(held.wait(at: 3) == false)
        #expect("\(held.resume())" == "ignore")
    }

    @Test func keepsAResultKnownBeforeACancellation() {
        var machine = serializing(["a"])
        #expect("\(machine.cancel(.user))" == "note")
        #expect(machine.life == .cancelled)
        #expect(machine.reason == nil)
        #expect("\(machine.nextStep(after: nil))" == "run(\"a\")")
        #expect(machine.nextStep(after: "A").fired == ["A"])
        #expect(machine.life == .cancelled)
    }

    @Test func keepsSerializedValuesWhenCancelledBetweenSerializers() {
        var machine = serializing(["a", "b"])
        _ = machine.nextStep(after: nil)
        #expect("\(machine.nextStep(after: "A"))" == "run(\"b\")")
        #expect("\(machine.cancel(.user))" == "note")
        #expect(machine.nextStep(after: "B").fired == ["A", "B"])
        var held = serializing(["a", "b"])
        _ = held.nextStep(after: nil, holding: true)
        _ = held.nextStep(after: "A", holding: true)
        #expect("\(held.cancel(.user))" == "note")
        #expect("\(held.nextStep(after: "B", holding: true))" == "hold(isCancelled: true)")
        #expect(held.nextStep(after: nil).fired == ["A", "B"])
    }

    @Test func keepsTheFirstReason() {
        var machine = running()
        _ = machine.cancel(.deadline(.seconds(1)))
        #expect("\(machine.cancel(.user))" == "ignore")
        #expect(machine.reason == .deadline(.seconds(1)))
    }

    // MARK: Serializers

    @Test func runsSerializersInTurnAndFiresAllCompletionsTogether() {
        var machine = serializing(["a", "b"])
        #expect("\(machine.nextStep(after: nil))" == "run(\"a\")")
        #expect("\(machine.append("c"))" == "wait")
        #expect("\(machine.nextStep(after: "A"))" == "run(\"b\")")
        #expect("\(machine.nextStep(after: "B"))" == "run(\"c\")")
        #expect(machine.nextStep(after: "C").fired == ["A", "B", "C"])
        #expect(machine.life == .finished && machine.work == .ended)
    }

    @Test func keepsSerializersUntilTheWorkIsOver() {
        var machine = Machine()
        #expect("\(machine.append("a"))" == "wait")
        _ = machine.resume()
        #expect("\(machine.append("b"))" == "wait")
        _ = machine.beginWork()
        #expect("\(machine.append("c"))" == "wait")
        _ = machine.endWork()
        #expect("\(machine.nextStep(after: nil))" == "run(\"a\")")
    }

    /// Parity: AF-life-late
    @Test func runsALateSerializerAloneAndIsFinishedAgain() {
        var machine = serializing(["a"])
        _ = machine.nextStep(after: nil)
        _ = machine.nextStep(after: "A")
        #expect("\(machine.append("b"))" == "run")
        #expect(machine.life == .resumed && machine.work == .serializing)
        #expect("\(machine.append("c"))" == "wait")
        #expect("\(machine.nextStep(after: nil))" == "run(\"b\")")
        #expect("\(machine.nextStep(after: "B"))" == "run(\"c\")")
        #expect(machine.nextStep(after: "C").fired == ["B", "C"])
        #expect(machine.life == .finished && machine.work == .ended)
    }

    /// Parity: AF-life-late-cancelled
    @Test func runsALateSerializerOfACancelledRequestToo() {
        var machine = cancelled()
        #expect("\(machine.append("a"))" == "run")
        #expect(machine.life == .cancelled)
        #expect("\(machine.nextStep(after: nil))" == "run(\"a\")")
        #expect(machine.nextStep(after: "A").fired == ["A"])
        #expect(machine.life == .cancelled && machine.work == .ended)
    }

    @Test func canBeCancelledWhileALateSerializerRuns() {
        var machine = finished()
        _ = machine.append("a")
        #expect("\(machine.cancel(.user))" == "note")
        #expect("\(machine.nextStep(after: nil))" == "run(\"a\")")
        #expect(machine.nextStep(after: "A").fired == ["A"])
        #expect(machine.life == .cancelled)
    }

    @Test func namesEachReason() {
        let errors: [(CancelReason, ApusError.Code)] = [
            (.user, .cancelled), (.task, .cancelled), (.deadline(.seconds(3)), .deadlineExceeded),
            (.sessionShutDown, .sessionShutDown), (.sessionGone, .sessionGone),
        ]
        for (reason, code) in errors { #expect(reason.error.code == code) }
        #expect(CancelReason.deadline(.seconds(3)).error.detail.contains("3 s"))
    }

    // MARK: Retriers

    @Test func holdsSerializedValuesBackForRetriers() {
        var machine = serializing(["a", "b"])
        #expect("\(machine.nextStep(after: nil, holding: true))" == "run(\"a\")")
        #expect("\(machine.nextStep(after: "A", holding: true))" == "run(\"b\")")
        #expect("\(machine.nextStep(after: "B", holding: true))" == "hold(isCancelled: false)")
        #expect(machine.work == .running && machine.life == .resumed)
        _ = machine.endWork()
        #expect(machine.nextStep(after: nil).fired == ["A", "B"])
        #expect(machine.life == .finished)
    }

    @Test func runsSerializersAgainAfterARetry() {
        var machine = serializing(["a"])
        _ = machine.nextStep(after: nil, holding: true)
        _ = machine.nextStep(after: "A", holding: true)
        #expect(Array(machine.reset()) == ["A"])
        _ = machine.endWork()
        #expect("\(machine.nextStep(after: nil))" == "run(\"a\")")
        #expect(machine.nextStep(after: "A2").fired == ["A2"])
    }

    @Test func stopsAtOnceWhileRetriersDecide() {
        var machine = serializing(["a"])
        _ = machine.nextStep(after: nil, holding: true)
        _ = machine.nextStep(after: "A", holding: true)
        #expect("\(machine.cancel(.user))" == "stop([])")
        #expect(machine.reason == .user)
    }

    @Test func keepsAResultWhenCancelledDuringSerialization() {
        var machine = serializing(["a"])
        _ = machine.nextStep(after: nil, holding: true)
        #expect("\(machine.cancel(.user))" == "note")
        #expect("\(machine.nextStep(after: "A", holding: true))" == "hold(isCancelled: true)")
        #expect(machine.reason == nil && machine.work == .serializing)
        #expect(machine.nextStep(after: nil).fired == ["A"])
    }

    @Test func acceptsSerializersWhileRetriersDecide() {
        var machine = serializing(["a"])
        _ = machine.nextStep(after: nil, holding: true)
        _ = machine.nextStep(after: "A", holding: true)
        #expect("\(machine.append("b"))" == "wait")
        _ = machine.endWork()
        #expect("\(machine.nextStep(after: nil))" == "run(\"b\")")
        #expect(machine.nextStep(after: "B").fired == ["A", "B"])
    }
}

extension RequestStateMachine.SerializeAction {
    /// The completions to call, or `nil` while serializers remain.
    fileprivate var fired: [Completion]? {
        if case .fire(let completions, _) = self { Array(completions) } else { nil }
    }
}
