internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// The event monitors of the library.
@Suite(.timeLimit(.minutes(5))) struct EventMonitorsTests {
    private let id = RequestID(number: 7)
    private let queue = DispatchQueue(label: "apus.tests.monitors")
    private let notes = LockedList<String>()

    /// One event of each kind, and its name.
    private static func events() throws -> [(name: String, event: RequestEvent)] {
        let message = try RequestMessage("http://h/")
        let record = ExchangeRecord(
            method: .get,
            target: message.target,
            cause: .redirect,
            begin: MonotonicInstant(nanoseconds: 1)
        )
        let error = ApusError(.connectFailed, "nobody")
        return [
            ("resumed", .resumed), ("suspended", .suspended), ("cancelled", .cancelled), ("created", .created(message)),
            ("creationFailed", .creationFailed(error)), ("adapted", .adapted(message)),
            ("adaptationFailed", .adaptationFailed(error)),
            ("exchangeBegan", .exchangeBegan(method: .get, target: message.target, cause: .redirect)),
            ("contentSent", .contentSent(3, of: 5)),
            ("informational", .informational(HTTPResponse(status: .earlyHints))),
            ("redirected", .redirected(HTTPResponse(status: .found), to: message)),
            ("challenged", .challenged(HTTPResponse(status: .unauthorized), answeredBy: "basic")),
            ("responded", .responded(HTTPResponse(status: .ok))), ("exchangeEnded", .exchangeEnded(record)),
            ("validated", .validated(error)),
            ("destinationChosen", .destinationChosen(URL(filePath: "/tmp/place"))),
            ("contentReceived", .contentReceived(4, of: nil)), ("downloaded", .downloaded(URL(filePath: "/tmp/file"))),
            ("completed", .completed(error)), ("serialized", .serialized(.seconds(1), error)),
            ("waitingForConnectivity", .waitingForConnectivity),
            ("retrying", .retrying(after: .seconds(2), dueTo: error)), ("finished", .finished),
        ]
    }

    /// Parity: AF-monitor-closure, AF-monitor-request-events, AF-life-created, AF-life-task-created
    @Test func callsTheClosureForEachKindOfEvent() throws {
        var monitor = ClosureEventMonitor(queue: queue)
        let notes = notes
        monitor.requestDidResume = { notes.append("resumed \($0)") }
        monitor.requestDidSuspend = { notes.append("suspended \($0)") }
        monitor.requestDidCancel = { notes.append("cancelled \($0)") }
        monitor.requestDidCreate = { notes.append("created \($0) \($1.target)") }
        monitor.requestDidFailToCreate = { notes.append("creationFailed \($0) \($1.code)") }
        monitor.requestDidAdapt = { notes.append("adapted \($0) \($1.target)") }
        monitor.requestDidFailToAdapt = { notes.append("adaptationFailed \($0) \($1.code)") }
        monitor.requestDidBeginExchange = { notes.append("exchangeBegan \($0) \($1) \($2) \($3)") }
        monitor.requestDidSendContent = { notes.append("contentSent \($0) \($1) \($2 ?? -1)") }
        monitor.requestDidReceiveInformational = { notes.append("informational \($0) \($1.status.code)") }
        monitor.requestWasRedirected = { notes.append("redirected \($0) \($1.status.code) \($2 == nil)") }
        monitor.requestWasChallenged = { notes.append("challenged \($0) \($1.status.code) \($2 ?? "none")") }
        monitor.requestDidReceiveResponse = { notes.append("responded \($0) \($1.status.code)") }
        monitor.requestDidEndExchange = { notes.append("exchangeEnded \($0) \($1.cause)") }
        monitor.requestDidValidate = { notes.append("validated \($0) \($1 == nil)") }
        monitor.requestDidChooseDestination = { notes.append("destinationChosen \($0) \($1.lastPathComponent)") }
        monitor.requestDidReceiveContent = { notes.append("contentReceived \($0) \($1) \($2 ?? -1)") }
        monitor.requestDidFinishDownloading = { notes.append("downloaded \($0) \($1.lastPathComponent)") }
        monitor.requestDidComplete = { notes.append("completed \($0) \($1 == nil)") }
        monitor.requestDidSerialize = { notes.append("serialized \($0) \($1) \($2 == nil)") }
        monitor.requestIsWaitingForConnectivity = { notes.append("waitingForConnectivity \($0)") }
        monitor.requestIsRetrying = { notes.append("retrying \($0) \($1) \($2 == nil)") }
        monitor.requestDidFinish = { notes.append("finished \($0)") }
        for (_, event) in try Self.events() { monitor.request(id, did: event) }
        let expected = [
            "resumed 7", "suspended 7", "cancelled 7", "created 7 http://h/", "creationFailed 7 connectFailed",
            "adapted 7 http://h/", "adaptationFailed 7 connectFailed", "exchangeBegan 7 GET http://h/ redirect",
            "contentSent 7 3 5", "informational 7 103", "redirected 7 302 false", "challenged 7 401 basic",
            "responded 7 200", "exchangeEnded 7 redirect", "validated 7 false",
            "destinationChosen 7 place", "contentReceived 7 4 -1", "downloaded 7 file", "completed 7 false",
            "serialized 7 1.0 seconds false", "waitingForConnectivity 7", "retrying 7 2.0 seconds false",
            "finished 7",
        ]
        #expect(notes.all == expected)
    }

    @Test func callsTheClosureForAllEventsFirst() throws {
        var monitor = ClosureEventMonitor(queue: queue) { [notes] in notes.append("\($0) any \($1)") }
        monitor.requestDidFinish = { [notes] in notes.append("\($0) finished") }
        monitor.request(id, did: .resumed)
        monitor.request(id, did: .finished)
        #expect(notes.all == ["7 any resumed", "7 any finished", "7 finished"])
    }

    @Test func gathersEventsForFiveMillisecondsByDefault() {
        struct Plain: EventMonitor {
            func request(_ request: RequestID, did event: RequestEvent) {}
        }
        #expect(Plain().latency == .milliseconds(5))
        #expect(ClosureEventMonitor().latency == .milliseconds(5))
        #expect(ClosureEventMonitor(latency: .zero).latency == .zero)
    }

    @Test func worksWithoutClosures() throws {
        for (_, event) in try Self.events() { ClosureEventMonitor().request(id, did: event) }
    }

    /// Parity: AF-monitor-composite
    @Test func notifiesEachMemberOfACompositeOnItsQueue() async throws {
        let queues = ["one", "two", "three"].map { TestQueue("apus.tests.\($0)") }
        let members = queues.map { queue in
            ClosureEventMonitor(queue: queue.queue, latency: .zero) { [notes] _, _ in
                notes.append(TestQueue.current ?? "none")
            }
        }
        let recorder = RecordingEventMonitor()
        let inner = CompositeEventMonitor(monitors: [members[1], recorder])
        let composite = CompositeEventMonitor(monitors: [members[0], inner, members[2]])
        #expect(composite.monitors.count == 4)
        let test = TestSession.configured { $0.eventMonitors = [composite] }
        let request = test.session.request("http://h/")
        _ = await request.serializingData().response
        // The session delivers events directly to the members, without the queue of the composite.
        let names = recorder.names(of: request.id)
        #expect(names.first == "resumed" && names.last == "finished")
        for queue in queues { queue.queue.sync {} }
        for name in ["one", "two", "three"] {
            #expect(notes.all.filter { $0 == "apus.tests.\(name)" }.count == names.count)
        }
    }

    @Test func forwardsEventsOfDirectCallers() {
        let recorder = RecordingEventMonitor()
        let composite = CompositeEventMonitor(monitors: [recorder, CompositeEventMonitor(monitors: [])])
        composite.request(id, did: .resumed)
        composite.request(id, did: .finished)
        #expect(recorder.names(of: id) == ["resumed", "finished"])
    }

    /// Parity: AF-notifications
    @Test func postsNotifications() throws {
        let center = NotificationCenter()
        let tokens = NotificationTokens(center)
        let names: [(Notification.Name, String)] = [
            (RequestEvent.didResumeNotification, "resumed"), (RequestEvent.didSuspendNotification, "suspended"),
            (RequestEvent.didCancelNotification, "cancelled"),
            (RequestEvent.didBeginExchangeNotification, "exchangeBegan"),
            (RequestEvent.didEndExchangeNotification, "exchangeEnded"),
            (RequestEvent.isRetryingNotification, "retrying"), (RequestEvent.didCompleteNotification, "completed"),
            (RequestEvent.didFinishNotification, "finished"),
        ]
        #expect(Set(names.map(\.0)).count == names.count)
        for (name, word) in names {
            tokens.observe(name) { [notes] in
                notes.append("\($0.requestID?.number ?? 0) \(word) \($0.requestEvent == nil)")
            }
        }
        let monitor = NotificationMonitor(center: center, queue: queue)
        for (_, event) in try Self.events() { monitor.request(id, did: event) }
        let expected = [
            "resumed", "suspended", "cancelled", "exchangeBegan", "exchangeEnded", "completed", "retrying", "finished",
        ]
        #expect(notes.all == expected.map { "7 \($0) false" })
    }

    @Test func postsOnItsQueue() async throws {
        let testQueue = TestQueue("apus.tests.posting")
        let center = NotificationCenter()
        let tokens = NotificationTokens(center)
        tokens.observe(RequestEvent.didFinishNotification) { [notes] in
            notes.append("\(TestQueue.current ?? "none") \($0.requestID?.number ?? 0)")
        }
        let test = TestSession.configured {
            $0.eventMonitors = [NotificationMonitor(center: center, queue: testQueue.queue)]
        }
        let request = test.session.request("http://h/")
        _ = await request.serializingData().response
        #expect(await eventually { notes.count == 1 })
        #expect(notes.all == ["apus.tests.posting \(request.id)"])
    }

    @Test func findsNoRequestInOtherNotifications() {
        let other = Notification(name: RequestEvent.didFinishNotification)
        #expect(other.requestID == nil && other.requestEvent == nil)
    }
}

/// Removes its observers when it is released.
private final class NotificationTokens {
    private let center: NotificationCenter
    private var tokens: [any NSObjectProtocol] = []

    init(_ center: NotificationCenter) {
        self.center = center
    }

    func observe(_ name: Notification.Name, _ handler: @escaping @Sendable (Notification) -> Void) {
        tokens.append(center.addObserver(forName: name, object: nil, queue: nil, using: handler))
    }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }
}
