internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

/// Which requests share an exchange.
@Suite(.timeLimit(.minutes(5))) struct DeduplicationKeyTests {
    private struct Tag: RequestOption {
        var name: String
    }

    /// Returns the number of exchanges for two requests that are under way at the same time.
    ///
    /// - Parameters:
    ///   - deduplication: The middleware.
    ///   - isOutermost: Whether it is at the beginning of the chain, and not at its end. Default: `false`.
    ///   - send: Sends one of the two requests, 0 or 1.
    /// - Returns: The number of exchanges.
    /// - Throws: The error of a request.
    private func exchangeCount(
        _ deduplication: Deduplication = Deduplication(),
        isOutermost: Bool = false,
        _ send: @escaping @Sendable (Session, Int) async throws -> Void
    ) async throws -> Int {
        let barrier = Barrier()
        let transport = MockTransport { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse(chunks: [BodyChunk("o"), BodyChunk("k")])
        }
        let test = TestSession(over: transport) { configuration in
            if isOutermost {
                configuration.middleware = [deduplication]
            } else {
                configuration.networkMiddleware = [deduplication]
            }
        }
        let first = Task { [session = test.session] in try await send(session, 0) }
        #expect(await eventually { test.requestCount == 1 })
        let second = Task { [session = test.session] in try await send(session, 1) }
        #expect(await eventually { test.requestCount == 2 || deduplication.counts.requests == 2 })
        barrier.open()
        try await first.value
        try await second.value
        try await assertNothingLeft(test.session)
        return test.requestCount
    }

    // MARK: Messages

    @Test(arguments: [HTTPRequest.Method.get, .head]) func sharesSafeMethods(method: HTTPRequest.Method) async throws {
        let count = try await exchangeCount { session, _ in
            _ = try await session.send(RequestMessage("http://h/", method: method))
        }
        #expect(count == 1)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .patch, .options, .query])
    func sharesNoOtherMethods(method: HTTPRequest.Method) async throws {
        let count = try await exchangeCount { session, _ in
            _ = try await session.send(RequestMessage("http://h/", method: method))
        }
        #expect(count == 2)
    }

    @Test func sharesNoRequestWithABody() async throws {
        let count = try await exchangeCount { session, _ in
            let request = try RequestMessage("http://h/", body: .string("a"))
            _ = try await session.send(request, options: [GETBodyPolicy.allowed])
        }
        #expect(count == 2)
    }

    @Test func comparesMethodsAndTargets() async throws {
        let methods = try await exchangeCount { session, number in
            _ = try await session.send(RequestMessage("http://h/", method: number == 0 ? .get : .head))
        }
        #expect(methods == 2)
        for other in ["http://h/b", "http://h/a?", "https://h/a", "http://h:81/a", "http://i/a"] {
            let count = try await exchangeCount { session, number in
                _ = try await session.get(number == 0 ? "http://h/a" : other)
            }
            #expect(count == 2, "\(other)")
        }
        let equal = try await exchangeCount { session, number in
            _ = try await session.get(number == 0 ? "http://h/a" : "HTTP://H:80/a#top")
        }
        #expect(equal == 1)
    }

    @Test func comparesFields() async throws {
        let accept = try await exchangeCount { session, number in
            _ = try await session.get("http://h/", fields: [.accept: number == 0 ? "text/plain" : "text/html"])
        }
        #expect(accept == 2)
        let order = try await exchangeCount { session, number in
            let fields: HTTPFields = [.from: "a", .referer: "b"]
            _ = try await session.get(
                "http://h/",
                fields: RequestFields(number == 0 ? fields : HTTPFields(fields.reversed()))
            )
        }
        #expect(order == 1)
    }

    // MARK: Users

    @Test(arguments: [true, false]) func keepsTheCredentialsOfUsersApart(isOutermost: Bool) async throws {
        for name in [HTTPField.Name.authorization, .cookie] {
            let deduplication = Deduplication(ignoredFields: [name])
            let count = try await exchangeCount(deduplication, isOutermost: isOutermost) { session, number in
                _ = try await session.get("http://h/", fields: [RequestFieldName(name): "token=\(number)"])
            }
            #expect(count == 2, "\(name)")
        }
    }

    @Test func ignoresFieldsByName() async throws {
        let name = try HTTPField.Name(checking: "X-Request-Id")
        let ignoring = try await exchangeCount(Deduplication(ignoredFields: [name])) { session, number in
            _ = try await session.get("http://h/", fields: [RequestFieldName(name): "\(number)"])
        }
        #expect(ignoring == 1)
        let comparing = try await exchangeCount { session, number in
            _ = try await session.get("http://h/", fields: [RequestFieldName(name): "\(number)"])
        }
        #expect(comparing == 2)
    }

    @Test func keepsTheCredentialsOfHandlesApart() async throws {
        let count = try await exchangeCount(isOutermost: true) { session, number in
            let request = session.request("http://h/").authenticate(username: "user \(number)", password: "a")
            _ = await request.serializingData().response
        }
        #expect(count == 2)
        let options = try await exchangeCount(isOutermost: true) { session, number in
            let credential = RequestCredential(.user("user \(number)", password: "a"))
            _ = try await session.get("http://h/", options: [credential])
        }
        #expect(options == 2)
    }

    @Test func keepsSessionsApart() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let tests = (0..<2).map { _ in
            TestSession(deduplication) { _ in
                try await barrier.passUnlessCancelled()
                return MockResponse()
            }
        }
        let requests = tests.map { $0.startGet("http://h/") }
        #expect(await eventually { deduplication.counts == (2, 2) })
        barrier.open()
        for request in requests { #expect(try await request.value.metrics.exchanges.count == 1) }
        for test in tests { try await assertNothingLeft(test.session) }
    }

    // MARK: Options

    @Test func comparesOptions() async throws {
        let different = try await exchangeCount { session, number in
            let policy: RedirectPolicy = number == 0 ? .follow : .refuse
            _ = try await session.get("http://h/", options: [policy])
        }
        #expect(different == 2)
        let equal = try await exchangeCount { session, number in
            let deadline = RequestDeadline(.seconds(9 + number))
            _ = try await session.get("http://h/", options: [RedirectPolicy.refuse, deadline])
        }
        #expect(equal == 1)
        let unknown = try await exchangeCount { session, _ in
            _ = try await session.get("http://h/", options: [Tag(name: "a")])
        }
        #expect(unknown == 2)
    }

    @Test func sharesNoHandleWithARedirectHandler() async throws {
        let count = try await exchangeCount { session, _ in
            _ = await session.request("http://h/").redirect(using: .doNotFollow).serializingData().response
        }
        #expect(count == 2)
    }

    // MARK: Responses that are not collected

    @Test func sharesNoStreamedResponse() async throws {
        let count = try await exchangeCount { session, number in
            guard number == 1 else {
                _ = try await session.get("http://h/")
                return
            }
            for try await _ in try await session.stream("http://h/").body {}
        }
        #expect(count == 2)
    }

    @Test func sharesNoDownload() async throws {
        try await inFolder { folder in
            let count = try await exchangeCount { session, number in
                let file = folder.appending(path: "\(number)")
                guard number == 1 else {
                    _ = try await session.download("http://h/", to: file)
                    return
                }
                let destination = DownloadDestination { _, _ in (file, []) }
                _ = await session.download("http://h/", to: destination).serializingURL().response
            }
            #expect(count == 2)
        }
    }
}
