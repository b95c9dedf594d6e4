internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Logging
internal import Synchronization
internal import Testing

@testable internal import ApusCore

/// The end of a session is told once, and last.
@Suite(.timeLimit(.minutes(5))) struct SessionEndingTests {
    private let id = SessionID(number: 3)

    // MARK: When it is told

    private func role(_ event: RequestEvent) -> RequestEvent.Role { event.role }

    @Test func isToldAtOnceWhereNothingIsUnfinished() throws {
        var ending = SessionEnding()
        let first = Atomic(false)
        #expect(ending.note(role(.resumed), isUnfinished: first) == nil)
        #expect(ending.note(role(.created(try RequestMessage("http://h/"))), isUnfinished: first) == nil)
        #expect(ending.note(role(.finished), isUnfinished: first) == nil)
        #expect(ending.end(id, nil)?.session == id)
        #expect(ending.end(id, CancelReason.sessionGone.error) == nil)
    }

    @Test func isToldBehindTheLastOfTheUnfinished() throws {
        var ending = SessionEnding()
        let first = Atomic(false)
        let second = Atomic(false)
        let message = try RequestMessage("http://h/")
        _ = ending.note(role(.created(message)), isUnfinished: first)
        _ = ending.note(role(.cancelled), isUnfinished: second)
        #expect(ending.end(id, CancelReason.sessionGone.error) == nil)
        // Whoever comes second is not believed.
        #expect(ending.end(id, nil) == nil)
        #expect(ending.note(role(.completed(nil)), isUnfinished: first) == nil)
        #expect(ending.note(role(.finished), isUnfinished: first) == nil)
        // A handle that is asked for something after its end finishes once more.
        #expect(ending.note(role(.finished), isUnfinished: first) == nil)
        #expect(ending.note(role(.finished), isUnfinished: second)?.error?.code == .sessionGone)
        #expect(ending.note(role(.created(message)), isUnfinished: first) == nil)
        #expect(ending.note(role(.finished), isUnfinished: first) == nil)
    }

    // MARK: Sessions

    /// Parity: AF-monitor-session-events
    @Test func isToldOnceHoweverOftenASessionIsShutDown() async {
        let test = TestSession()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { await test.session.shutdown() } }
        }
        await test.session.shutdown(within: .zero)
        let ends = test.monitor.sessionEnds
        #expect(ends.map(\.session) == [test.session.id])
        #expect(ends.allSatisfy { $0.error == nil })
    }

    /// Parity: AF-monitor-session-events
    @Test(arguments: [0, 1]) func isToldWhereASessionIsLetGoOf(requests: Int) async throws {
        let monitor = RecordingEventMonitor()
        func made() async throws -> SessionID {
            let test = TestSession.configured { $0.eventMonitors = [monitor] }
            for _ in 0..<requests { _ = try await test.session.get("http://h/") }
            return test.session.id
        }
        let id = try await made()
        #expect(await eventually { !monitor.sessionEnds.isEmpty })
        #expect(monitor.sessionEnds.map(\.session) == [id])
        #expect(monitor.sessionEnds.map(\.error?.code) == [.sessionGone])
    }

    @Test func isNotToldAgainWhereASessionIsLetGoOfAfterItsEnd() async {
        let monitor = RecordingEventMonitor()
        weak var core: SessionCore?
        func end() async {
            let test = TestSession.configured { $0.eventMonitors = [monitor] }
            core = test.session.core
            await test.session.shutdown()
        }
        await end()
        #expect(await eventually { core == nil })
        #expect(monitor.sessionEnds.map(\.error?.code) == [nil])
    }

    /// Parity: AF-monitor-session-events
    @Test(arguments: [Duration.zero, .seconds(30)])
    func comesBehindEverythingThatRequestsHaveToTell(grace: Duration) async throws {
        for _ in 0..<50 {
            let barrier = Barrier()
            let told = Notes<String>()
            let queue = DispatchQueue(label: "apus.tests.ends")
            var monitor = ClosureEventMonitor(queue: queue, latency: .zero) { told.append("\($0) \($1)") }
            monitor.sessionDidEnd = { _, _ in told.append("end") }
            let test = TestSession.hanging(barrier) { $0.eventMonitors = [monitor] }
            let session = test.session
            let handles = (0..<4).map { session.request("http://h/\($0)").serializingData() }
            let calls = (0..<4).map { number in Task { try? await session.get("http://h/\(number)") } }
            let streams = (0..<4).map { number in
                Task { for try await _ in try await session.stream("http://h/\(number)").body {} }
            }
            #expect(await eventually { session.requestCounts.inFlight == 12 })
            let shutdown = Task { await session.shutdown(within: grace) }
            barrier.open()
            await shutdown.value
            for handle in handles { _ = await handle.response }
            for call in calls { _ = await call.value }
            for stream in streams { _ = await stream.result }
            #expect(await eventually { told.all.contains("end") })
            queue.sync {}
            let all = told.all
            #expect(all.last == "end" && all.filter { $0 == "end" }.count == 1)
            #expect(all.filter { $0.hasSuffix("finished") }.count == 12)
        }
    }

    /// A call that waits for its next attempt has no place, and is not over: it is sent away, and tells that first.
    @Test func comesBehindACallThatWaitsForItsRetry() async throws {
        let test = TestSession(
            configuring: { $0.interceptor = Interceptor(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(5)) }]) },
            answering: { _ in throw ApusError(.connectFailed, "nobody") }
        )
        let call = Task { try await test.session.get("http://h/") }
        await test.clock.waitForSleepers(1)
        let shutdown = Task { await test.session.shutdown(within: .seconds(3)) }
        await test.clock.waitForSleepers(2)
        #expect(test.monitor.sessionEnds.isEmpty)
        test.clock.advance(by: .seconds(3))
        await shutdown.value
        #expect(await failure { try await call.value }?.code == .sessionShutDown)
        #expect(test.monitor.sessionEnds.count == 1)
    }

    @Test func whatIsRefusedAfterwardsIsToldBehindIt() async throws {
        let told = Notes<String>()
        let queue = DispatchQueue(label: "apus.tests.late")
        var monitor = ClosureEventMonitor(queue: queue, latency: .zero)
        monitor.requestDidComplete = { told.append("\($1?.code.name ?? "fine")") }
        monitor.sessionDidEnd = { _, _ in told.append("end") }
        let test = TestSession.configured { $0.eventMonitors = [monitor] }
        _ = try await test.session.get("http://h/")
        await test.session.shutdown()
        _ = try? await test.session.get("http://h/")
        queue.sync {}
        #expect(told.all == ["fine", "end", "sessionShutDown"])
    }

    // MARK: Monitors

    @Test func isToldToEachMemberOfAComposite() async {
        let members = [RecordingEventMonitor(), RecordingEventMonitor()]
        let inner = CompositeEventMonitor(monitors: [members[1]])
        let composite = CompositeEventMonitor(monitors: [members[0], inner])
        let test = TestSession.configured { $0.eventMonitors = [composite] }
        await test.session.shutdown()
        for member in members { #expect(member.sessionEnds.map(\.session) == [test.session.id]) }
        // By anybody else too, as often as it is said.
        composite.session(id, didEndDueTo: nil)
        composite.session(id, didEndDueTo: nil)
        for member in members { #expect(member.sessionEnds.map(\.session) == [test.session.id, id, id]) }
    }

    @Test(arguments: [true, false]) func isPosted(hasError: Bool) {
        let center = NotificationCenter()
        let told = Notes<String>()
        let token = center.addObserver(forName: Session.didEndNotification, object: nil, queue: nil) { notification in
            let error = notification.userInfo?[NotificationMonitor.errorKey] as? ApusError
            told.append("\(notification.sessionID?.number ?? 0) \(error?.code.name ?? "-")")
        }
        defer { center.removeObserver(token) }
        let monitor = NotificationMonitor(center: center)
        monitor.session(id, didEndDueTo: hasError ? CancelReason.sessionGone.error : nil)
        #expect(told.all == [hasError ? "3 sessionGone" : "3 -"])
        #expect(Notification(name: Session.didEndNotification).sessionID == nil)
    }

    @Test func sessionsAreToldApart() {
        let ids = (0..<3).map { _ in TestSession().session.id }
        #expect(Set(ids).count == 3)
        #expect(ids.map(\.number) == ids.map(\.number).sorted())
        #expect("\(id)" == "3")
    }
}
