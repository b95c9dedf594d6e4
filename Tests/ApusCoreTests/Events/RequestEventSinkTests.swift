internal import ApusTesting
internal import Dispatch
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestEventSinkTests {
    private final class NumberMonitor: EventMonitor {
        let queue = DispatchQueue(label: "apus.tests.numbers")
        let latency = Duration.zero
        private let stored = Lock<[Duration]>([])

        func request(_ request: RequestID, did event: RequestEvent) {
            guard case .serialized(let number, _) = event else { return }
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
                        eventSink.post(.serialized(.seconds(writer) + .nanoseconds(number), nil))
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
            func request(_ request: RequestID, did event: RequestEvent) {
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
}
