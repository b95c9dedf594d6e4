internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Logging
internal import Synchronization
internal import Testing

@testable internal import ApusCore

/// The end of a session is reported once, after all other events.
@Suite(.timeLimit(.minutes(5))) struct SessionEndTrackerTests {
    private let id = SessionID(number: 3)

    // MARK: Notification

    private func role(_ event: RequestEvent) -> RequestEvent.Role { event.role }

    @Test func isReportedAtOnceIfNothingIsUnfinished() throws {
        var tracker = SessionEndTracker()
        let first = Atomic(false)
        #expect(tracker.note(role(.resumed), isUnfinished: first) == nil)
        #expect(tracker.note(role(.created(try RequestMessage("http://h/"))), isUnfinished: first) == nil)
        #expect(tracker.note(role(.finished), isUnfinished: first) == nil)
        #expect(tracker.end(id, nil)?.session == id)
        #expect(tracker.end(id, CancelReason.sessionGone.error) == nil)
    }

    @Test func isReportedAfterTheLastUnfinishedRequest() throws {
        var tracker = SessionEndTracker()
        let first = Atomic(false)
        let second = Atomic(false)
        let message = try RequestMessage("http://h/")
        _ = tracker.note(role(.created(message)), isUnfinished: first)
        _ = tracker.note(role(.cancelled), isUnfinished: second)
        #expect(tracker.end(id, CancelReason.sessionGone.error) == nil)
        // A second call is ignored.
        #expect(tracker.end(id, nil) == nil)
        #expect(tracker.note(role(.completed(ResponseSummary())), isUnfinished: first) == nil)
        #expect(tracker.note(role(.finished), isUnfinished: first) == nil)
        // A handle with a serializer added after its end finishes once more.
        #expect(tracker.note(role(.finished), isUnfinished: first) == nil)
        #expect(tracker.note(role(.finished), isUnfinished: second)?.error?.code == .sessionGone)
        #expect(tracker.note(role(.created(message)), isUnfinished: first) == nil)
        #expect(tracker.note(role(.finished), isUnfinished: first) == nil)
    }

    // MARK: Sessions

    /// Parity: AF-monitor-session-events
    @Test func isReportedOnceForRepeatedShutdowns() async {
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
    @Test(arguments: [0, 1]) func isReportedWhenASessionIsReleased(requests: Int) async throws {
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

    @Test func isNotRepeatedWhenASessionIsReleasedAfterItsEnd() async {
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
    func followsAllEventsOfRequests(grace: Duration) async throws {
        for _ in 0..<50 {
            let barrier = Barrier()
            let reports = LockedList<String>()
            let queue = DispatchQueue(label: "apus.tests.ends")
            var monitor = ClosureEventMonitor(queue: queue, latency: .zero) { reports.append("\($0) \($1)") }
            monitor.sessionDidEnd = { _, _ in reports.append("end") }
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
            #expect(await eventually { reports.all.contains("end") })
            queue.sync {}
            let all = reports.all
            #expect(all.last == "end" && all.filter { $0 == "end" }.count == 1)
            #expect(all.filter { $0.hasSuffix("finished") }.count == 12)
        }
    }

    /// A call that waits for its next attempt has no slot, but is active. Its cancellation is reported first.
    @Test func followsACallThatWaitsForItsRetry() async throws {
        let test = TestSession(
            configuring: { $0.interceptor = Interceptor(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(5)) }]) },
            responding: { _ in throw ApusError(.connectFailed, "refused") }
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

    @Test func precedesTheEventsOfLaterRequests() async throws {
        let reports = LockedList<String>()
        let queue = DispatchQueue(label: "apus.tests.late")
        var monitor = ClosureEventMonitor(queue: queue, latency: .zero)
        monitor.requestDidComplete = { reports.append("\($1.error?.code.name ?? "fine")") }
        monitor.sessionDidEnd = { _, _ in reports.append("end") }
        let test = TestSession.configured { $0.eventMonitors = [monitor] }
        _ = try await test.session.get("http://h/")
        await test.session.shutdown()
        _ = try? await test.session.get("http://h/")
        queue.sync {}
        #expect(reports.all == ["fine", "end", "sessionShutDown"])
    }

    // MARK: Monitors

    @Test func isReportedToEachMemberOfAComposite() async {
        let members = [RecordingEventMonitor(), RecordingEventMonitor()]
        let inner = CompositeEventMonitor(monitors: [members[1]])
        let composite = CompositeEventMonitor(monitors: [members[0], inner])
        let test = TestSession.configured { $0.eventMonitors = [composite] }
        await test.session.shutdown()
        for member in members { #expect(member.sessionEnds.map(\.session) == [test.session.id]) }
        // Each direct call is forwarded too.
        composite.session(id, didEndDueTo: nil)
        composite.session(id, didEndDueTo: nil)
        for member in members { #expect(member.sessionEnds.map(\.session) == [test.session.id, id, id]) }
    }

    @Test(arguments: [true, false]) func isPostedAsANotification(hasError: Bool) {
        let center = NotificationCenter()
        let reports = LockedList<String>()
        let token = center.addObserver(forName: Session.didEndNotification, object: nil, queue: nil) { notification in
            let error = notification.userInfo?[NotificationMonitor.errorKey] as? ApusError
            reports.append("\(notification.sessionID?.number ?? 0) \(error?.code.name ?? "-")")
        }
        defer { center.removeObserver(token) }
        let monitor = NotificationMonitor(center: center)
        monitor.session(id, didEndDueTo: hasError ? CancelReason.sessionGone.error : nil)
        #expect(reports.all == [hasError ? "3 sessionGone" : "3 -"])
        #expect(Notification(name: Session.didEndNotification).sessionID == nil)
    }

    @Test func identifiesTheSession() {
        let ids = (0..<3).map { _ in TestSession().session.id }
        #expect(Set(ids).count == 3)
        #expect(ids.map(\.number) == ids.map(\.number).sorted())
        #expect("\(id)" == "3")
    }
}
