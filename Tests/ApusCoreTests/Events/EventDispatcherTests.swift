internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct EventDispatcherTests {
    /// Records events in the order of their delivery, and works for some time on each.
    private final class SlowMonitor: EventMonitor {
        let queue: DispatchQueue
        let latency = Duration.zero
        private let steps: Int
        private let delivered = LockedList<(request: UInt64, number: Int64)>()

        init(_ name: String, steps: Int) {
            self.queue = DispatchQueue(label: "apus.tests.\(name)")
            self.steps = steps
        }

        func request(_ request: RequestSummary, did event: RequestEvent) {
            guard case .serialized(let response) = event, let number = response.serializationDuration else { return }
            var sum: UInt64 = 1
            for step in 0..<steps { sum = sum &* 6_364_136_223_846_793_005 &+ UInt64(step) }
            delivered.append((request.id.number, sum == 0 ? -1 : number.components.seconds))
        }

        var all: [(request: UInt64, number: Int64)] {
            queue.sync {}
            return delivered.all
        }
    }

    /// Parity: AF-monitor-queue
    @Test func keepsTheOrderOfEachRequestWithManyThreads() async {
        let monitors = [
            SlowMonitor("fast", steps: 0), SlowMonitor("slow", steps: 200), SlowMonitor("slower", steps: 2000),
        ]
        let dispatcher = EventDispatcher(monitors)
        let (threads, requests, count) = (4, 16, 100)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    let eventSinks = (0..<requests).map { request in
                        let id = RequestID(number: UInt64(thread * requests + request))
                        return RequestEventSink(request: id, dispatcher: dispatcher)
                    }
                    for number in 0..<count {
                        for eventSink in eventSinks {
                            // Uses both ways: posting directly, and draining after appending.
                            if number.isMultiple(of: 3) {
                                eventSink.append(.numbered(number))
                                eventSink.drain()
                            } else {
                                eventSink.post(.numbered(number))
                            }
                        }
                    }
                }
            }
        }
        let first = monitors[0].all
        #expect(first.count == threads * requests * count)
        for (_, delivered) in Dictionary(grouping: first, by: \.request) {
            #expect(delivered.map(\.number) == (0..<Int64(count)).map { $0 })
        }
        for monitor in monitors.dropFirst() {
            let delivered = monitor.all
            #expect(delivered.elementsEqual(first) { $0 == $1 })
        }
    }

    @Test func keepsTheOrderOfEachRequestWithManyTasks() async throws {
        let test = TestSession.configured { $0.requestsInFlight = 8 }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 { _ = try? await test.session.get("http://h/") }
                }
            }
        }
        let names = Dictionary(grouping: test.monitor.events, by: \.request).keys.map { test.monitor.names(of: $0) }
        #expect(names.count == 200)
        let expected = [
            "created", "exchangeBegan", "exchangeEnded", "responded", "validated", "completed", "finished",
        ]
        #expect(names.allSatisfy { $0 == expected }, "\(Set(names))")
    }

    @Test func deliversTheEventsForABusyMonitorTogether() {
        let queue = DispatchQueue(label: "apus.tests.busy")
        let turns = LockedList<String>()
        let monitor = ClosureEventMonitor(queue: queue, latency: .zero) { _, _ in turns.append("event") }
        let dispatcher = EventDispatcher([monitor])
        let eventSink = RequestEventSink(request: RequestID(number: 1), dispatcher: dispatcher)
        let gate = DispatchSemaphore(value: 0)
        queue.async { gate.wait() }
        eventSink.post(.resumed)
        queue.async { turns.append("another's turn") }
        eventSink.post(.suspended)
        eventSink.post(.finished)
        gate.signal()
        queue.sync {}
        #expect(turns.all == ["event", "event", "event", "another's turn"])
    }

    /// Without that, a busy session would collect the memory of thousands of requests.
    @Test func deliversAFullBatchBeforeTheLatencyIsOver() async {
        let delivered = LockedList<String>()
        let queue = DispatchQueue(label: "apus.tests.batches")
        let monitor = ClosureEventMonitor(queue: queue, latency: .seconds(3600)) { delivered.append("\($1)") }
        let dispatcher = EventDispatcher([monitor])
        let eventSink = RequestEventSink(request: id(1), dispatcher: dispatcher)
        eventSink.post(.resumed)
        queue.sync {}
        #expect(delivered.all.isEmpty)
        for _ in 0..<511 { eventSink.post(.suspended) }
        #expect(await eventually { delivered.count == 512 })
        // The next batch counts from here.
        for _ in 0..<511 { eventSink.post(.suspended) }
        queue.sync {}
        #expect(delivered.count == 512)
        eventSink.post(.suspended)
        #expect(await eventually { delivered.count == 1024 })
        #expect(delivered.all == ["resumed"] + Array(repeating: "suspended", count: 1023))
    }

    @Test func deliversOnlyTheLastProgressToABusyMonitor() {
        let queue = DispatchQueue(label: "apus.tests.progress")
        let delivered = LockedList<String>()
        var monitor = ClosureEventMonitor(queue: queue, latency: .zero) { delivered.append("\($0.id) \($1)") }
        monitor.requestDidSendContent = { _, _, _ in }
        let plainMonitor = RecordingEventMonitor()
        let dispatcher = EventDispatcher([monitor, plainMonitor])
        let first = RequestEventSink(request: id(1), dispatcher: dispatcher)
        let second = RequestEventSink(request: id(2), dispatcher: dispatcher)
        let gate = DispatchSemaphore(value: 0)
        queue.async { gate.wait() }
        for count in 1...3 { first.post(.contentSent(Int64(count), of: 9)) }
        second.post(.contentSent(4, of: nil))
        for count in 5...6 { second.post(.contentReceived(Int64(count), of: nil)) }
        first.post(.contentSent(9, of: 9))
        first.post(.finished)
        first.post(.contentSent(1, of: 9))
        gate.signal()
        queue.sync {}
        let expected = [
            "1 sent 3 of 9 bytes", "2 sent 4 bytes", "2 received 6 bytes", "1 sent 9 of 9 bytes", "1 finished",
            "1 sent 1 of 9 bytes",
        ]
        #expect(delivered.all == expected)
        #expect(plainMonitor.events.map { "\($0.event)" } == ["finished"])
    }

    private func id(_ number: UInt64) -> RequestID { RequestID(number: number) }

    @Test func doesNotMonopolizeTheQueueOfAMonitor() {
        let queue = DispatchQueue(label: "apus.tests.turns")
        let turns = LockedList<String>()
        let eventSink = Lock<RequestEventSink?>(nil)
        // The monitor posts an event for each event, which would occupy its queue forever.
        let monitor = ClosureEventMonitor(queue: queue, latency: .zero) { _, _ in
            turns.append("event")
            let isOver = turns.count > 100
            if !isOver { eventSink.withLock { $0 }?.post(.suspended) }
        }
        let made = RequestEventSink(request: RequestID(number: 1), dispatcher: EventDispatcher([monitor]))
        eventSink.withLock { $0 = made }
        let gate = DispatchSemaphore(value: 0)
        queue.async { gate.wait() }
        made.post(.resumed)
        queue.async { turns.append("another's turn") }
        gate.signal()
        while turns.count <= 100 { queue.sync {} }
        #expect(turns.all.firstIndex(of: "another's turn") == 1)
    }

    @Test func letsAMonitorMakeRequests() async throws {
        let session = Lock<Session?>(nil)
        let follower = Deferred<String>()
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "apus.tests.requesting")) { _, event in
            guard case .created(let message) = event, message.target.path == "/first" else { return }
            session.withLock { $0 }?.request("http://h/second").responseString(queue: .global()) { response in
                follower.fulfill(response.value ?? "")
            }
        }
        let test = TestSession(configuring: { $0.eventMonitors = [monitor] }) { request in
            MockResponse(body: request.target.path)
        }
        session.withLock { $0 = test.session }
        _ = try await test.session.get("http://h/first")
        #expect(await follower.value == "/second")
        session.withLock { $0 = nil }
    }

    @Test func notifiesMonitorsAfterTheirSessionIsReleased() async throws {
        let monitor = RecordingEventMonitor()
        func id() async throws -> RequestID {
            var configuration = Session.Configuration()
            configuration.eventMonitors = [monitor]
            let session = Session(configuration: configuration, transport: MockTransport { _ in MockResponse() })
            let request = session.request("http://h/")
            _ = await request.serializingData().response
            return request.id
        }
        #expect(monitor.names(of: try await id()).last == "finished")
    }
}

extension RequestEvent {
    /// An event that is recognized by its number.
    static func numbered(_ number: Int) -> RequestEvent {
        .serialized(ResponseSummary(serializationDuration: .seconds(number)))
    }
}
