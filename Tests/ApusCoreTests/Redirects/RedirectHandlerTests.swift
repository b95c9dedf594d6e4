internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Handlers that decide about redirects: their precedence, their arguments, and the effect of their result.
@Suite(.timeLimit(.minutes(5))) struct RedirectHandlerTests {
    /// Responds to `/` with a redirect to `location`, and to other paths with a body.
    private static func respond(_ request: RequestMessage, _ location: String, _ status: Int = 302) -> MockResponse {
        guard request.target.path == "/" else { return MockResponse(body: "there") }
        return MockResponse(status: .init(code: status), fields: [.location: location], body: "moved")
    }

    private func session(
        _ location: String = "/b",
        status: Int = 302,
        _ handler: (any RedirectHandler)? = nil
    ) -> TestSession {
        TestSession {
            $0.redirectHandler = handler
        } responding: {
            Self.respond($0, location, status)
        }
    }

    /// A custom handler that records its arguments.
    private struct Recorder: RedirectHandler {
        let notes = LockedList<String>()

        func redirect(
            to request: RequestMessage,
            after response: HTTPResponse,
            context: RequestContext
        ) async throws -> RequestMessage? {
            await Task.yield()
            notes.append(
                "\(response.status.code) \(response.headerFields[.location] ?? "") -> \(request.method) "
                    + "\(request.target.path) after \(context.redirects.map(\.target.path))"
            )
            return request
        }
    }

    // MARK: Calls

    /// Parity: AF-redirect-session
    @Test func isCalledForEachRedirect() async throws {
        let recorder = Recorder()
        let test = TestSession {
            $0.redirectHandler = recorder
        } responding: { request in
            let step = Int(request.target.path.dropFirst()) ?? 0
            return step == 0
                ? MockResponse() : MockResponse(status: .seeOther, fields: [.location: "/\(step - 1)"])
        }
        #expect(try await test.session.post("http://h/2", body: .string("x")).status == .ok)
        #expect(recorder.notes.all == ["303 /1 -> GET /1 after []", "303 /0 -> GET /0 after [\"/2\"]"])
        #expect(try await test.session.get("http://h/0").status == .ok)
        #expect(recorder.notes.count == 2)
        try await assertNothingLeft(test.session)
    }

    /// Marks the request, so that the test sees which handler was called.
    private static func mark(_ name: String) -> Redirector {
        .modify { request, _, _ in
            var request = request
            request.fields[.from] = name
            return request
        }
    }

    static let precedence: [(session: Bool, option: Bool, handle: Bool, called: String?)] = [
        (false, false, false, nil), (true, false, false, "session"), (true, true, false, "option"),
        (true, true, true, "handle"), (false, true, false, "option"), (false, false, true, "handle"),
        (false, true, true, "handle"), (true, false, true, "handle"),
    ]

    /// Parity: AF-redirect-session, AF-redirect-request
    @Test(arguments: precedence)
    func callsOnlyTheNearestHandler(session: Bool, option: Bool, handle: Bool, called: String?) async throws {
        let test = self.session("/b", session ? Self.mark("session") : nil)
        let options: RequestOptions = option ? [Self.mark("option")] : .none
        let request = test.session.request("http://h/", options: options)
        let download = test.session.download("http://h/", to: .temporary, options: options)
        if handle {
            request.redirect(using: Self.mark("earlier")).redirect(using: Self.mark("handle"))
            download.redirect(using: Self.mark("handle"))
        }
        #expect(try await request.serializingString().value == "there")
        try FileManager.default.removeItem(at: try await download.serializingURL().value)
        #expect(test.transport.requests.filter { $0.target.path == "/b" }.map { $0.fields[.from] } == [called, called])
        let other = handle ? (option ? "option" : session ? "session" : nil) : called
        _ = try await test.session.get("http://h/", options: options)
        #expect(test.transport.requests.last?.fields[.from] == other)
        try await assertNothingLeft(test.session)
    }

    @Test func acceptsACustomHandlerAsAnOption() async throws {
        let recorder = Recorder()
        let test = session()
        _ = try await test.session.get("http://h/", options: [Redirector(recorder)])
        for try await _ in try await test.session.stream("http://h/", options: [Redirector(recorder)]).body {}
        _ = await test.session.request("http://h/").redirect(using: recorder).serializingData().response
        #expect(recorder.notes.all == Array(repeating: "302 /b -> GET /b after []", count: 3))
    }

    @Test func isNotCalledIfThePolicyRefuses() async throws {
        let recorder = Recorder()
        let test = session("/b", recorder)
        #expect(try await test.session.get("http://h/", options: [RedirectPolicy.refuse]).status == .found)
        #expect(recorder.notes.count == 0)
    }

    @Test(arguments: [200, 300, 304, 404]) func isNotCalledForOtherResponses(status: Int) async throws {
        let recorder = Recorder()
        #expect(try await session("/b", status: status, recorder).session.get("http://h/").status.code == status)
        #expect(recorder.notes.count == 0)
    }

    // MARK: Decisions

    /// Parity: AF-redirect-follow
    @Test func followsRedirectsUnchanged() async throws {
        let test = session("/b", .follow)
        #expect(try await test.session.get("http://h/").string() == "there")
        #expect(test.transport.requests.count == 2)
    }

    /// The target is not checked: it may have an app's own scheme, be a downgrade, or need the stream a second time.
    ///
    /// Parity: AF-redirect-do-not-follow
    @Test(arguments: ["/b", "myapp://callback?code=1", "http://h/b", "", "//"])
    func returnsAnUnfollowedRedirect(location: String) async throws {
        let test = session(location, status: 307, .doNotFollow)
        let stream = AsyncStream<BodyChunk> { $0.finish() }
        let response = try await test.session.post("https://h/", body: .once(stream))
        #expect(response.status.code == 307)
        #expect(response.fields[.location] == location)
        #expect(try response.string() == "moved")
        #expect(response.redirects.isEmpty)
        #expect(test.transport.requests.count == 1)
        let wrapped = session(location, Redirector(Redirector.doNotFollow))
        #expect(try await wrapped.session.get("https://h/").status == .found)
    }

    @Test func returnsTheRedirectIfTheHandlerReturnsNil() async throws {
        let stopped = session("/b", .modify { request, _, _ in request.target.path == "/b" ? nil : request })
        let response = try await stopped.session.get("http://h/")
        #expect(response.status == .found)
        #expect(try response.string() == "moved")
        #expect(response.redirects.isEmpty)
        try await assertNothingLeft(stopped.session)
    }

    /// A handler that rejects the redirect needs no replayable body.
    @Test func needsNoReplayableBodyToRefuse() async throws {
        let test = TestSession {
            $0.redirectHandler = .modify { _, _, _ in nil }
        } responding: { request in
            if case .once(let content) = request.body.storage { _ = try content.open() }
            return Self.respond(request, "/b", 307)
        }
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        #expect(try await test.session.post("http://h/", body: body).status.code == 307)
    }

    private static func written(_ request: RequestMessage, _ name: String) -> RequestMessage {
        var request = request
        request.fields[.from] = name
        return request
    }

    private static func async(_ request: RequestMessage) async -> RequestMessage {
        await Task.yield()
        return written(request, "async")
    }

    /// Parity: AF-redirect-modify
    @Test func acceptsSyncAndAsyncClosures() async throws {
        let redirectors: [(Redirector, String)] = [
            (.modify { request, _, _ in Self.written(request, "sync") }, "sync"),
            (.modify { request, _, _ in await Self.async(request) }, "async"),
        ]
        for (redirector, name) in redirectors {
            let test = session("/b", redirector)
            _ = try await test.session.get("http://h/")
            #expect(test.transport.requests.map { $0.fields[.from] } == [nil, name])
        }
    }

    @Test func sendsTheRequestOfTheHandler() async throws {
        let handler = Redirector.modify { request, response, _ in
            #expect(response.status == .found)
            #expect(request.method == .get && request.body.isNone)
            var request = request
            request.method = .post
            request.target = try request.target.resolving("/c?d")
            request.fields[.contentType] = "text/plain"
            request.body = .string("again")
            return request
        }
        let test = session("/b", handler)
        let response = try await test.session.post("http://h/", body: .string("first"))
        let sent = try #require(test.transport.requests.last)
        #expect(sent.method == .post)
        #expect(sent.body.length == 5)
        #expect(sent.fields[.contentType] == "text/plain")
        #expect(response.target.uri == "http://h/c?d")
        #expect(response.redirects.map(\.target.uri) == ["http://h/"])
    }

    /// Each exchange sends Accept-Encoding, unless it requests a range or its handler sets the field.
    @Test func sendsAcceptEncodingWithEachExchange() async throws {
        let handlers: [(Redirector, [String])] = [
            (.follow, ["gzip, deflate"]),
            (.modify { _, _, _ in try RequestMessage("http://h/c") }, ["gzip, deflate"]),
            (.modify { request, _, _ in request.setting(.acceptEncoding, to: "br") }, ["br"]),
            (.modify { request, _, _ in request.setting(.range, to: "bytes=0-9") }, []),
            (.modify { _, _, _ in try RequestMessage("http://h/c", fields: [.range: "bytes=0-9"]) }, []),
        ]
        for (handler, codings) in handlers {
            let test = session("/b", handler)
            _ = try await test.session.get("http://h/")
            #expect(test.transport.requests.map { $0.fields[values: .acceptEncoding] } == [["gzip, deflate"], codings])
        }
        let plain = session("/b", Redirector.modify { _, _, _ in try RequestMessage("http://h/c") })
        let fields: HTTPFields = [.acceptEncoding: "gzip, deflate"]
        _ = try await plain.session.get("http://h/", fields: RequestFields(fields), options: [ContentDecoding.off])
        #expect(plain.transport.requests.map { $0.fields[values: .acceptEncoding] } == [["gzip, deflate"], []])
        let test = session("/b", Redirector.modify { request, _, _ in request.setting(.range, to: "bytes=0-9") })
        _ = try await test.session.get("http://h/", fields: [.acceptEncoding: "gzip"])
        #expect(test.transport.requests.map { $0.fields[values: .acceptEncoding] } == [["gzip"], ["gzip"]])
    }

    // MARK: Checks

    struct Credentials: CustomTestStringConvertible {
        let from: String
        let location: String
        /// The target that the handler sets instead.
        var to: String?
        /// The fields that the handler sets.
        var sets: HTTPFields = [:]
        let authorization: String?
        let cookies: [String]

        var testDescription: String { "\(from) \(location) \(to ?? "")" }
    }

    static let credentials: [Credentials] = [
        // Unchanged requests: credentials stay with their origin.
        Credentials(from: "https://a/", location: "/b", authorization: "mine", cookies: ["mine=1"]),
        Credentials(from: "https://a/", location: "https://b/", authorization: nil, cookies: []),
        // Unchanged target: fields set by the handler are sent, even with the values of the first request.
        Credentials(
            from: "https://a/",
            location: "https://b/",
            sets: [.authorization: "mine"],
            authorization: "mine",
            cookies: []
        ),
        Credentials(
            from: "https://a/",
            location: "https://b/",
            sets: [.authorization: "other"],
            authorization: "other",
            cookies: []
        ),
        // Another target in the same origin makes no difference.
        Credentials(from: "https://a/", location: "/b", to: "https://a/c", authorization: "mine", cookies: ["mine=1"]),
        // A target in another origin: inherited values are dropped, even if the handler sets them again.
        Credentials(from: "https://a/", location: "/b", to: "https://b/", authorization: nil, cookies: []),
        Credentials(from: "https://a/", location: "/b", to: "https://a:444/", authorization: nil, cookies: []),
        Credentials(from: "https://a/", location: "/b", to: "https://sub.a/", authorization: nil, cookies: []),
        Credentials(
            from: "https://a/",
            location: "/b",
            to: "https://b/",
            sets: [.authorization: "mine"],
            authorization: nil,
            cookies: []
        ),
        // New values set by the handler are sent.
        Credentials(
            from: "https://a/",
            location: "/b",
            to: "https://b/",
            sets: [.authorization: "other", .cookie: "other=1"],
            authorization: "other",
            cookies: ["other=1"]
        ),
        Credentials(
            from: "https://a/",
            location: "https://b/",
            to: "https://c/",
            sets: [.authorization: "other"],
            authorization: "other",
            cookies: []
        ),
        // User information in the handler's URL is trusted and sent.
        Credentials(
            from: "https://a/",
            location: "/b",
            to: "https://u:p@b/",
            authorization: "Basic dTpw",
            cookies: []
        ),
        Credentials(
            from: "https://a/",
            location: "/b",
            to: "https://u:p@a/c",
            authorization: "Basic dTpw",
            cookies: ["mine=1"]
        ),
        Credentials(
            from: "https://a/",
            location: "/b",
            to: "https://u:p@b/",
            sets: [.authorization: "other"],
            authorization: "other",
            cookies: []
        ),
    ]

    /// Parity: AF-fault-redirect-authorization, AF-redirect-privacy
    @Test(arguments: credentials) func keepsCredentialsWithTheirOrigin(row: Credentials) async throws {
        let handler = Redirector.modify { request, _, _ in
            var request = request
            if let to = row.to { request.target = try TargetURI(to) }
            for field in row.sets { request.fields[field.name] = field.value }
            return request
        }
        let test = TestSession {
            $0.redirectHandler = handler
        } responding: { request in
            request.target.uri == row.from ? Self.respond(request, row.location) : MockResponse()
        }
        var fields: HTTPFields = [.authorization: "mine", .cookie: "mine=1", .userAgent: "me", .accept: "a/b"]
        fields[try #require(HTTPField.Name("X-API-Key"))] = "mine"
        fields[.origin] = "https://a"
        _ = try await test.session.get(row.from, fields: RequestFields(fields))
        let sent = try #require(test.transport.requests.last)
        #expect(test.transport.requests.count == 2)
        #expect(sent.fields[.authorization] == row.authorization)
        #expect(sent.fields[values: .cookie] == row.cookies)
        #expect(sent.fields[.userAgent] == "me" && sent.fields[.accept] == "a/b")
        let isSameOrigin = sent.target.origin.authority == "a"
        #expect((sent.fields[.origin] != nil) == isSameOrigin)
        #expect(sent.fields.contains { $0.name.canonicalName == "x-api-key" } == isSameOrigin)
    }

    @Test func sendsANewCookieWithoutTheInheritedOnes() async throws {
        let handler = Redirector.modify { request, _, _ in
            var request = request
            request.target = try TargetURI("https://b/c")
            request.fields.append(HTTPField(name: .cookie, value: "other=1"))
            return request
        }
        let test = session("/b", handler)
        _ = try await test.session.get("https://a/", fields: [.cookie: "mine=1"])
        #expect(test.transport.requests.last?.fields[values: .cookie] == ["other=1"])
    }

    @Test func downgradesToPlainHTTPOnlyIfAllowed() async throws {
        let handler = Redirector.modify { request, _, _ in
            var request = request
            request.target = try TargetURI("http://h/b?a=sesame")
            return request
        }
        let test = session("/b", handler)
        let error = try #require(await failure { try await test.session.get("https://h/") })
        #expect(error.code == .redirectInvalid)
        #expect(error.hint?.contains("allowsDowngrade") == true)
        #expect(!error.debugDescription.contains("sesame"))
        #expect(error.responseCode == 302)
        #expect(test.transport.requests.count == 1)
        let allowed: RequestOptions = [RedirectPolicy.follow(allowsDowngrade: true)]
        #expect(try await test.session.get("https://h/", options: allowed).target.uri == "http://h/b?a=sesame")
        #expect(try await session("/b", handler).session.get("http://h/").status == .ok)
        // The handler is not called if the Location itself is a downgrade.
        let recorder = Recorder()
        let other = session("http://h/b", recorder)
        #expect(await failure { try await other.session.get("https://h/") }?.code == .redirectInvalid)
        #expect(recorder.notes.count == 0)
    }

    @Test func needsAReplayableBody() async throws {
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let handler = Redirector.modify { request, _, _ in
            var request = request
            request.method = .post
            request.target = try request.target.resolving("/c")
            request.body = body
            return request
        }
        let test = TestSession {
            $0.redirectHandler = handler
        } responding: { request in
            if case .once(let content) = request.body.storage { _ = try content.open() }
            return Self.respond(request, "/b")
        }
        let error = await failure { try await test.session.post("http://h/", body: body) }
        #expect(error?.code == .bodyNotReplayable)
        #expect(error?.detail.contains("the redirect to http://h/c") == true)
    }

    @Test func rejectsAnInvalidRequest() async throws {
        let handler = Redirector.modify { request, _, _ in
            var request = request
            request.body = .string("x")
            return request
        }
        #expect(await failure { try await session("/b", handler).session.get("http://h/") }?.code == .invalidRequest)
    }

    @Test func countsTheRedirectsOfTheHandler() async throws {
        let count = LockedList<Int>()
        let ring = Redirector.modify { request, _, _ in
            var request = request
            request.target = try TargetURI("http://h/")
            return request
        }
        let further = Redirector.modify { request, _, _ in
            count.append(1)
            var request = request
            request.target = try TargetURI("http://h/\(count.count)")
            return request
        }
        let test = TestSession { _ in MockResponse(status: .found, fields: [.location: "/b"]) }
        let loop = await failure { try await test.session.get("http://h/", options: [ring]) }
        #expect(loop?.code == .tooManyRedirects)
        #expect(loop?.redirects.count == 20)
        let many = await failure { try await test.session.get("http://h/", options: [further]) }
        #expect(many?.code == .tooManyRedirects)
        #expect(many?.redirects.count == 20)
        try await assertNothingLeft(test.session)
    }

    // MARK: Errors

    private struct Tired: Error {}

    @Test func failsWithTheErrorOfTheHandler() async throws {
        let source = ScriptedBody(["a", "b"])
        let transport = BodyTransport(status: .found, fields: [.location: "/b"]) { _ in .stream(source) }
        var configuration = Session.Configuration()
        configuration.redirectHandler = .modify { _, _, _ in throw Tired() }
        let session = Session(configuration: configuration, transport: transport)
        let error = try #require(await failure { try await session.get("http://h/") })
        #expect(error.code == .redirectHandlerFailed)
        #expect(error.phase == .redirect && error.blame == .local)
        #expect(error.underlying is Tired)
        #expect(error.url == "http://h/")
        #expect(error.responseCode == 302)
        #expect(source.discards == 1)
        let own = Redirector.modify { _, _, _ in throw ApusError(.invalidField, "no") }
        let second = await failure { try await session.get("http://h/", options: [own]) }
        #expect(second?.code == .invalidField)
        let gone = Redirector.modify { _, _, _ in throw CancellationError() }
        #expect(await failure { try await session.get("http://h/", options: [gone]) }?.code == .cancelled)
        try await assertNothingLeft(session)
    }

    @Test func isCancelledWithItsRequest() async throws {
        let barrier = Barrier()
        let handler = Redirector.modify { request, _, _ in
            try await barrier.passUnlessCancelled()
            return request
        }
        let test = session("/b", handler)
        let request = test.session.request("http://h/")
        let task = request.serializingData()
        await barrier.reached()
        request.cancel()
        #expect(await task.response.error?.code == .cancelled)
        #expect(test.transport.requests.count == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func hasADescription() {
        #expect("\(Redirector.follow)" == "follow")
        #expect("\(Redirector.doNotFollow)" == "do not follow")
        #expect("\(Redirector.modify { request, _, _ in request })" == "modify")
        #expect("\(Redirector(Recorder()))" == "ask Recorder")
    }
}

extension RequestMessage {
    fileprivate func setting(_ name: HTTPField.Name, to value: String) -> RequestMessage {
        var request = self
        request.fields[name] = value
        return request
    }
}
