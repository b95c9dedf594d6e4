internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ResponsePagesTests {
    private func page(_ body: String, next: String? = nil, status: HTTPResponse.Status = .ok) -> MockResponse {
        var response = MockResponse(status: status, body: body)
        response.fields[.link] = next.map { "<\($0)>; rel=\"next\"" }
        return response
    }

    /// Returns a session for a listing with three pages.
    private func threePages() -> TestSession {
        .responding([
            "/items": page("1", next: "/items?page=2"), "/items?page=2": page("2", next: "?page=3"),
            "/items?page=3": page("3"),
        ])
    }

    /// Returns the bodies of all pages before an error, and the error.
    private func read(_ pages: ResponsePages) async -> (bodies: [String], error: ApusError?) {
        var bodies: [String] = []
        do throws(ApusError) {
            var iterator = pages.makeAsyncIterator()
            while let page = try await iterator.next() { bodies.append(String(decoding: page.data, as: UTF8.self)) }
            return (bodies, nil)
        } catch {
            return (bodies, error)
        }
    }

    @Test func requestsEachPage() async throws {
        let test = threePages()
        var bodies: [String] = []
        for try await page in test.session.pages(of: "http://h/items") { bodies.append(try page.string()) }
        #expect(bodies == ["1", "2", "3"])
        #expect(test.paths == ["/items", "/items?page=2", "/items?page=3"])
        try await assertNothingLeft(test.session)
    }

    @Test func requestsNoPageBeforeItIsNeeded() async throws {
        let test = threePages()
        let pages = test.session.pages(of: "http://h/items")
        #expect(test.requestCount == 0)
        for try await _ in pages { break }
        #expect(test.requestCount == 1)
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next()?.string() == "1")
        #expect(try await iterator.next()?.string() == "2")
        #expect(test.paths == ["/items", "/items", "/items?page=2"])
        try await assertNothingLeft(test.session)
    }

    @Test func sendsFieldsAndOptionsWithEachPage() async throws {
        let test = threePages()
        let fields: HTTPFields = [.authorization: "Bearer x"]
        let pages = test.session.pages(
            of: "http://h/items",
            fields: RequestFields(fields),
            options: [RequestDeadline(.seconds(3))]
        )
        #expect(await read(pages).bodies == ["1", "2", "3"])
        #expect(test.transport.requests.map { $0.fields[.authorization] } == ["Bearer x", "Bearer x", "Bearer x"])
        #expect(test.transport.requests.allSatisfy { $0.method == .get })
    }

    @Test func addsItsQueryToTheFirstPage() async throws {
        let test = TestSession.responding([
            "/items?size=5": page("1", next: "/items?page=2"), "/items?page=2": page("2"),
        ])
        let pages = test.session.pages(of: "http://h/items", query: [URLQueryItem(name: "size", value: "5")])
        #expect(await read(pages).bodies == ["1", "2"])
    }

    @Test func beginsWithAnyRequest() async throws {
        let test = threePages()
        let request = try RequestMessage("http://h/items", method: .post, body: .string("query"))
        #expect(await read(test.session.pages(of: request)).bodies == ["1", "2", "3"])
        #expect(test.transport.requests.map(\.method) == [.post, .get, .get])
    }

    @Test func failsWithTheErrorOfBuilding() async {
        let test = threePages()
        var iterator = test.session.pages(of: "no URL").makeAsyncIterator()
        #expect(await failure { try await iterator.next() }?.code == .invalidURL)
        #expect(await failure { try await iterator.next() } == nil)
        #expect(test.requestCount == 0)
    }

    @Test func endsWithAnUnsuccessfulPage() async {
        let test = TestSession.responding([
            "/items": page("1", next: "/items?page=2"),
            "/items?page=2": page("2", next: "/items?page=3", status: .serviceUnavailable),
        ])
        #expect(await read(test.session.pages(of: "http://h/items")).bodies == ["1", "2"])
        #expect(test.requestCount == 2)
    }

    @Test func endsWithTheErrorOfARequest() async throws {
        let test = TestSession.responding(["/items": page("1", next: "/items?page=2")])
        var iterator = test.session.pages(of: "http://h/items").makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        #expect(await failure { try await iterator.next() }?.code == .connectFailed)
        let last = try await iterator.next()
        #expect(last == nil)
        #expect(test.requestCount == 2)
    }

    @Test func endsWithALoop() async {
        let test = TestSession.responding([
            "/items?page=1": page("1", next: "?page=2"), "/items?page=2": page("2", next: "?page=1"),
        ])
        let (bodies, error) = await read(test.session.pages(of: "http://h/items?page=1"))
        #expect(bodies == ["1", "2"])
        #expect(error?.code == .pageLinkInvalid)
        #expect(error?.url == "http://h/items?page=…")
        #expect(error?.responseCode == 200)
        #expect(error?.isValidation == false)
        let sentence = "could not follow the link to the next page: it leads back to http://h/items?page=…"
        #expect(error?.description.contains(sentence) == true)
    }

    @Test func sendsNoCredentialsToAnotherOrigin() async {
        let test = TestSession { request in
            request.target.origin.host == "h" ? page("1", next: "http://evil/") : MockResponse(body: "2")
        }
        let fields: HTTPFields = [.authorization: "Bearer x"]
        let refused = await read(test.session.pages(of: "http://h/items", fields: RequestFields(fields)))
        #expect(refused.bodies == ["1"])
        #expect(refused.error?.code == .pageLinkInvalid)
        #expect(test.requestCount == 1)
        let allowed: Set = [Origin(scheme: .http, host: "evil")]
        let pages = test.session.pages(of: "http://h/items", fields: RequestFields(fields), otherOrigins: allowed)
        #expect(await read(pages).bodies == ["1", "2"])
        #expect(test.transport.requests.last?.fields[.authorization] == nil)
        let options: RequestOptions = [RequestCredential(.user("ada", password: "lovelace"))]
        let listed = test.session.pages(of: "http://h/items", options: options, otherOrigins: allowed)
        let message = try? RequestMessage("http://h/items", options: options)
        for pages in [listed, message.map { test.session.pages(of: $0, otherOrigins: allowed) }].compactMap({ $0 }) {
            #expect(await read(pages).bodies == ["1", "2"])
            let sent = test.transport.requests.suffix(2).map { $0.options[RequestCredential.self] != nil }
            #expect(sent == [true, false])
        }
    }

    @Test func refusesPagesOfTheOriginThatARedirectLedTo() async {
        let test = TestSession { request in
            guard request.target.origin.host == "h" else { return page("1", next: "?page=2") }
            return MockResponse(status: .found, fields: [.location: "http://evil/items"])
        }
        let (bodies, error) = await read(test.session.pages(of: "http://h/items"))
        #expect(bodies == ["1"])
        #expect(error?.code == .pageLinkInvalid)
    }

    @Test func limitsTheNumberOfPages() async {
        let test = TestSession { request in
            let number = Int(request.target.path.split(separator: "=").last ?? "0") ?? 0
            return page("\(number)", next: "/items?page=\(number + 1)")
        }
        let few = await read(test.session.pages(of: "http://h/items", maximumCount: 3))
        #expect(few.bodies == ["0", "1", "2"])
        #expect(few.error?.code == .tooManyPages)
        let all = await read(test.session.pages(of: "http://h/items"))
        #expect(all.bodies.count == ResponsePages.defaultMaximumCount)
        #expect(all.error?.code == .tooManyPages)
    }

    @Test func endsWithItsTask() async throws {
        let barrier = Barrier()
        let test = TestSession { request in
            guard request.target.path != "/items" else { return page("1", next: "/items?page=2") }
            try await barrier.passUnlessCancelled()
            return MockResponse()
        }
        let task = Task {
            for try await _ in test.session.pages(of: "http://h/items") {}
        }
        await barrier.reached()
        task.cancel()
        #expect(await failure { try await task.value }?.isCancelled == true)
        try await assertNothingLeft(test.session)
    }
}
