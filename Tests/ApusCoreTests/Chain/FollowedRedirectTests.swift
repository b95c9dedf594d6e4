internal import Apus
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The redirects that were followed are told with the answer, and with the error.
@Suite(.timeLimit(.minutes(5))) struct FollowedRedirectTests {
    /// `/3` leads to `/2`, and so on to `/0`, which answers.
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

    enum Way: CaseIterable {
        case direct, streamed, collected, handle, download, downloadHandle

        func history(_ session: Session, _ url: String) async throws -> [FollowedRedirect] {
            switch self {
            case .direct: return try await session.get(url).history
            case .streamed:
                let response = try await session.stream(url)
                let early = response.history
                for try await _ in response.body {}
                #expect(response.history == early)
                return early
            case .collected:
                let response = session.request(url).serializingString()
                return await response.response.map { $0.count }.history
            case .handle:
                let error = await session.request(url).serializingDecodable(Int.self).response
                #expect(error.error?.history == error.history)
                return error.history
            case .download:
                let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: folder) }
                return try await session.download(url, to: folder).history
            case .downloadHandle:
                let response = await session.download(url, to: .temporary).serializingURL().response
                if let file = response.fileURL { try FileManager.default.removeItem(at: file) }
                return response.history
            }
        }
    }

    @Test(arguments: Way.allCases) func standsWithEachKindOfAnswer(way: Way) async throws {
        let test = countdown()
        let history = try await way.history(test.session, "http://h/3")
        #expect(history.map(\.target.uri) == ["http://h/3", "http://h/2", "http://h/1"])
        #expect(history.map(\.status.code) == [303, 302, 302])
        #expect(history.map(\.method) == [.get, .get, .get])
        #expect(history.map { $0.fields[.location] } == ["/2", "/1", "/0"])
        #expect(history.map { $0.head.headerFields[.server] } == ["number 3", "number 2", "number 1"])
        #expect(try await way.history(test.session, "http://h/0").isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func namesTheMethodThatWasRedirected() async throws {
        let history = try await countdown().session.post("http://h/3", body: .string("x")).history
        #expect(history.map(\.method) == [.post, .get, .get])
    }

    static let failures: [(String, RedirectPolicy, ApusError.Code, Int)] = [
        ("/3", .follow(limit: 2), .tooManyRedirects, 2), ("/ring", .follow(limit: 1), .tooManyRedirects, 1),
        ("/out", .follow, .redirectInvalid, 1), ("/dead", .follow, .connectFailed, 1),
        ("/fails", .follow, .unacceptableStatus, 1), ("/dead2", .refuse, .connectFailed, 0),
    ]

    @Test(arguments: failures)
    func standsWithTheError(path: String, policy: RedirectPolicy, code: ApusError.Code, count: Int) async throws {
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
            #expect(error.history.count == count)
            #expect(error.history.first?.target.path == (count == 0 ? nil : path))
            #expect(error.hops.count == max(1, count + 1))
        }
        try await assertNothingLeft(test.session)
    }

    /// The first attempt is led to a 503, the second is answered at once.
    @Test func forgetsTheAttemptBefore() async throws {
        let visits = Notes<String>()
        let again = ClosureMiddleware { request, context, next in
            let response = try await next(request, context: context)
            guard response.status == .serviceUnavailable else { return response }
            #expect(context.history.count == 1)
            response.discard()
            return try await next(request, context: context, because: .retry)
        }
        let test = TestSession {
            $0.middleware = [again]
        } answering: { request in
            visits.append(request.target.path)
            if request.target.path == "/b" { return MockResponse(status: .serviceUnavailable) }
            return visits.count == 1 ? MockResponse(status: .found, fields: [.location: "/b"]) : MockResponse()
        }
        let response = try await test.session.get("http://h/")
        #expect(visits.all == ["/", "/b", "/"])
        #expect(response.history.isEmpty)
        #expect(response.metrics.hops.count == 3)
    }

    /// The same, where a retrier has the request go again: it is shown what the attempt has followed.
    @Test func forgetsTheAttemptThatWasRetried() async throws {
        let visits = Notes<String>()
        let test = TestSession { request in
            visits.append(request.target.path)
            if request.target.path == "/b" { return MockResponse(status: .serviceUnavailable) }
            return visits.count == 1
                ? MockResponse(status: .found, fields: [.location: "/b"]) : MockResponse(body: "ok")
        }
        let seen = Notes<[String]>()
        let retrier = Retrier { attempt, _ in
            seen.append(attempt.context.history.map(\.target.path))
            return attempt.retryCount == 0 ? .retry : .doNotRetry
        }
        let response = await test.session.request("http://h/").validate().retry(using: retrier)
            .serializingString().response
        #expect(response.value == "ok")
        #expect(visits.all == ["/", "/b", "/"])
        #expect(seen.all == [["/"]])
        #expect(response.history.isEmpty)
        try await assertNothingLeft(test.session)
    }

    /// A middleware may answer by itself, out of a cache for example; such an answer stands in no metrics.
    @Test func standsThereWithoutAnExchange() async throws {
        let known = ClosureMiddleware { request, context, next in
            guard request.target.path == "/old" else { return try await next(request, context: context) }
            return ResponseMessage(
                status: .movedPermanently,
                fields: [.location: "/new"],
                answering: request,
                in: context
            )
        }
        let response = try await TestSession.configured { $0.networkMiddleware = [known] }.session.get("http://h/old")
        #expect(response.history.map(\.target.path) == ["/old"])
        #expect(response.metrics.hops.map(\.target.path) == ["/new"])
    }

    @Test func showsNoSecret() async throws {
        let test = TestSession { request in
            guard request.target.path != "/b" else { return MockResponse() }
            return MockResponse(status: .found, fields: [.location: "/b", .setCookie: "a=geheim"])
        }
        let response = try await test.session.get("http://geheim:geheim@h/?a=geheim")
        let redirect = try #require(response.history.first)
        for text in [
            "\(redirect)", String(reflecting: redirect), "\(response.history)", String(reflecting: response.metrics),
        ] {
            #expect(!text.contains("geheim"), "\(text)")
        }
        #expect("\(redirect)" == "302 GET http://h/?a=…")
    }
}
