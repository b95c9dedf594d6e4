internal import Testing

@testable internal import ApusCore

@Suite struct StreamStateMachineTests {
    /// A machine, and its answers as texts.
    private final class Subject {
        var machine: StreamStateMachine

        init(limit: Int) {
            machine = StreamStateMachine(limit: limit)
        }

        /// Creates a machine that reads, with handlers.
        convenience init(limit: Int, handlers: Int) {
            self.init(limit: limit)
            for _ in 0..<handlers { _ = add() }
            _ = resume()
        }

        func add(takesChunks: Bool = true) -> [Int] {
            let handler = StreamHandler(takesChunks: takesChunks, waking: { _, _ in })
            return machine.add(handler).effects.woken.map(\.id)
        }

        func append(_ text: String) -> [Int] { machine.append(BodyChunk(text)).woken.map(\.id) }

        func resume() -> String {
            switch machine.resume() {
            case .ignore: "ignore"
            case .start: "start"
            case .proceed: "proceed"
            }
        }

        func step(_ id: Int) -> String {
            switch machine.step(id) {
            case .wait: "wait"
            case .chunk(let chunk, _): String(chunk)
            case .complete: "complete"
            }
        }

        /// The gate that the reader waits at, if it has to.
        var gate: Deferred<Void>? { if case .wait(let gate) = machine.passage() { gate } else { nil } }

        var mayRead: Bool { if case .open = machine.passage() { true } else { false } }

        var isClosed: Bool { if case .closed = machine.passage() { true } else { false } }
    }

    @Test func startsOnce() {
        let subject = Subject(limit: 1)
        #expect(subject.machine.life == .initialized)
        #expect(subject.resume() == "start")
        #expect(subject.resume() == "ignore")
        #expect(subject.machine.suspend() == true)
        #expect(subject.machine.suspend() == false)
        #expect(subject.resume() == "proceed")
        #expect(subject.machine.life == .resumed)
    }

    @Test func readsUpToItsLimit() {
        let subject = Subject(limit: 2, handlers: 1)
        #expect(subject.mayRead)
        #expect(subject.append("a") == [0])
        #expect(subject.mayRead)
        #expect(subject.append("b") == [])
        let gate = subject.gate
        #expect(gate != nil)
        #expect(subject.gate === gate)
        #expect(subject.step(0) == "a")
        #expect(subject.machine.advance(0).gate === gate)
        #expect(subject.mayRead)
    }

    @Test func keepsAChunkForTheSlowestHandler() {
        let subject = Subject(limit: 1, handlers: 2)
        #expect(subject.append("a") == [0, 1])
        _ = subject.machine.advance(0)
        #expect(subject.step(0) == "wait")
        #expect(!subject.mayRead)
        #expect(subject.step(1) == "a")
        _ = subject.machine.advance(1)
        #expect(subject.mayRead)
        // The second one has not looked for its next step, so it is awake.
        #expect(subject.append("b") == [0])
        #expect(subject.step(1) == "b")
    }

    @Test func completesEachHandlerAfterItsChunks() {
        let subject = Subject(limit: 4, handlers: 2)
        #expect(subject.append("a") == [0, 1])
        #expect(subject.machine.finishReading()?.isOver == false)
        #expect(subject.machine.finishReading()?.isOver == nil)
        #expect(subject.machine.life == .resumed)
        _ = subject.machine.advance(0)
        #expect(subject.step(0) == "complete")
        #expect(subject.step(0) == "wait")
        #expect(subject.machine.hasHandlers)
        #expect(subject.step(1) == "a")
        #expect(subject.machine.advance(1).isOver == true)
        #expect(subject.machine.life == .finished)
        #expect(subject.step(1) == "complete")
        #expect(!subject.machine.hasHandlers)
        #expect(subject.machine.cancel()?.isOver == nil)
        #expect(subject.machine.life == .finished)
    }

    @Test func dropsChunksWhenItIsCancelled() {
        let subject = Subject(limit: 4, handlers: 2)
        for text in ["a", "b", "c"] { _ = subject.append(text) }
        #expect(subject.step(0) == "a")
        #expect(subject.machine.cancel()?.isOver == true)
        #expect(subject.machine.life == .cancelled)
        #expect(subject.machine.advance(0).woken.count == 0)
        #expect(subject.step(0) == "complete")
        #expect(subject.step(1) == "complete")
        #expect(subject.machine.cancel()?.isOver == nil)
        #expect(subject.isClosed)
        #expect(subject.append("d") == [])
    }

    @Test func opensTheGateWhenItIsCancelled() {
        let subject = Subject(limit: 1, handlers: 1)
        #expect(subject.machine.suspend() == true)
        let gate = subject.gate
        #expect(gate != nil)
        #expect(subject.machine.cancel()?.gate === gate)
    }

    @Test func opensTheGateWhenItIsResumed() {
        let subject = Subject(limit: 1, handlers: 1)
        #expect(subject.machine.suspend() == true)
        let gate = subject.gate
        guard case .proceed(let effects) = subject.machine.resume() else {
            Issue.record("it does not go on")
            return
        }
        #expect(effects.gate === gate)
        #expect(gate != nil)
    }

    @Test func keepsChunksWithoutAHandler() {
        let subject = Subject(limit: 2, handlers: 0)
        #expect(subject.append("a") == [])
        #expect(subject.append("b") == [])
        #expect(!subject.mayRead)
        #expect(subject.machine.finishReading()?.isOver == false)
        #expect(subject.add() == [0])
        #expect(subject.step(0) == "a")
    }

    /// Chunks that an earlier handler has not had are kept.
    @Test func startsALateHandlerAtTheOldestChunk() {
        let subject = Subject(limit: 4, handlers: 1)
        _ = subject.append("a")
        _ = subject.append("b")
        _ = subject.machine.advance(0)
        #expect(subject.add() == [1])
        #expect(subject.step(1) == "b")
    }

    @Test func keepsNoChunkForACompletionAlone() {
        let subject = Subject(limit: 1)
        #expect(subject.add(takesChunks: false) == [])
        #expect(subject.resume() == "start")
        #expect(!subject.machine.hasReceivers)
        for _ in 0..<3 {
            #expect(subject.mayRead)
            #expect(subject.append("a") == [])
        }
        #expect(subject.machine.finishReading()?.woken.map(\.id) == [0])
        #expect(subject.step(0) == "complete")
    }

    @Test func goesOnWithoutAHandlerThatWasRemoved() {
        let subject = Subject(limit: 1, handlers: 2)
        _ = subject.append("a")
        _ = subject.machine.advance(0)
        #expect(!subject.mayRead)
        #expect(subject.machine.remove(1)?.effects.isOver == false)
        #expect(subject.machine.remove(1)?.effects.isOver == nil)
        #expect(subject.step(1) == "wait")
        #expect(subject.mayRead)
        #expect(subject.machine.hasReceivers)
    }
}
