internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// The event monitors of the library.
@Suite(.timeLimit(.minutes(5))) struct EventMonitorsTests {
    private let request = RequestSummary(id: RequestID(number: 7))
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
        let error = ApusError(.connectFailed, "refused")
        return [
            ("resumed", .resumed), ("suspended", .suspended), ("cancelled", .cancelled), ("created", .created(message)),
            ("creationFailed", .creationFailed(error)), ("adapted", .adapted(message)),
            ("adaptationFailed", .adaptationFailed(error)),
            ("exchangeBegan", .exchangeBegan(message, cause: .redirect)),
            ("contentSent", .contentSent(3, of: 5)),
            ("informational", .informational(HTTPResponse(status: .earlyHints))),
            ("redirected", .redirected(HTTPResponse(status: .found), to: message)),
            ("challenged", .challenged(HTTPResponse(status: .unauthorized), answeredBy: "basic")),
            ("responded", .responded(HTTPResponse(status: .ok))), ("exchangeEnded", .exchangeEnded(record)),
            ("validated", .validated(error)),
            ("destinationChosen", .destinationChosen(URL(filePath: "/tmp/place"))),
            ("contentReceived", .contentReceived(4, of: nil)), ("downloaded", .downloaded(URL(filePath: "/tmp/file"))),
            ("completed", .completed(ResponseSummary(error: error))),
            ("serialized", .serialized(ResponseSummary(error: error, serializationDuration: .seconds(1)))),
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
        monitor.requestDidBeginExchange = { notes.append("exchangeBegan \($0) \($1) \($2)") }
        monitor.requestDidSendContent = { notes.append("contentSent \($0) \($1) \($2 ?? -1)") }
        monitor.requestDidReceiveInformational = { notes.append("informational \($0) \($1.status.code)") }
        monitor.requestWasRedirected = { notes.append("redirected \($0) \($1.status.code) \($2 == nil)") }
        monitor.requestWasChallenged = { notes.append("challenged \($0) \($1.status.code) \($2 ?? "none")") }
        monitor.requestDidReceiveResponse = { notes.append("responded \($0) \($1.status.code)") }
        monitor.requestDidGatherMetrics = { notes.append("exchangeEnded \($0) \($1.cause)") }
        monitor.requestDidValidate = { notes.append("validated \($0) \($1 == nil)") }
        monitor.requestDidCreateDestinationURL = { notes.append("destinationChosen \($0) \($1.lastPathComponent)") }
        monitor.requestDidReceiveContent = { notes.append("contentReceived \($0) \($1) \($2 ?? -1)") }
        monitor.requestDidFinishDownloading = { notes.append("downloaded \($0) \($1.lastPathComponent)") }
        monitor.requestDidComplete = { notes.append("completed \($0) \($1.error == nil)") }
        monitor.requestDidParseResponse = { request, response in
            notes.append("serialized \(request) \(response.serializationDuration ?? .zero) \(response.error == nil)")
        }
        monitor.requestIsWaitingForConnectivity = { notes.append("waitingForConnectivity \($0)") }
        monitor.requestIsRetrying = { notes.append("retrying \($0) \($1) \($2 == nil)") }
        monitor.requestDidFinish = { notes.append("finished \($0)") }
        for (_, event) in try Self.events() { monitor.request(request, did: event) }
        let expected = [
            "resumed 7", "suspended 7", "cancelled 7", "created 7 http://h/", "creationFailed 7 connectFailed",
            "adapted 7 http://h/", "adaptationFailed 7 connectFailed", "exchangeBegan 7 GET http://h/ redirect",
            "contentSent 7 3 5", "informational 7 103", "redirected 7 302 false", "challenged 7 401 basic",
            "responded 7 200", "exchangeEnded 7 redirect", "validated 7 false",
            "destinationChosen 7 place", "contentReceived 7 4 -1", "downloaded 7 file", "completed 7 false",
            "serialized 7 1.0 seconds false", "waitingForConnectivity 7", "retrying 7 2.0 seconds false",
            "finished 7",
        ]
        #expect(notes.all.map { $0.replacing(" request (7)", with: " 7") } == expected)
    }

    @Test func callsTheClosureForAllEventsFirst() throws {
        var monitor = ClosureEventMonitor(queue: queue) { [notes] in notes.append("\($0.id) any \($1)") }
        monitor.requestDidFinish = { [notes] in notes.append("\($0.id) finished") }
        monitor.request(request, did: .resumed)
        monitor.request(request, did: .finished)
        #expect(notes.all == ["7 any resumed", "7 any finished", "7 finished"])
    }

    @Test func gathersEventsForFiveMillisecondsByDefault() {
        struct Plain: EventMonitor {}
        #expect(Plain().latency == .milliseconds(5))
        #expect(ClosureEventMonitor().latency == .milliseconds(5))
        #expect(ClosureEventMonitor(latency: .zero).latency == .zero)
    }

    @Test func worksWithoutClosures() throws {
        for (_, event) in try Self.events() { ClosureEventMonitor().request(request, did: event) }
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
        composite.request(request, did: .resumed)
        composite.request(request, did: .finished)
        #expect(recorder.names(of: request.id) == ["resumed", "finished"])
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
            tokens.observe(name) { [notes] notification in
                let isIncomplete = notification.requestEvent == nil || notification.requestSummary == nil
                notes.append("\(notification.requestID?.number ?? 0) \(word) \(isIncomplete)")
            }
        }
        let monitor = NotificationMonitor(center: center, queue: queue)
        for (_, event) in try Self.events() { monitor.request(request, did: event) }
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
        #expect(other.requestID == nil && other.requestSummary == nil && other.requestEvent == nil)
    }

    /// Implements all methods.
    private struct Everything: EventMonitor {
        let notes: LockedList<String>

        func requestDidResume(_ request: RequestSummary) { notes.append("resumed") }
        func requestDidSuspend(_ request: RequestSummary) { notes.append("suspended") }
        func requestDidCancel(_ request: RequestSummary) { notes.append("cancelled") }
        func request(_ request: RequestSummary, didCreate message: RequestMessage) { notes.append("created") }
        func request(_ request: RequestSummary, didFailToCreateWithError error: ApusError) {
            notes.append("creationFailed")
        }
        func request(_ request: RequestSummary, didAdaptTo message: RequestMessage) { notes.append("adapted") }
        func request(_ request: RequestSummary, didFailToAdaptWithError error: ApusError) {
            notes.append("adaptationFailed")
        }
        func request(_ request: RequestSummary, didBeginExchange message: RequestMessage, dueTo cause: ExchangeCause) {
            notes.append("exchangeBegan")
        }
        func request(_ request: RequestSummary, didSendContent byteCount: Int64, of total: Int64?) {
            notes.append("contentSent")
        }
        func request(_ request: RequestSummary, didReceiveInformational response: HTTPResponse) {
            notes.append("informational")
        }
        func request(_ request: RequestSummary, wasRedirectedBy response: HTTPResponse, to next: RequestMessage?) {
            notes.append("redirected")
        }
        func request(_ request: RequestSummary, wasChallengedBy response: HTTPResponse, answeredBy scheme: String?) {
            notes.append("challenged")
        }
        func request(_ request: RequestSummary, didReceiveResponse response: HTTPResponse) {
            notes.append("responded")
        }
        func request(_ request: RequestSummary, didGatherMetrics metrics: ExchangeMetrics) {
            notes.append("exchangeEnded")
        }
        func request(_ request: RequestSummary, didValidateWithError error: ApusError?) { notes.append("validated") }
        func request(_ request: RequestSummary, didCreateDestinationURL url: URL) { notes.append("destinationChosen") }
        func request(_ request: RequestSummary, didReceiveContent byteCount: Int64, of total: Int64?) {
            notes.append("contentReceived")
        }
        func request(_ request: RequestSummary, didFinishDownloadingTo fileURL: URL) { notes.append("downloaded") }
        func request(_ request: RequestSummary, didComplete response: ResponseSummary) { notes.append("completed") }
        func request(_ request: RequestSummary, didParseResponse response: ResponseSummary) {
            notes.append("serialized")
        }
        func requestIsWaitingForConnectivity(_ request: RequestSummary) { notes.append("waitingForConnectivity") }
        func requestIsRetrying(_ request: RequestSummary, after delay: Duration, dueTo error: ApusError?) {
            notes.append("retrying")
        }
        func requestDidFinish(_ request: RequestSummary) { notes.append("finished") }
    }

    /// Parity: AF-monitor-request-events
    @Test func callsTheMethodForEachKindOfEvent() throws {
        let monitor: any EventMonitor = Everything(notes: notes)
        let events = try Self.events()
        for (_, event) in events { monitor.request(request, did: event) }
        #expect(notes.all == events.map(\.name))
    }

    /// A monitor that needs both the event and its own methods.
    private struct Both: EventMonitor {
        let notes: LockedList<String>

        func request(_ request: RequestSummary, did event: RequestEvent) {
            notes.append("\(event)")
            callMethod(for: event, of: request)
        }

        func requestDidFinish(_ request: RequestSummary) { notes.append("over") }
    }

    @Test func callsNoMethodOfAMonitorThatReplacesTheDefault() {
        let monitor: any EventMonitor = Both(notes: notes)
        monitor.request(request, did: .resumed)
        monitor.request(request, did: .finished)
        #expect(notes.all == ["resumed", "finished", "over"])
    }

    @Test func doesNothingByDefault() throws {
        struct Idle: EventMonitor {}
        for (_, event) in try Self.events() { Idle().request(request, did: event) }
        #expect(Idle().bodyPrefixBytes == 4096 && !Idle().receivesProgress)
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
