internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Responses and errors list the redirects that were followed.
@Suite(.timeLimit(.minutes(5))) struct FollowedRedirectTests {
    /// A session in which `/3` redirects to `/2`, and so on to `/0`, whose response is `end`.
    private func countdown(
        configuring configure: (inout Session.Configuration) -> Void = { _ in },
        _ end: MockResponse = MockResponse(body: "end")
    ) -> TestSession {
        TestSession(configuring: configure) { request in
            guard let step = Int(request.target.path.dropFirst()), step > 0 else { return end }
            var fields: HTTPFields = [.location: "/\(step - 1)"]
            fields[.server] = "number \(step)"
            return MockResponse(status: step == 3 ? .seeOther : .found, fields: fields, body: "on")
        }
    }

    enum CallKind: CaseIterable {
        case direct, streamed, collected, handle, download, downloadHandle

        func redirects(_ session: Session, _ url: String) async throws -> [FollowedRedirect] {
            switch self {
            case .direct: return try await session.get(url).redirects
            case .streamed:
                let response = try await session.stream(url)
                let early = response.redirects
                for try await _ in response.body {}
                #expect(response.redirects == early)
                return early
            case .collected:
                let response = session.request(url).serializingString()
                return await response.response.map { $0.count }.redirects
            case .handle:
                let error = await session.request(url).serializingDecodable(Int.self).response
                #expect(error.error?.redirects == error.redirects)
                return error.redirects
            case .download:
                let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: folder) }
                return try await session.download(url, to: folder).redirects
            case .downloadHandle:
                let response = await session.download(url, to: .temporary).serializingURL().response
                if let file = response.fileURL { try FileManager.default.removeItem(at: file) }
                return response.redirects
            }
        }
    }

    @Test(arguments: CallKind.allCases) func isPartOfEachKindOfResponse(kind: CallKind) async throws {
        let test = countdown()
        let redirects = try await kind.redirects(test.session, "http://h/3")
        #expect(redirects.map(\.target.uri) == ["http://h/3", "http://h/2", "http://h/1"])
        #expect(redirects.map(\.status.code) == [303, 302, 302])
        #expect(redirects.map(\.method) == [.get, .get, .get])
        #expect(redirects.map { $0.fields[.location] } == ["/2", "/1", "/0"])
        #expect(redirects.map { $0.head.headerFields[.server] } == ["number 3", "number 2", "number 1"])
        #expect(try await kind.redirects(test.session, "http://h/0").isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func recordsTheRedirectedMethod() async throws {
        let redirects = try await countdown().session.post("http://h/3", body: .string("x")).redirects
        #expect(redirects.map(\.method) == [.post, .get, .get])
    }

    static let failures: [(String, RedirectPolicy, ApusError.Code, Int)] = [
        ("/3", .follow(limit: 2), .tooManyRedirects, 2), ("/ring", .follow(limit: 1), .tooManyRedirects, 1),
        ("/out", .follow, .redirectInvalid, 1), ("/dead", .follow, .connectFailed, 1),
        ("/fails", .follow, .unacceptableStatus, 1), ("/dead2", .refuse, .connectFailed, 0),
    ]

    @Test(arguments: failures)
    func isPartOfTheError(path: String, policy: RedirectPolicy, code: ApusError.Code, count: Int) async throws {
        let test = TestSession { request in
            switch request.target.path {
            case "/3", "/2", "/1":
                MockResponse(status: .found, fields: [.location: "/\(request.target.path == "/3" ? 2 : 1)"])
            case "/ring": MockResponse(status: .found, fields: [.location: "/ring"])
            case "/out": MockResponse(status: .found, fields: [.location: "/ftp"])
            case "/ftp": MockResponse(status: .found, fields: [.location: "ftp://h/"])
            case "/dead": MockResponse(status: .found, fields: [.location: "/dead2"])
            case "/fails": MockResponse(status: .found, fields: [.location: "/404"])
            case "/404": MockResponse(status: .notFound)
            default: throw ApusError(.connectFailed, "nobody is there")
            }
        }
        let direct = try #require(
            await failure { try await test.session.get("http://h\(path)", options: [policy]).validate() }
        )
        let request = test.session.request("http://h\(path)", options: [policy]).validate()
        let handled = try #require(await request.serializingData().response.error)
        for error in [direct, handled] {
            #expect(error.code == code)
            #expect(error.redirects.count == count)
            #expect(error.redirects.first?.target.path == (count == 0 ? nil : path))
            #expect(error.exchanges.count == max(1, count + 1))
        }
        try await assertNothingLeft(test.session)
    }

    /// The first attempt is redirected to a 503 response. The second attempt is not redirected.
    @Test func resetsWhenAMiddlewareRetries() async throws {
        let visits = LockedList<String>()
        let retrying = ClosureMiddleware { request, context, next in
            let response = try await next(request, context: context)
            guard response.status == .serviceUnavailable else { return response }
            #expect(context.redirects.count == 1)
            response.discard()
            return try await next(request, context: context, because: .retry)
        }
        let test = TestSession {
            $0.middleware = [retrying]
        } responding: { request in
            visits.append(request.target.path)
            if request.target.path == "/b" { return MockResponse(status: .serviceUnavailable) }
            return visits.count == 1 ? MockResponse(status: .found, fields: [.location: "/b"]) : MockResponse()
        }
        let response = try await test.session.get("http://h/")
        #expect(visits.all == ["/", "/b", "/"])
        #expect(response.redirects.isEmpty)
        #expect(response.metrics.exchanges.count == 3)
    }

    /// A retrier sees the redirects of the failed attempt.
    @Test func resetsWhenARetrierRetries() async throws {
        let visits = LockedList<String>()
        let test = TestSession { request in
            visits.append(request.target.path)
            if request.target.path == "/b" { return MockResponse(status: .serviceUnavailable) }
            return visits.count == 1
                ? MockResponse(status: .found, fields: [.location: "/b"]) : MockResponse(body: "ok")
        }
        let seen = LockedList<[String]>()
        let retrier = Retrier { attempt, _ in
            seen.append(attempt.context.redirects.map(\.target.path))
            return attempt.retryCount == 0 ? .retry : .doNotRetry
        }
        let response = await test.session.request("http://h/").validate().retry(using: retrier)
            .serializingString().response
        #expect(response.value == "ok")
        #expect(visits.all == ["/", "/b", "/"])
        #expect(seen.all == [["/"]])
        #expect(response.redirects.isEmpty)
        try await assertNothingLeft(test.session)
    }

    /// A middleware may respond itself, for example from a cache. Such a response appears in no metrics.
    @Test func includesRedirectsWithoutAnExchange() async throws {
        let cache = ClosureMiddleware { request, context, next in
            guard request.target.path == "/old" else { return try await next(request, context: context) }
            return ResponseMessage(
                status: .movedPermanently,
                fields: [.location: "/new"],
                answering: request,
                in: context
            )
        }
        let response = try await TestSession.configured { $0.networkMiddleware = [cache] }.session.get("http://h/old")
        #expect(response.redirects.map(\.target.path) == ["/old"])
        #expect(response.metrics.exchanges.map(\.target.path) == ["/new"])
    }

    @Test func showsNoSecret() async throws {
        let test = TestSession { request in
            guard request.target.path != "/b" else { return MockResponse() }
            return MockResponse(status: .found, fields: [.location: "/b", .setCookie: "a=sesame"])
        }
        let response = try await test.session.get("http://sesame:sesame@h/?a=sesame")
        let redirect = try #require(response.redirects.first)
        for text in [
            "\(redirect)", String(reflecting: redirect), "\(response.redirects)", String(reflecting: response.metrics),
        ] {
            #expect(!text.contains("sesame"), "\(text)")
        }
        #expect("\(redirect)" == "302 GET http://h/?a=…")
    }
}
