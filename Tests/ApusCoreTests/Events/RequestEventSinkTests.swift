internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestEventSinkTests {
    private final class NumberMonitor: EventMonitor {
        let queue = DispatchQueue(label: "apus.tests.numbers")
        let latency = Duration.zero
        private let stored = Lock<[Duration]>([])

        func request(_ request: RequestSummary, did event: RequestEvent) {
            guard case .serialized(let response) = event, let number = response.serializationDuration else { return }
            stored.withLock { $0.append(number) }
        }

        var numbers: [Duration] {
            queue.sync {}
            return stored.withLock { $0 }
        }
    }

    private let id = RequestID(number: 7)

    @Test func deliversEventsInOrder() {
        let monitor = RecordingEventMonitor()
        let eventSink = RequestEventSink(request: id, dispatcher: EventDispatcher([monitor]))
        eventSink.append(.resumed)
        eventSink.append(.suspended)
        #expect(monitor.names(of: id).isEmpty)
        eventSink.drain()
        #expect(monitor.names(of: id) == ["resumed", "suspended"])
        eventSink.append(.cancelled)
        eventSink.post(.finished)
        eventSink.drain()
        #expect(monitor.names(of: id) == ["resumed", "suspended", "cancelled", "finished"])
    }

    @Test func keepsTheOrderOfEachWriterForEveryMonitor() async {
        let monitors = [NumberMonitor(), NumberMonitor(), NumberMonitor()]
        let eventSink = RequestEventSink(request: id, dispatcher: EventDispatcher(monitors))
        let writers = 8
        let count = 500
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in 0..<count {
                        let duration = Duration.seconds(writer) + .nanoseconds(number)
                        eventSink.post(.serialized(ResponseSummary(serializationDuration: duration)))
                    }
                }
            }
        }
        let received = monitors[0].numbers
        #expect(received.count == writers * count)
        for writer in 0..<writers {
            let own = received.filter { $0.components.seconds == writer }
            #expect(own == own.sorted() && own.count == count)
        }
        for monitor in monitors { #expect(monitor.numbers == received) }
    }

    @Test func acceptsEventsFromAMonitorDuringItsNotification() {
        final class Echo: EventMonitor {
            let queue = DispatchQueue(label: "apus.tests.echo")
            let latency = Duration.zero
            let eventSink = Lock<RequestEventSink?>(nil)
            func request(_ request: RequestSummary, did event: RequestEvent) {
                guard case .resumed = event else { return }
                eventSink.withLock { $0 }?.post(.suspended)
            }
        }
        let echo = Echo()
        let monitor = RecordingEventMonitor()
        let eventSink = RequestEventSink(request: id, dispatcher: EventDispatcher([echo, monitor]))
        echo.eventSink.withLock { $0 = eventSink }
        eventSink.post(.resumed)
        echo.queue.sync {}
        #expect(monitor.names(of: id) == ["resumed", "suspended"])
    }

    // MARK: Summaries

    @Test func summarizesTheRequestOnceItIsBuilt() throws {
        let monitor = RecordingEventMonitor()
        let eventSink = RequestEventSink(request: id, label: "profile", dispatcher: EventDispatcher([monitor]))
        let message = try RequestMessage("http://user:sesame@h/a?token=sesame", method: .post)
        var adapted = try RequestMessage("http://i/b", method: .put)
        eventSink.post(.resumed)
        eventSink.postCreated(message)
        eventSink.postAdapted(adapted)
        adapted.target = try TargetURI("http://j/c")
        // The summary keeps the values of the first attempt.
        eventSink.postCreated(adapted)
        eventSink.postAdapted(adapted)
        let summaries = monitor.summaries(of: id)
        let before = ["request (7, profile)", "POST http://h/a?token=… (7, profile)"]
        #expect(summaries.map(\.description) == before + Array(repeating: "PUT http://i/b (7, profile)", count: 3))
        #expect(summaries[0].target == nil && summaries[0].method == nil && summaries[0].label == "profile")
        #expect(summaries[1].target?.path == "/a?token=sesame" && summaries[1].method == .post)
        #expect(summaries.allSatisfy { $0.id == id })
    }

    @Test func describesARequestWithoutALabel() throws {
        let monitor = RecordingEventMonitor()
        let eventSink = RequestEventSink(request: id, dispatcher: EventDispatcher([monitor]))
        eventSink.note(try RequestMessage("http://h/"))
        eventSink.post(.resumed)
        eventSink.postAdapted(try RequestMessage("http://h/"))
        #expect(monitor.summaries(of: id).map(\.description) == ["GET http://h/ (7)", "GET http://h/ (7)"])
        #expect(monitor.summaries(of: id).allSatisfy { $0.label == nil })
    }

    // MARK: The monitors of a request

    @Test func notifiesItsOwnMonitorsFromTheirAdditionToItsEnd() {
        let shared = RecordingEventMonitor()
        let dispatcher = EventDispatcher([shared])
        let eventSink = RequestEventSink(request: id, dispatcher: dispatcher)
        let other = RequestEventSink(request: RequestID(number: 8), dispatcher: dispatcher)
        let monitors = [RecordingEventMonitor(), RecordingEventMonitor()]
        eventSink.post(.resumed)
        eventSink.add(monitors[0])
        eventSink.append(.suspended)
        eventSink.drain()
        eventSink.add(CompositeEventMonitor(monitors: [monitors[1]]))
        other.post(.cancelled)
        eventSink.post(.completed(ResponseSummary()), then: .finished)
        eventSink.post(.cancelled)
        let end = ["completed", "finished"]
        #expect(shared.names(of: id) == ["resumed", "suspended"] + end + ["cancelled"])
        #expect(monitors[0].names(of: id) == ["suspended"] + end)
        #expect(monitors[1].names(of: id) == end)
        #expect(monitors.allSatisfy { $0.names(of: other.request).isEmpty })
        #expect(shared.sessionEnds.isEmpty)
    }

    @Test func needsNoMonitorOfTheSession() {
        let eventSink = RequestEventSink(request: id, dispatcher: EventDispatcher([]))
        let monitor = RecordingEventMonitor(receivesProgress: true)
        #expect(!eventSink.receivesProgress && eventSink.bodyPrefixBytes == 0)
        eventSink.add(monitor)
        #expect(eventSink.receivesProgress && eventSink.bodyPrefixBytes == 4096)
        eventSink.post(.contentSent(3, of: 3))
        eventSink.post(.finished)
        #expect(monitor.names(of: id) == ["contentSent", "finished"])
    }

    /// Releases a monitor, which may hold the request, when the request has ended.
    @Test func releasesItsOwnMonitorsAtItsEnd() async {
        let eventSink = RequestEventSink(request: id, dispatcher: EventDispatcher([]))
        weak var monitor: RecordingEventMonitor?
        func add() {
            let made = RecordingEventMonitor()
            monitor = made
            eventSink.add(made)
            eventSink.post(.finished)
        }
        add()
        #expect(await eventually { monitor == nil })
    }

    /// The monitors share a queue. Those of the session have collected events for longer.
    @Test func notifiesTheMonitorsOfTheSessionFirst() {
        let queue = DispatchQueue(label: "apus.tests.shared-queue")
        let notes = LockedList<String>()
        func monitor(_ name: String, latency: Duration) -> ClosureEventMonitor {
            ClosureEventMonitor(queue: queue, latency: latency) { _, event in notes.append("\(name) \(event)") }
        }
        let dispatcher = EventDispatcher([monitor("session", latency: .seconds(3600))])
        let eventSink = RequestEventSink(request: id, dispatcher: dispatcher)
        let gate = DispatchSemaphore(value: 0)
        queue.async { gate.wait() }
        eventSink.add(monitor("first", latency: .seconds(3600)))
        eventSink.add(monitor("second", latency: .zero))
        eventSink.post(.resumed)
        eventSink.post(.finished)
        gate.signal()
        queue.sync {}
        let expected = ["session", "first", "second"].flatMap { ["\($0) resumed", "\($0) finished"] }
        #expect(notes.all == expected)
    }

    @Test func keepsTheSameOrderForItsOwnMonitors() async {
        let shared = NumberMonitor()
        let own = NumberMonitor()
        let eventSink = RequestEventSink(request: id, dispatcher: EventDispatcher([shared]))
        eventSink.add(own)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<200 { eventSink.post(.numbered(writer * 1000 + number)) }
                }
            }
        }
        let received = shared.numbers
        #expect(received.count == 800)
        #expect(own.numbers == received)
    }
}
