internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ContentHoldTests {
    @Test func countsSuspensions() {
        let hold = ContentHold()
        #expect(!hold.isHeld)
        hold.hold()
        #expect(hold.isHeld)
        hold.release()
        #expect(!hold.isHeld)
    }

    /// Two threads may report a suspension and its end in any order.
    @Test func acceptsAReleaseBeforeItsSuspension() {
        let hold = ContentHold()
        hold.release()
        #expect(!hold.isHeld)
        hold.hold()
        #expect(!hold.isHeld)
        hold.hold()
        #expect(hold.isHeld)
    }

    @Test func notifiesItsWatchesOfEachChange() {
        let hold = ContentHold()
        let (first, second) = (LockedList<Bool>(), LockedList<Bool>())
        let id = hold.watch { [weak hold] in first.append(hold?.isHeld ?? false) }
        _ = hold.watch { [weak hold] in second.append(hold?.isHeld ?? false) }
        hold.hold()
        hold.unwatch(id)
        hold.unwatch(id)
        hold.release()
        #expect(first.all == [true])
        #expect(second.all == [true, false])
    }

    @Test func belongsToHandlesAlone() {
        let test = TestSession()
        let request = test.session.request("http://h/")
        let hold = request.task.context.contentHold
        #expect(hold != nil)
        #expect(request.task.context.contentHold === hold)
        #expect(RequestContext(core: test.session.core).contentHold == nil)
    }

    /// A request that has not started sends nothing, and its start is no resumption.
    @Test func holdsOnlyWhatHasStarted() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/").suspend()
        let hold = try #require(request.task.context.contentHold)
        #expect(!hold.isHeld)
        let task = request.resume().serializingData()
        await barrier.reached()
        #expect(!hold.isHeld)
        request.suspend().suspend()
        #expect(hold.isHeld)
        request.resume().resume()
        #expect(!hold.isHeld)
        barrier.open()
        #expect(await task.response.error == nil)
        try await assertNothingLeft(test.session)
    }

    @Test func followsChangesFromAllThreads() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/")
        let hold = try #require(request.task.context.contentHold)
        let task = request.serializingData()
        await barrier.reached()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 { request.suspend().resume() }
                }
            }
        }
        #expect(request.state == .resumed)
        #expect(!hold.isHeld)
        request.suspend()
        #expect(hold.isHeld)
        request.cancel()
        #expect(await task.response.error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func followsAStreamHandle() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.streamRequest("http://h/")
        let hold = try #require(request.runner.context.contentHold)
        request.resume()
        await barrier.reached()
        request.suspend()
        #expect(hold.isHeld)
        request.resume()
        #expect(!hold.isHeld)
        request.cancel()
        try await assertNothingLeft(test.session)
    }
}
