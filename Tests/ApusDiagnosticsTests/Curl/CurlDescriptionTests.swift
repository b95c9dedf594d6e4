internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusDiagnostics

/// The curl commands of requests and sessions. `CurlRunTests` runs them with a shell and a server.
@Suite(.timeLimit(.minutes(5))) struct CurlDescriptionTests {
    private static let bare = "-H 'User-Agent:' -H 'Accept:'"

    private static func bare(_ configuration: inout Session.Configuration) {
        configuration.fields = [:]
        configuration.contentDecoding = .off
        configuration.redirects = .refuse
        configuration.cookies = .off
    }

    private func session(
        _ configure: (inout Session.Configuration) -> Void = { _ in },
        responding handler: @escaping MockTransport.Handler = { _ in MockResponse(body: "ok") }
    ) -> TestSession {
        TestSession(
            configuring: { configuration in
                Self.bare(&configuration)
                configure(&configuration)
            },
            responding: handler
        )
    }

    // MARK: The command

    @Test func isMadeAsADirectCallWouldBe() async throws {
        let test = TestSession(configuring: { $0.baseURL = "http://h/v1" }) { _ in MockResponse() }
        let request = ParameterizedRequest("users", parameters: ["a": 1]) { request in
            request.options[ContentDecoding.self] = .off
        }
        let options: RequestOptions = [ContentDecoding.automatic]
        let command = try await test.session.cURLDescription(of: request, options: options)
        #expect(command.contains("http://h/v1/users?a=1"))
        // The modifier comes after the options of the call.
        #expect(!command.contains("--compressed"))
        #expect(test.requestCount == 0)
    }

    /// Parity: AF-curl-description
    @Test func includesTheChangesOfTheSession() async throws {
        let signature = ClosureMiddleware { request, context, next in
            var request = request
            request.fields[.from] = "the wire"
            return try await next(request, context: context)
        }
        let test = session {
            $0.fields = [.userAgent: "u", .accept: "a"]
            $0.contentDecoding = .automatic
            $0.redirects = .follow(limit: 3)
            $0.timeouts.request = .seconds(7)
            $0.cookies = .automatic
            $0.interceptor = Interceptor(adapters: [
                Adapter { request, _ in
                    var request = request
                    request.fields[.acceptLanguage] = "x\(request.fields.count)"
                    return request
                }
            ])
            $0.networkMiddleware = [signature]
        }
        let jar = try #require(test.session.cookies)
        try jar.receive(setCookie: "a=1", from: TargetURI("http://h/"))
        let expected =
            "curl -L --max-redirs '3' --max-time '7' --compressed -H 'User-Agent: u' -H 'Accept: a' "
            + "-H 'Accept-Encoding: gzip, deflate' -H 'Accept-Language: x0' -u 'ada:p w' -H 'Cookie: a=1' "
            + "-H 'From: the wire' 'http://h/x'"
        let seen = Deferred<String>()
        let request = test.session.request("http://ada:p%20w@h/x").cURLDescription(on: .global()) { seen.fulfill($0) }
        let message = try RequestMessage("http://ada:p%20w@h/x")
        let texts = (try await test.session.cURLDescription(of: message), try await request.cURLDescription())
        #expect(texts.0 == expected)
        #expect(texts.1 == expected)
        #expect(test.transport.requests.isEmpty && test.monitor.names(of: request.id).isEmpty)
        _ = await request.serializingData().response
        #expect(await seen.value == expected)
        #expect(try await request.cURLDescription() == expected)
        #expect(test.transport.requests.count == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func includesTheOptionsOfTheRequest() async throws {
        let test = session { $0.redirects = .follow }
        let options: RequestOptions = [RedirectPolicy.follow(limit: 2), RequestDeadline(.seconds(9))]
        let message = try RequestMessage("http://h/")
        #expect(
            try await test.session.cURLDescription(of: message, options: options)
                == "curl -L --max-redirs '2' --max-time '9' \(Self.bare) 'http://h/'"
        )
        #expect(
            try await test.session.cURLDescription(of: message, options: [Redirector.doNotFollow])
                == "curl \(Self.bare) 'http://h/'"
        )
        let request = test.session.request(message, options: options).redirect(using: .doNotFollow)
            .adapt(using: Adapter.synchronous { request, _ in request.method = .delete })
        #expect(try await request.cURLDescription() == "curl -X 'DELETE' --max-time '9' \(Self.bare) 'http://h/'")
        #expect(try message.cURLDescription() == "curl \(Self.bare) 'http://h/'")
        try await assertNothingLeft(test.session)
    }

    @Test func describesTheLastAttempt() async throws {
        let test = session(responding: { request in
            request.fields[.from] == "1" ? MockResponse(body: "ok") : MockResponse(status: .serviceUnavailable)
        })
        let seen = Deferred<String>()
        let request = test.session.request("http://h/").validate()
            .adapt(using: Adapter.synchronous { request, context in request.fields[.from] = "\(context.retryCount)" })
            .retry(using: Retrier { attempt, _ in attempt.retryCount == 0 ? .retry : .doNotRetry })
            .cURLDescription(on: .global()) { seen.fulfill($0) }
        _ = await request.serializingData().response
        #expect(await seen.value == "curl -H 'From: 0' \(Self.bare) 'http://h/'")
        #expect(try await request.cURLDescription() == "curl -H 'From: 1' \(Self.bare) 'http://h/'")
    }

    @Test func describesTheRequestBeforeTheRedirect() async throws {
        let test = session({ $0.redirects = .follow }) { request in
            guard request.target.path == "/a" else {
                return request.fields.contains(.authorization)
                    ? MockResponse(body: "ok")
                    : MockResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            return MockResponse(status: .found, fields: [.location: "/b"])
        }
        let request = test.session.request("http://h/a").authenticate(username: "ada", password: "pw")
        _ = await request.serializingData().response
        #expect(test.transport.requests.count == 3)
        #expect(try await request.cURLDescription() == "curl -L --max-redirs '20' \(Self.bare) 'http://h/a'")
    }

    @Test func includesTheCredentialsForAChallenge() async throws {
        let store = CredentialStore()
        store.set(.user("ada", password: "pw"), for: ProtectionSpace(Origin(scheme: .http, host: "h")))
        let test = session({ $0.credentials = CredentialSource(store) }) { request in
            request.fields.contains(.authorization)
                ? MockResponse(body: "ok")
                : MockResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Basic realm=\"r\""])
        }
        let message = try RequestMessage("http://h/a/b")
        #expect(try await test.session.cURLDescription(of: message) == "curl \(Self.bare) 'http://h/a/b'")
        let request = test.session.request(message)
        _ = await request.serializingData().response
        #expect(try await request.cURLDescription() == "curl -u 'ada:pw' \(Self.bare) 'http://h/a/b'")
        // The session knows now that the server accepts them.
        #expect(try await test.session.cURLDescription(of: message) == "curl -u 'ada:pw' \(Self.bare) 'http://h/a/b'")
        #expect(
            try await test.session.request(message).cURLDescription() == "curl -u 'ada:pw' \(Self.bare) 'http://h/a/b'"
        )
    }

    @Test func describesTheRequestIfNothingWasSent() async throws {
        let cache = ClosureMiddleware { request, context, _ in
            ResponseMessage(status: .ok, answering: request, in: context)
        }
        let test = session { $0.middleware = [cache] }
        let message = try RequestMessage("http://h/", fields: [.from: "me"])
        let expected = "curl -H 'From: me' \(Self.bare) 'http://h/'"
        #expect(try await test.session.cURLDescription(of: message) == expected)
        let request = test.session.request(message)
        _ = await request.serializingData().response
        #expect(try await request.cURLDescription() == expected)
    }

    // MARK: Side effects

    @Test func sendsNothingAndNotifiesNoMonitor() async throws {
        let endings = LockedList<ApusError.Code?>()
        let watcher = ClosureMiddleware { request, context, next in
            do {
                return try await next(request, context: context)
            } catch {
                endings.append((error as? ApusError)?.code)
                throw error
            }
        }
        let test = session { $0.middleware = [watcher] }
        _ = try await test.session.cURLDescription(of: RequestMessage("http://h/"))
        #expect(await eventually { endings.count == 1 })
        #expect(endings.all == [.cancelled])
        #expect(test.transport.requests.isEmpty)
        #expect(test.monitor.events.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func doesNotWaitForMiddlewareThatIgnoresCancellation() async throws {
        let barrier = Barrier()
        let stubborn = ClosureMiddleware { request, context, next in
            let result = try? await next(request, context: context)
            await barrier.pass()
            guard let result else { return try await next(request, context: context) }
            return result
        }
        let test = session { $0.middleware = [stubborn] }
        #expect(
            try await test.session.cURLDescription(of: RequestMessage("http://h/")) == "curl \(Self.bare) 'http://h/'"
        )
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    @Test func isCancelledWithItsTask() async throws {
        let barrier = Barrier()
        let held = Adapter { request, _ in
            await barrier.pass()
            return request
        }
        let test = session { $0.interceptor = Interceptor(adapters: [held]) }
        let task = Task { await failure { try await test.session.cURLDescription(of: RequestMessage("http://h/")) } }
        await barrier.reached()
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    // MARK: Handlers

    /// Parity: AF-curl-calling
    @Test func callsEachHandlerOnce() async throws {
        let test = session()
        let queue = TestQueue("curl")
        let seen = LockedList<String>()
        let request = test.session.request("http://h/")
        let describe = { (name: String) in
            request.cURLDescription(on: queue.queue) { text in
                seen.append("\(name) \(TestQueue.current ?? "elsewhere") \(text)")
            }
        }
        _ = describe("before")
        _ = describe("again")
        request.resume()
        _ = describe("under way")
        _ = await request.serializingData().response
        _ = describe("after")
        queue.queue.sync {}
        let text = "curl curl \(Self.bare) 'http://h/'"
        #expect(seen.all.sorted() == ["after \(text)", "again \(text)", "before \(text)", "under way \(text)"])
        #expect(test.transport.requests.count == 1)
    }

    @Test func waitsForAQueuedRequest() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { configuration in
            Self.bare(&configuration)
            configuration.requestsInFlight = 1
        }
        let first = test.session.request("http://h/1").resume()
        await barrier.reached()
        let second = test.session.request("http://h/2").resume()
        let text = Task { try await second.cURLDescription() }
        let abandoned = Task { await failure { try await second.cURLDescription() } }
        abandoned.cancel()
        #expect(await abandoned.value?.code == .cancelled)
        barrier.open()
        #expect(try await text.value == "curl \(Self.bare) 'http://h/2'")
        _ = await (first.serializingData().response, second.serializingData().response)
        try await assertNothingLeft(test.session)
    }

    private enum Failure: CaseIterable {
        case build, adapt, cancelledBefore, cancelledInQueue, released, shutDown, stream, refused
    }

    /// Parity: AF-curl-calling
    @Test(arguments: Failure.allCases)
    private func reportsWhyThereIsNoCommand(failure kind: Failure) async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { configuration in
            Self.bare(&configuration)
            configuration.requestsInFlight = 1
        }
        let seen = LockedList<String>()
        var body = RequestBody.none
        if kind == .stream { body = .once(AsyncStream<BodyChunk> { $0.finish() }) }
        if kind == .refused { body = .string("x") }
        var request: DataRequest? = test.session.request(
            kind == .build ? "nonsense" : "http://h/$(id)'",
            method: kind == .stream ? .post : .get,
            body: body
        )
        for _ in 0..<2 {
            request?.cURLDescription(on: .global()) { seen.append($0) }
        }
        var expected = ApusError.Code.cancelled
        switch kind {
        case .build: expected = .invalidURL
        case .adapt:
            expected = .adaptationFailed
            request?.adapt(using: Adapter { _, _ in throw CocoaError(.userCancelled) })
        case .cancelledBefore: request?.cancel()
        case .cancelledInQueue:
            test.session.request("http://h/").resume()
            await barrier.reached()
            request?.resume()
            request?.cancel()
        case .shutDown:
            expected = .sessionShutDown
            await test.session.shutdown(within: .zero)
        case .stream, .refused: expected = .invalidRequest
        case .released: request = nil
        }
        request?.resume()
        #expect(await eventually { seen.count == 2 })
        for text in seen.all {
            #expect(text.hasPrefix("# no curl command: '") && text.hasSuffix("'"), "\(text)")
            #expect(text.filter { $0 == "'" }.count == 2 && !text.contains("\n"), "\(text)")
        }
        if let request {
            let error = await failure { try await request.cURLDescription() }
            #expect(error?.code == expected)
        }
        barrier.open()
        try await assertNothingLeft(test.session)
        #expect(seen.count == 2)
    }

    @Test func isAvailableForAFailedRequest() async throws {
        let test = session(responding: { _ in throw ApusError(.connectFailed, "nobody is there") })
        let request = test.session.request("http://h/")
        #expect(await request.serializingData().response.error?.code == .connectFailed)
        #expect(try await request.cURLDescription() == "curl \(Self.bare) 'http://h/'")
    }

    @Test func describesADownload() async throws {
        let test = session()
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        let request = test.session.download("http://h/", to: .file(file))
        #expect(try await request.cURLDescription() == "curl \(Self.bare) 'http://h/'")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    // MARK: Secrets

    @Test func omitsSecretsForLogs() async throws {
        let test = session()
        let json = try RequestMessage(
            "https://ada:hunter2@h/a?token=hunter2&page=3",
            method: .post,
            fields: [.cookie: "sid=hunter2", .contentType: "application/json", .from: "me"],
            body: .string(#"{"password": "hunter2", "name": "Ada"}"#)
        )
        let fields = "-H 'Cookie: <redacted>' -H 'Content-Type: application/json' -H 'From: me'"
        let shown = "--data-raw '{\"password\": \"<redacted>\", \"name\": \"Ada\"}' 'https://h/a?token=…&page=3'"
        let text = try await test.session.cURLDescription(of: json, includesSecrets: false)
        #expect(text == "curl \(fields) -H 'Authorization: <redacted>' \(Self.bare) \(shown)")
        #expect(try await test.session.request(json).cURLDescription(includesSecrets: false) == text)
        #expect(
            try json.cURLDescription(includesSecrets: false)
                == "curl -H 'Authorization: <redacted>' \(fields) \(Self.bare) \(shown)"
        )
        let seen = Deferred<String>()
        test.session.request(json).cURLDescription(on: .global(), includesSecrets: false) { seen.fulfill($0) }.resume()
        #expect(await seen.value == text)
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "a=1&password=hunter2", "a=1&password=…"),
        ("text/plain", "password=hunter2", "password=<redacted>"),
        ("multipart/form-data; boundary=x", "name=\"pin\"\r\n\r\nhunter2", "<21 bytes>"),
        ("text/plain", "hunter2\0", "<8 bytes>"),
        ("text/plain", String(repeating: "hunter2 ", count: 10_000), "<80000 bytes>"),
    ])
    func omitsSecretsInBodies(type: String, content: String, expected: String) throws {
        let message = try RequestMessage(
            "http://h/",
            method: .post,
            fields: [.contentType: type],
            body: .string(content)
        )
        let text = try message.cURLDescription(includesSecrets: false)
        #expect(text.hasSuffix(" --data-raw '\(expected)' 'http://h/'"), "\(text)")
        #expect(!text.contains("hunter2"))
    }

    @Test func hidesEncodedAndStreamedBodies() throws {
        let coded = try RequestMessage(
            "http://h/",
            method: .post,
            fields: [.contentEncoding: "x"],
            body: .string("hunter2")
        )
        #expect(try coded.cURLDescription(includesSecrets: false).contains("--data-raw '<7 bytes>'"))
        let stream = try RequestMessage(
            "http://h/",
            method: .post,
            body: .replayable(length: 7) { AsyncStream<BodyChunk> { $0.finish() } }
        )
        #expect(try stream.cURLDescription(includesSecrets: false).contains("--data-raw '<stream, 7 bytes>'"))
        #expect(throws: ApusError.self) { try stream.cURLDescription() }
    }

    @Test func neverShowsSecretsInDescriptions() async throws {
        let test = session()
        let message = try RequestMessage(
            "http://ada:hunter2@h/a?token=hunter2",
            method: .post,
            fields: [.cookie: "sid=hunter2"],
            body: .string("hunter2")
        )
        let request = test.session.request(message)
        _ = await request.serializingData().response
        #expect(try await request.cURLDescription().contains("hunter2"))
        for text in ["\(request)", String(reflecting: request), "\(message)", String(reflecting: message)] {
            #expect(!text.contains("hunter2"), "\(text)")
        }
    }
}
