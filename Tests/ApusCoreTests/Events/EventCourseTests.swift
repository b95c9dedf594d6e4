internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The events that monitors receive for a request: each once, and in order.
@Suite(.timeLimit(.minutes(5))) struct EventCourseTests {
    /// A session with a monitor that receives progress and one that does not.
    private struct Watched {
        let test: TestSession
        let monitor: RecordingEventMonitor

        init(_ handler: @escaping MockTransport.Handler = { _ in MockResponse(body: "ok") }) {
            self.init(configuring: { _ in }, responding: handler)
        }

        init(
            configuring configure: (inout Session.Configuration) -> Void,
            responding handler: @escaping MockTransport.Handler
        ) {
            let monitor = RecordingEventMonitor(receivesProgress: true)
            self.monitor = monitor
            self.test = TestSession(
                configuring: { configuration in
                    configuration.eventMonitors.append(monitor)
                    configure(&configuration)
                },
                responding: handler
            )
        }

        var session: Session { test.session }

        /// The names of the events of the last request.
        func names() throws -> [String] {
            let last = try #require(monitor.events.last?.request)
            let names = monitor.names(of: last)
            #expect(test.monitor.names(of: last) == names.filter { !["contentSent", "contentReceived"].contains($0) })
            return names
        }

        /// Returns the events of one kind, of all requests.
        func events<Value>(_ choose: (RequestEvent) -> Value?) -> [Value] {
            monitor.events.compactMap { choose($0.event) }
        }
    }

    /// Returns the event names in a text. `wire` stands for an exchange, and `end` for the end of a request.
    private static func course(_ text: String) -> [String] {
        text.split(separator: " ").flatMap { word -> [String] in
            switch word {
            case "wire": ["exchangeBegan", "exchangeEnded"]
            case "end": ["completed", "finished"]
            default: [String(word)]
            }
        }
    }

    // MARK: Success

    /// Parity: AF-monitor-request-events
    @Test func reportsADirectCallAHandleAndAStream() async throws {
        let watched = Watched()
        _ = try await watched.session.get("http://h/")
        let direct = Self.course("created wire responded validated contentReceived end")
        #expect(try watched.names() == direct)
        let request = watched.session.request("http://h/")
        _ = try await request.serializingString().value
        let handled = Self.course(
            "resumed created wire responded validated contentReceived completed serialized finished"
        )
        #expect(try watched.names() == handled)
        for try await _ in try await watched.session.stream("http://h/").body {}
        let streamed = Self.course("created wire responded contentReceived end")
        #expect(try watched.names() == streamed)
    }

    @Test func reportsAResponseWithoutBody() async throws {
        let watched = Watched { _ in MockResponse(status: .noContent) }
        _ = try await watched.session.get("http://h/")
        #expect(try watched.names() == Self.course("created wire responded validated end"))
    }

    /// Parity: AF-monitor-session-events
    @Test func reportsABodyOfSeveralChunks() async throws {
        let fields: HTTPFields = [.contentLength: "5"]
        let watched = Watched { _ in MockResponse(fields: fields, chunks: [BodyChunk("ab"), BodyChunk("cde")]) }
        #expect(try await watched.session.get("http://h/").string() == "abcde")
        var names = try watched.names()
        names.removeAll { $0 == "contentReceived" }
        #expect(names == Self.course("created wire responded validated end"))
        let counts = watched.events { event -> Int64? in
            guard case .contentReceived(let count, of: 5) = event else { return nil }
            return count
        }
        // A later event may have superseded the first before its delivery.
        #expect(counts == [2, 5] || counts == [5])
    }

    @Test func reportsAnUpload() async throws {
        let monitor = RecordingEventMonitor(receivesProgress: true)
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        let session = Session(configuration: configuration, transport: SendingTransport())
        _ = try await session.post("http://h/", body: .string("abc"))
        let id = try #require(monitor.events.first?.request)
        let names = monitor.names(of: id)
        let course = names.filter { $0 != "contentSent" }
        #expect(course == Self.course("created wire responded validated end"))
        #expect(names.dropFirst(2).first == "contentSent")
        let counts = monitor.events.compactMap { recorded -> Int64? in
            guard case .contentSent(let count, of: 3) = recorded.event else { return nil }
            return count
        }
        #expect(counts == counts.sorted() && counts.last == 3, "nothing is sent after the end: \(counts)")
    }

    /// Parity: AF-monitor-request-events
    @Test func reportsADownload() async throws {
        try await inFolder { folder in
            let watched = Watched()
            let file = folder.appending(path: "file")
            _ = try await watched.session.download("http://h/", to: .file(file)).serializingURL().value
            let expected =
                Self.course(
                    "resumed created wire responded validated destinationChosen contentReceived downloaded completed serialized finished"
                )
            #expect(try watched.names() == expected)
            let places = watched.events { event -> URL? in
                if case .destinationChosen(let url) = event { url } else { nil }
            }
            #expect(places == [file])
        }
    }

    // MARK: Redirects and retries

    private static func redirecting(_ request: RequestMessage) -> MockResponse {
        switch request.target.path {
        case "/": MockResponse(status: .found, fields: [.location: "/b"])
        case "/ring": MockResponse(status: .found, fields: [.location: "/ring"])
        default: MockResponse()
        }
    }

    private struct Redirection: Equatable {
        let status: Int
        let next: String?
    }

    private func redirections(_ watched: Watched) -> [Redirection] {
        watched.events { event in
            guard case .redirected(let response, let next) = event else { return nil }
            return Redirection(status: response.status.code, next: next?.target.path)
        }
    }

    /// Parity: AF-monitor-session-events
    @Test func reportsAFollowedRedirect() async throws {
        let watched = Watched { Self.redirecting($0) }
        _ = try await watched.session.get("http://h/")
        let expected = Self.course("created wire redirected wire responded validated end")
        #expect(try watched.names() == expected)
        #expect(redirections(watched) == [Redirection(status: 302, next: "/b")])
    }

    @Test(arguments: ["handler", "redirector", "policy"])
    func reportsARefusedRedirect(by decider: String) async throws {
        let watched = Watched(
            configuring: { configuration in
                if decider == "handler" { configuration.redirectHandler = .modify { _, _, _ in nil } }
                if decider == "redirector" { configuration.redirectHandler = .doNotFollow }
                if decider == "policy" { configuration.redirects = .refuse }
            },
            responding: { Self.redirecting($0) }
        )
        #expect(try await watched.session.get("http://h/").status == .found)
        #expect(try watched.names() == Self.course("created wire redirected responded validated end"))
        #expect(redirections(watched) == [Redirection(status: 302, next: nil)])
    }

    @Test func reportsARedirectThatCannotBeFollowed() async throws {
        let watched = Watched {
            $0.redirects = .follow(limit: 1)
        } responding: {
            Self.redirecting($0)
        }
        #expect(await failure { try await watched.session.get("http://h/ring") }?.code == .tooManyRedirects)
        #expect(try watched.names() == Self.course("created wire redirected wire end"))
        #expect(redirections(watched) == [Redirection(status: 302, next: "/ring")])
    }

    private static func guarded(_ request: RequestMessage) -> MockResponse {
        switch (request.target.path, request.fields[.authorization]) {
        case ("/mute", _): MockResponse(status: .unauthorized)
        case ("/open", .some): MockResponse()
        default: MockResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Basic realm=\"r\""])
        }
    }

    private func challenges(_ watched: Watched) -> [String] {
        watched.events { event in
            guard case .challenged(let response, let scheme) = event else { return nil }
            return "\(response.status.code) \(scheme ?? "-")"
        }
    }

    /// Parity: AF-monitor-session-events
    @Test func reportsAChallengeWithCredentials() async throws {
        let watched = Watched(
            configuring: { $0.credentials = CredentialSource { _ in .user("ada", password: "secret") } },
            responding: { Self.guarded($0) }
        )
        #expect(try await watched.session.get("http://h/open").status == .ok)
        let expected = Self.course("created wire challenged wire responded validated end")
        #expect(try watched.names() == expected)
        #expect(challenges(watched) == ["401 basic"])
        #expect(!watched.monitor.events.contains { "\($0.event)".contains("secret") })
        // The accepted credentials are now sent without a challenge.
        _ = try await watched.session.get("http://h/open")
        #expect(challenges(watched) == ["401 basic"])
    }

    @Test func reportsRejectedCredentials() async throws {
        let watched = Watched(
            configuring: { $0.credentials = CredentialSource { _ in .user("ada", password: "secret") } },
            responding: { Self.guarded($0) }
        )
        #expect(try await watched.session.get("http://h/closed").status == .unauthorized)
        let expected =
            Self.course("created wire challenged wire challenged responded validated end")
        #expect(try watched.names() == expected)
        #expect(challenges(watched) == ["401 basic", "401 -"])
    }

    @Test func reportsNoChallengeWithoutSchemeOrCredentials() async throws {
        let credentials = CredentialSource { _ in .user("ada", password: "secret") }
        for (path, source) in [("/mute", credentials), ("/closed", nil)] {
            let watched = Watched(configuring: { $0.credentials = source }, responding: { Self.guarded($0) })
            #expect(try await watched.session.get("http://h\(path)").status == .unauthorized)
            #expect(try watched.names() == Self.course("created wire responded validated end"))
        }
    }

    @Test func reportsARetry() async throws {
        let count = Counter()
        let watched = Watched(
            configuring: { configuration in
                let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retry : .doNotRetry }
                configuration.interceptor = Interceptor(retriers: [retrier])
            },
            responding: { _ in
                guard count.next() > 0 else { throw ApusError(.connectFailed, "not yet") }
                return MockResponse(body: "ok")
            }
        )
        _ = try await watched.session.get("http://h/")
        let expected =
            Self.course("created wire completed retrying wire responded validated contentReceived end")
        #expect(try watched.names() == expected)
    }

    // MARK: Failure

    private enum Failing: String, CaseIterable {
        case url, adapter, transport, middleware, validation, content, serializer, destination

        /// The expected events.
        var course: [String] {
            let text =
                switch self {
                case .url: "resumed creationFailed end"
                case .adapter: "resumed created adaptationFailed end"
                case .transport: "resumed created wire end"
                case .middleware: "resumed created end"
                case .validation, .content: "resumed created wire responded validated contentReceived end"
                case .serializer:
                    "resumed created wire responded validated contentReceived completed serialized finished"
                case .destination: "resumed created wire responded validated destinationChosen end"
                }
            return EventCourseTests.course(text)
        }
    }

    private struct Refusal: Error {}

    /// Parity: AF-monitor-request-events
    @Test(arguments: Failing.allCases)
    private func reportsAFailure(kind: Failing) async throws {
        let watched = Watched(
            configuring: { configuration in
                let adapter = Adapter { _, _ in throw Refusal() }
                if kind == .adapter { configuration.interceptor = Interceptor(adapters: [adapter]) }
                if kind == .middleware { configuration.middleware = [ClosureMiddleware { _, _, _ in throw Refusal() }] }
            },
            responding: { _ in
                if kind == .transport { throw ApusError(.connectFailed, "refused") }
                let failure = kind == .content ? ApusError(.connectionClosed, "gone") : nil
                return MockResponse(status: .notFound, chunks: [BodyChunk("no")], failure: failure)
            }
        )
        let url = kind == .url ? "nonsense" : "http://h/"
        if kind == .destination {
            let nowhere = DownloadDestination.file(URL(filePath: "/nowhere/at/all"))
            let request = watched.session.download(url, to: nowhere).validate(statusCode: [404])
            #expect(await request.serializingURL().response.error != nil)
        } else {
            let request = watched.session.request(url)
            if kind == .validation { request.validate() }
            #expect(await request.serializingDecodable([Int].self).response.error != nil)
        }
        #expect(try watched.names() == kind.course)
        let errors = watched.events { event -> Bool? in
            if case .completed(let response) = event { response.error != nil } else { nil }
        }
        #expect(errors == [kind != .serializer])
    }

    // MARK: Cancellation

    @Test func reportsACancellationBeforeTheStart() async throws {
        let watched = Watched()
        let request = watched.session.request("http://h/").cancel()
        #expect(await request.serializingData().response.error?.isCancelled == true)
        #expect(try watched.names() == Self.course("cancelled end"))
    }

    @Test func reportsACancellationDuringTheExchange() async throws {
        let barrier = Barrier()
        let watched = Watched { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse()
        }
        let request = watched.session.request("http://h/").resume()
        await barrier.reached()
        request.cancel().cancel()
        #expect(await request.serializingData().response.error?.isCancelled == true)
        #expect(try watched.names() == Self.course("resumed created exchangeBegan cancelled exchangeEnded end"))
    }

    @Test func reportsACallWhoseTaskIsCancelled() async throws {
        let barrier = Barrier()
        let watched = Watched { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse()
        }
        let call = Task { try await watched.session.get("http://h/") }
        await barrier.reached()
        call.cancel()
        #expect(await failure { try await call.value }?.isCancelled == true)
        #expect(try watched.names() == Self.course("created wire end"))
    }

    @Test func reportsADiscardedStream() async throws {
        let watched = Watched { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        try await watched.session.stream("http://h/").body.discard()
        #expect(try watched.names() == Self.course("created wire responded end"))
    }

    // MARK: Monitors

    @Test func reportsProgressOnlyToMonitorsThatReceiveIt() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        _ = try await test.session.get("http://h/")
        #expect(!test.monitor.events.contains { if case .contentReceived = $0.event { true } else { false } })
        let context = RequestContext(core: test.session.core)
        let body = ResponseBody.stream(HeldBody([], before: 1, Barrier()))
        let record = ExchangeRecord(method: .get, target: try TargetURI("http://h/"), cause: .first, begin: .now)
        guard case .stream(let bare) = body.storage,
            case .stream(let counted) = context.counted(body, of: record, expecting: nil).storage
        else { return #expect(Bool(false), "a stream stays one") }
        #expect(bare === counted)
    }

    @Test func receivesProgressIfAProgressClosureIsSet() {
        var monitor = ClosureEventMonitor()
        #expect(!monitor.receivesProgress)
        monitor.requestDidSendContent = { _, _, _ in }
        #expect(monitor.receivesProgress)
        #expect(CompositeEventMonitor(monitors: [RecordingEventMonitor(), monitor]).receivesProgress)
        #expect(!CompositeEventMonitor(monitors: [RecordingEventMonitor()]).receivesProgress)
    }
}

/// A transport that reports each byte it sends, and one more after the exchange has ended.
private struct SendingTransport: Transport {
    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        let count = request.body.length ?? 0
        for sent in 1...count { record.noteSent(sent) }
        record.close(at: context.time.now)
        record.noteSent(count + 1)
        return ResponseMessage(status: .ok, fields: [:], body: .empty, record: record)
    }
}
