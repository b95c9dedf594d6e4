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

    private struct Place: URLConvertible {
        let path: String
        func asURL() throws -> URL { try "http://h/\(path)".asURL() }
    }

    private struct Recipe: RequestConvertible {
        let path: String
        func asRequest() throws -> RequestMessage {
            try RequestMessage("http://h/\(path)", method: .put, body: .string(path))
        }
    }

    private struct NoPlace: URLConvertible {
        func asURL() throws -> URL { throw Fault() }
    }

    private struct NoRecipe: RequestConvertible {
        func asRequest() throws -> RequestMessage { throw Fault() }
    }

    /// One of the direct calls.
    struct Verb: CustomTestStringConvertible, Sendable {
        let method: HTTPRequest.Method
        let content: String?
        let call: @Sendable (Session, String) async throws -> Response

        var testDescription: String { "\(method.rawValue)\(content == nil ? "" : " with a content")" }
    }

    private static let query = [URLQueryItem(name: "q", value: "a b")]
    private static let fields: HTTPFields = [.accept: "text/plain"]
    private static let options: RequestOptions = [Mark(text: "of its own")]

    /// The calls with all that each can be given.
    static let wholeVerbs: [Verb] = [
        Verb(method: .get, content: nil) { session, url in
            try await session.get(url, query: query, fields: fields, options: options)
        },
        Verb(method: .head, content: nil) { session, url in
            try await session.head(url, query: query, fields: fields, options: options)
        },
        Verb(method: .post, content: "1") { session, url in
            try await session.post(url, query: query, fields: fields, body: .string("1"), options: options)
        },
        Verb(method: .put, content: "2") { session, url in
            try await session.put(url, query: query, fields: fields, body: .string("2"), options: options)
        },
        Verb(method: .patch, content: "3") { session, url in
            try await session.patch(url, query: query, fields: fields, body: .string("3"), options: options)
        },
        Verb(method: .delete, content: "4") { session, url in
            try await session.delete(url, query: query, fields: fields, body: .string("4"), options: options)
        },
        Verb(method: .options, content: "5") { session, url in
            let message = try RequestMessage(url, method: .options, query: query, fields: fields, body: .string("5"))
            return try await session.send(message, options: options)
        },
    ]

    /// The calls with nothing but a URL.
    static let plainVerbs: [Verb] = [
        Verb(method: .get, content: nil) { session, url in try await session.get(url) },
        Verb(method: .head, content: nil) { session, url in try await session.head(url) },
        Verb(method: .post, content: nil) { session, url in try await session.post(url) },
        Verb(method: .put, content: nil) { session, url in try await session.put(url) },
        Verb(method: .patch, content: nil) { session, url in try await session.patch(url) },
        Verb(method: .delete, content: nil) { session, url in try await session.delete(url) },
        Verb(method: .get, content: nil) { session, url in try await session.send(RequestMessage(url)) },
    ]

    private func content(of request: RequestMessage) -> String? {
        if case .bytes(let chunk) = request.body.storage { String(chunk) } else { nil }
    }

    /// A session that notes the option of each request.
    private func session(noting marks: Notes<String?>) -> TestSession {
        TestSession.configured { configuration in
            configuration.middleware = [
                ClosureMiddleware { request, context, next in
                    marks.append(context[Mark.self]?.text)
                    return try await next(request, context: context)
                }
            ]
        }
    }

    @Test(arguments: wholeVerbs) func sendsAllThatItIsGiven(verb: Verb) async throws {
        let marks = Notes<String?>()
        let test = session(noting: marks)
        let response = try await verb.call(test.session, "http://h/a?b=c")
        let sent = try #require(test.transport.requests.first)
        #expect(test.transport.requests.count == 1)
        #expect(sent.method == verb.method)
        #expect(sent.target.uri == "http://h/a?b=c&q=a%20b")
        #expect(sent.fields[values: .accept] == ["text/plain"])
        #expect(content(of: sent) == verb.content)
        #expect(marks.all == ["of its own"])
        #expect(response.status == 200)
        #expect(response.request.method == verb.method)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: plainVerbs) func sendsNothingThatItIsNotGiven(verb: Verb) async throws {
        let marks = Notes<String?>()
        let test = session(noting: marks)
        _ = try await verb.call(test.session, "http://h/a?b=c")
        let sent = try #require(test.transport.requests.first)
        #expect(sent.method == verb.method)
        #expect(sent.target.uri == "http://h/a?b=c")
        #expect(sent.fields[values: .accept] == ["*/*"])
        #expect(sent.body.isNone)
        #expect(marks.all == [nil])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-request, AF-url-convertible, AF-request-convertible
    @Test func isForWhatAStringAURLOrATypeOfTheUsersSays() async throws {
        let test = TestSession()
        let url = try #require(URL(string: "http://h/url"))
        let target = try TargetURI("http://h/target")
        _ = try await test.session.get("http://h/string")
        _ = try await test.session.get(url)
        _ = try await test.session.get(target)
        _ = try await test.session.get(Place(path: "place"))
        _ = try await test.session.send(Recipe(path: "recipe"))
        let handles = [
            test.session.request("http://h/string"), test.session.request(url), test.session.request(target),
            test.session.request(Place(path: "place")), test.session.request(Recipe(path: "recipe")),
        ]
        for handle in handles { #expect(try await handle.serializingString().value == "ok") }
        let paths = ["/string", "/url", "/target", "/place", "/recipe"]
        #expect(test.transport.requests.map(\.target.path) == paths + paths)
        let methods: [HTTPRequest.Method] = [.get, .get, .get, .get, .put]
        #expect(test.transport.requests.map(\.method) == methods + methods)
        #expect(test.transport.requests.compactMap { content(of: $0) } == ["recipe", "recipe"])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-stage-creation
    @Test func failsByWhatATypeOfTheUsersThrows() async throws {
        let test = TestSession()
        let errors = [
            await failure { try await test.session.get(NoPlace()) },
            await failure { try await test.session.send(NoRecipe()) },
            await failure { try await test.session.request(NoPlace()).serializingData().value },
            await failure { try await test.session.request(NoRecipe()).serializingData().value },
        ]
        for error in errors {
            #expect(error?.code == .requestBuildingFailed)
            #expect(error?.underlying is Fault)
        }
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-default
    @Test func sharesOneSessionByDefaultWhichSpeaksToSockets() {
        #expect(Session.default === Session.default)
        #expect(Session.default.executor(for: "http://127.0.0.1/") != nil)
    }
}

/// What those who await an answer can do to its request, when types are asked for, and where callbacks come.
@Suite(.timeLimit(.minutes(5))) struct AwaitedAnswerTests {
    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private static var place: String { DispatchQueue.getSpecific(key: mainKey) == true ? "main" : "elsewhere" }

    private static func acceptable(_ wanted: Notes<String>, noting asked: Notes<Int>) -> [String] {
        asked.append(wanted.count)
        return wanted.all
    }

    @Test func holdsItsRequestBackAndLetsItGoOn() async throws {
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

    @Test func givesItsRequestUp() async throws {
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

    /// Neither where the validator is added, nor when the content is here.
    /// Parity: AF-validate-type-late
    @Test func isAskedForContentTypesWhenTheHeadIsHere() async throws {
        let head = Barrier()
        let content = Barrier()
        let asked = Notes<Int>()
        let wanted = Notes<String>()
        var configuration = Session.Configuration()
        configuration.middleware = [
            ClosureMiddleware { request, context, next in
                await head.pass()
                return try await next(request, context: context)
            }
        ]
        let transport = BodyTransport(fields: [.contentType: "text/plain"]) { _ in
            .stream(HeldBody(["a", "b"], before: 1, content))
        }
        let session = Session(configuration: configuration, transport: transport)
        let task = session.request("http://h/")
            .validate(contentType: Self.acceptable(wanted, noting: asked))
            .serializingString()
        await head.reached()
        #expect(asked.count == 0)
        wanted.append("text/plain")
        head.open()
        await content.reached()
        #expect(asked.all == [1])
        content.open()
        #expect(try await task.value == "ab")
        #expect(asked.all == [1])
        try await assertNothingLeft(session)
    }

    /// Parity: AF-session-completion-queue
    @Test func comesOnTheMainQueueUnlessAnotherIsNamed() async throws {
        let test = TestSession { _ in MockResponse(body: "[1]") }
        let places = Notes<String>()
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
    @Test func tellsProgressOnTheMainQueueUnlessAnotherIsNamed() async throws {
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
    @Test func tellsMonitorsOnTheMainQueueUnlessTheyNameAnother() async throws {
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

    @Test func isMissedOnTheMainQueueAfterFiveSeconds() async {
        let delays = Notes<String>()
        let watch = MainQueueWatch(logger: Logger(label: "apus.tests")) { delay, _ in delays.append("\(delay)") }
        watch.deliver(on: DispatchQueue(label: "apus.tests.not-main")) {}
        #expect(delays.count == 0)
        let delivered = Deferred<String>()
        watch.deliver(on: .main) { delivered.fulfill(Self.place) }
        #expect(delays.all == ["\(DispatchTimeInterval.seconds(5))"])
        #expect(await delivered.value == "main")
    }
}
