internal import ApusTesting
internal import Dispatch
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct OutboxTests {
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

    @Test func handsOverInOrder() {
        let monitor = RecordingEventMonitor()
        let outbox = Outbox(request: id, pump: EventPump([monitor]))
        outbox.append(.resumed)
        outbox.append(.suspended)
        #expect(monitor.names(of: id).isEmpty)
        outbox.drain()
        #expect(monitor.names(of: id) == ["resumed", "suspended"])
        outbox.append(.cancelled)
        outbox.post(.finished)
        outbox.drain()
        #expect(monitor.names(of: id) == ["resumed", "suspended", "cancelled", "finished"])
    }

    @Test func keepsTheOrderOfEachWriterAndTellsEveryMonitorTheSame() async {
        let monitors = [NumberMonitor(), NumberMonitor(), NumberMonitor()]
        let outbox = Outbox(request: id, pump: EventPump(monitors))
        let writers = 8
        let count = 500
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in 0..<count {
                        outbox.post(.serialized(.seconds(writer) + .nanoseconds(number), nil))
                    }
                }
            }
        }
        let told = monitors[0].numbers
        #expect(told.count == writers * count)
        for writer in 0..<writers {
            let own = told.filter { $0.components.seconds == writer }
            #expect(own == own.sorted() && own.count == count)
        }
        for monitor in monitors { #expect(monitor.numbers == told) }
    }

    @Test func takesEventsFromAMonitorThatIsBeingTold() {
        final class Echo: EventMonitor {
            let queue = DispatchQueue(label: "apus.tests.echo")
            let latency = Duration.zero
            let outbox = Lock<Outbox?>(nil)
            func request(_ request: RequestID, did event: RequestEvent) {
                guard case .resumed = event else { return }
                outbox.withLock { $0 }?.post(.suspended)
            }
        }
        let echo = Echo()
        let monitor = RecordingEventMonitor()
        let outbox = Outbox(request: id, pump: EventPump([echo, monitor]))
        echo.outbox.withLock { $0 = outbox }
        outbox.post(.resumed)
        echo.queue.sync {}
        #expect(monitor.names(of: id) == ["resumed", "suspended"])
    }
}
