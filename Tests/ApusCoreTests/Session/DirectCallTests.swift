internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DirectCallTests {
    private struct Mark: RequestOption {
        let text: String
    }

    private struct Fault: Error {}

    private struct CustomURL: URLConvertible {
        let path: String
        func asURL() throws -> URL { try "http://h/\(path)".asURL() }
    }

    private struct CustomRequest: RequestConvertible {
        let path: String
        func asRequest() throws -> RequestMessage {
            try RequestMessage("http://h/\(path)", method: .put, body: .string(path))
        }
    }

    private struct FailingURL: URLConvertible {
        func asURL() throws -> URL { throw Fault() }
    }

    private struct FailingRequest: RequestConvertible {
        func asRequest() throws -> RequestMessage { throw Fault() }
    }

    /// A direct call with its method and body.
    struct CallVariant: CustomTestStringConvertible, Sendable {
        let method: HTTPRequest.Method
        let body: String?
        let perform: @Sendable (Session, String) async throws -> Response

        var testDescription: String { "\(method.rawValue)\(body == nil ? "" : " with a body")" }
    }

    private static let query = [URLQueryItem(name: "q", value: "a b")]
    private static let fields: HTTPFields = [.accept: "text/plain"]
    private static let options: RequestOptions = [Mark(text: "of its own")]

    /// Each call with all of its arguments.
    static let callsWithAllArguments: [CallVariant] = [
        CallVariant(method: .get, body: nil) { session, url in
            try await session.get(url, query: query, fields: fields, options: options)
        },
        CallVariant(method: .head, body: nil) { session, url in
            try await session.head(url, query: query, fields: fields, options: options)
        },
        CallVariant(method: .post, body: "1") { session, url in
            try await session.post(url, query: query, fields: fields, body: .string("1"), options: options)
        },
        CallVariant(method: .put, body: "2") { session, url in
            try await session.put(url, query: query, fields: fields, body: .string("2"), options: options)
        },
        CallVariant(method: .patch, body: "3") { session, url in
            try await session.patch(url, query: query, fields: fields, body: .string("3"), options: options)
        },
        CallVariant(method: .delete, body: "4") { session, url in
            try await session.delete(url, query: query, fields: fields, body: .string("4"), options: options)
        },
        CallVariant(method: .options, body: "5") { session, url in
            let message = try RequestMessage(url, method: .options, query: query, fields: fields, body: .string("5"))
            return try await session.send(message, options: options)
        },
    ]

    /// Each call with a URL alone.
    static let callsWithAURLOnly: [CallVariant] = [
        CallVariant(method: .get, body: nil) { session, url in try await session.get(url) },
        CallVariant(method: .head, body: nil) { session, url in try await session.head(url) },
        CallVariant(method: .post, body: nil) { session, url in try await session.post(url) },
        CallVariant(method: .put, body: nil) { session, url in try await session.put(url) },
        CallVariant(method: .patch, body: nil) { session, url in try await session.patch(url) },
        CallVariant(method: .delete, body: nil) { session, url in try await session.delete(url) },
        CallVariant(method: .get, body: nil) { session, url in try await session.send(RequestMessage(url)) },
    ]

    private func body(of request: RequestMessage) -> String? {
        if case .bytes(let chunk) = request.body.storage { String(chunk) } else { nil }
    }

    /// Returns a session that records the `Mark` option of each request.
    private func session(recording marks: LockedList<String?>) -> TestSession {
        TestSession.configured { configuration in
            configuration.middleware = [
                ClosureMiddleware { request, context, next in
                    marks.append(context[Mark.self]?.text)
                    return try await next(request, context: context)
                }
            ]
        }
    }

    @Test(arguments: callsWithAllArguments) func sendsAllArguments(call: CallVariant) async throws {
        let marks = LockedList<String?>()
        let test = session(recording: marks)
        let response = try await call.perform(test.session, "http://h/a?b=c")
        let sent = try #require(test.transport.requests.first)
        #expect(test.transport.requests.count == 1)
        #expect(sent.method == call.method)
        #expect(sent.target.uri == "http://h/a?b=c&q=a%20b")
        #expect(sent.fields[values: .accept] == ["text/plain"])
        #expect(body(of: sent) == call.body)
        #expect(marks.all == ["of its own"])
        #expect(response.status == 200)
        #expect(response.request.method == call.method)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: callsWithAURLOnly) func sendsDefaultsForOmittedArguments(call: CallVariant) async throws {
        let marks = LockedList<String?>()
        let test = session(recording: marks)
        _ = try await call.perform(test.session, "http://h/a?b=c")
        let sent = try #require(test.transport.requests.first)
        #expect(sent.method == call.method)
        #expect(sent.target.uri == "http://h/a?b=c")
        #expect(sent.fields[values: .accept] == ["*/*"])
        #expect(sent.body.isNone)
        #expect(marks.all == [nil])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-request, AF-url-convertible, AF-request-convertible
    @Test func acceptsStringsURLsAndCustomTypes() async throws {
        let test = TestSession()
        let url = try #require(URL(string: "http://h/url"))
        let target = try TargetURI("http://h/target")
        _ = try await test.session.get("http://h/string")
        _ = try await test.session.get(url)
        _ = try await test.session.get(target)
        _ = try await test.session.get(CustomURL(path: "place"))
        _ = try await test.session.send(CustomRequest(path: "recipe"))
        let handles = [
            test.session.request("http://h/string"), test.session.request(url), test.session.request(target),
            test.session.request(CustomURL(path: "place")), test.session.request(CustomRequest(path: "recipe")),
        ]
        for handle in handles { #expect(try await handle.serializingString().value == "ok") }
        let paths = ["/string", "/url", "/target", "/place", "/recipe"]
        #expect(test.transport.requests.map(\.target.path) == paths + paths)
        let methods: [HTTPRequest.Method] = [.get, .get, .get, .get, .put]
        #expect(test.transport.requests.map(\.method) == methods + methods)
        #expect(test.transport.requests.compactMap { body(of: $0) } == ["recipe", "recipe"])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-stage-creation
    @Test func wrapsTheErrorOfACustomType() async throws {
        let test = TestSession()
        let errors = [
            await failure { try await test.session.get(FailingURL()) },
            await failure { try await test.session.send(FailingRequest()) },
            await failure { try await test.session.request(FailingURL()).serializingData().value },
            await failure { try await test.session.request(FailingRequest()).serializingData().value },
        ]
        for error in errors {
            #expect(error?.code == .requestBuildingFailed)
            #expect(error?.underlying is Fault)
        }
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-default
    @Test func sharesADefaultSessionThatUsesSockets() {
        #expect(Session.default === Session.default)
        #expect(Session.default.executor(for: "http://127.0.0.1/") != nil)
    }
}

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
            .downloadProgress { _, _ in unnamed.fulfill(Self.place) }
            .downloadProgress(queue: .global()) { _, _ in named.fulfill(Self.place) }
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
