internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import Testing

@testable internal import ApusCore

/// Control of a request through its task, the evaluation of acceptable content types, and the queues of callbacks.
@Suite(.timeLimit(.minutes(5))) struct AwaitedResponseTests {
    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private static var place: String { DispatchQueue.getSpecific(key: mainKey) == true ? "main" : "elsewhere" }

    private static func acceptable(_ wanted: LockedList<String>, recording evaluations: LockedList<Int>) -> [String] {
        evaluations.append(wanted.count)
        return wanted.all
    }

    @Test func suspendsAndResumesItsRequest() async throws {
        let test = TestSession.configured { $0.startRequestsImmediately = false }
        let request = test.session.request("http://h/")
        let task = request.serializingString()
        #expect(request.state == .initialized)
        task.suspend()
        #expect(request.state == .suspended)
        #expect(test.transport.requests.isEmpty)
        task.resume()
        #expect(try await task.value == "ok")
        #expect(test.names(of: request).prefix(2) == ["suspended", "resumed"])
        try await assertNothingLeft(test.session)
    }

    @Test func cancelsItsRequest() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/")
        let task = request.serializingString()
        await barrier.reached()
        task.cancel()
        #expect(await failure { try await task.value }?.code == .cancelled)
        #expect(await task.response.error?.code == .cancelled)
        #expect(request.state == .cancelled)
        try await assertNothingLeft(test.session)
    }

    /// The list is evaluated neither when the validator is added nor after the body has arrived.
    /// Parity: AF-validate-type-late
    @Test func evaluatesContentTypesWhenTheHeadArrives() async throws {
        let head = Barrier()
        let body = Barrier()
        let evaluations = LockedList<Int>()
        let wanted = LockedList<String>()
        var configuration = Session.Configuration()
        configuration.middleware = [
            ClosureMiddleware { request, context, next in
                await head.pass()
                return try await next(request, context: context)
            }
        ]
        let transport = BodyTransport(fields: [.contentType: "text/plain"]) { _ in
            .stream(HeldBody(["a", "b"], before: 1, body))
        }
        let session = Session(configuration: configuration, transport: transport)
        let task = session.request("http://h/")
            .validate(contentType: Self.acceptable(wanted, recording: evaluations))
            .serializingString()
        await head.reached()
        #expect(evaluations.count == 0)
        wanted.append("text/plain")
        head.open()
        await body.reached()
        #expect(evaluations.all == [1])
        body.open()
        #expect(try await task.value == "ab")
        #expect(evaluations.all == [1])
        try await assertNothingLeft(session)
    }

    /// Parity: AF-session-completion-queue
    @Test func callsHandlersOnTheMainQueueByDefault() async throws {
        let test = TestSession { _ in MockResponse(body: "[1]") }
        let places = LockedList<String>()
        let isDone = Deferred<Bool>()
        let note: @Sendable (String) -> Void = { name in
            places.append("\(name): \(Self.place)")
            if places.count == 6 { isDone.fulfill(true) }
        }
        test.session.request("http://h/")
            .response { _ in note("raw") }
            .response(responseSerializer: DataResponseSerializer()) { _ in note("serializer") }
            .responseData { _ in note("data") }
            .responseString { _ in note("string") }
            .responseDecodable(of: [Int].self) { _ in note("decodable") }
            .responseData(queue: .global()) { _ in note("named") }
        _ = await isDone.value
        let onMain = ["raw: main", "serializer: main", "data: main", "string: main", "decodable: main"]
        #expect(places.all.filter { !$0.hasPrefix("named") } == onMain)
        #expect(places.all.contains("named: elsewhere"))
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-progress-queue
    @Test func reportsProgressOnTheMainQueueByDefault() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let unnamed = Deferred<String>()
        let named = Deferred<String>()
        let request = test.session.request("http://h/")
            .downloadProgress { _ in unnamed.fulfill(Self.place) }
            .downloadProgress(queue: .global()) { _ in named.fulfill(Self.place) }
        _ = await request.serializingData().result
        #expect(await unnamed.value == "main")
        #expect(await named.value == "elsewhere")
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-monitor-queue
    @Test func notifiesMonitorsOnTheMainQueueByDefault() async throws {
        let unnamed = Deferred<String>()
        let named = Deferred<String>()
        let test = TestSession.configured {
            $0.eventMonitors = [
                ClosureEventMonitor { _, _ in unnamed.fulfill(Self.place) },
                ClosureEventMonitor(queue: DispatchQueue(label: "apus.tests.monitor")) { _, _ in
                    named.fulfill(Self.place)
                },
            ]
        }
        _ = try await test.session.get("http://h/")
        #expect(await unnamed.value == "main")
        #expect(await named.value == "elsewhere")
        try await assertNothingLeft(test.session)
    }

    @Test func watchesTheMainQueueWithAPatienceOfFiveSeconds() async {
        let delays = LockedList<String>()
        let watch = MainQueueWatch(logger: Logger(label: "apus.tests")) { delay, _ in delays.append("\(delay)") }
        watch.deliver(on: DispatchQueue(label: "apus.tests.not-main")) {}
        #expect(delays.count == 0)
        let delivered = Deferred<String>()
        watch.deliver(on: .main) { delivered.fulfill(Self.place) }
        #expect(delays.all == ["\(DispatchTimeInterval.seconds(5))"])
        #expect(await delivered.value == "main")
    }
}
