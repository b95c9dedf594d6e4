internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct SessionParametersTests {
    private struct Mark: RequestOption {}

    /// One of the direct calls.
    struct Verb: CustomTestStringConvertible, Sendable {
        let method: HTTPRequest.Method
        let target: String
        let type: String?
        let content: String?
        let call: @Sendable (Session) async throws -> Response

        var testDescription: String { "\(method.rawValue) \(type ?? "")" }
    }

    private static let url = "http://h/p?x"
    private static let query = [URLQueryItem(name: "q", value: "1"), URLQueryItem(name: "r", value: nil)]
    private static let value = ["k": "v w"]
    private static let form = "application/x-www-form-urlencoded; charset=utf-8"
    private static let json = "application/json"

    static let verbs: [Verb] = [
        Verb(method: .get, target: "/p?x&k=v%20w", type: nil, content: nil) {
            try await $0.get(url, parameters: value)
        },
        Verb(method: .head, target: "/p?x&k=v%20w", type: nil, content: nil) {
            try await $0.head(url, parameters: value)
        },
        Verb(method: .delete, target: "/p?x&k=v%20w", type: nil, content: nil) {
            try await $0.delete(url, parameters: value)
        },
        Verb(method: .post, target: "/p?x", type: json, content: #"{"k":"v w"}"#) {
            try await $0.post(url, parameters: value, encoder: .json)
        },
        Verb(method: .put, target: "/p?x", type: json, content: #"{"k":"v w"}"#) {
            try await $0.put(url, parameters: value, encoder: .json)
        },
        Verb(method: .patch, target: "/p?x", type: json, content: #"{"k":"v w"}"#) {
            try await $0.patch(url, parameters: value, encoder: .json)
        },
        Verb(method: .post, target: "/p?x", type: form, content: "k=v%20w") {
            try await $0.post(url, parameters: value)
        },
        Verb(method: .put, target: "/p?x&k=v%20w", type: nil, content: nil) {
            try await $0.put(url, parameters: value, encoder: .urlEncodedForm(destination: .queryString))
        },
        Verb(method: .delete, target: "/p?x", type: json, content: #"{"k":"v w"}"#) {
            try await $0.delete(url, parameters: value, encoder: .json)
        },
        Verb(method: .post, target: "/p?x", type: nil, content: nil) {
            try await $0.post(url, parameters: [String: Int]?.none)
        },
        Verb(method: .patch, target: "/p?x", type: "own/type", content: "k=v%20w") {
            try await $0.patch(url, parameters: value, encoder: .urlEncodedForm, fields: [.contentType: "own/type"])
        },
        Verb(method: .post, target: "/p?x&m=1", type: json, content: #"{"k":"v w"}"#) { session in
            try await session.post(url, parameters: value, encoder: .json, options: [Mark()]) { request in
                request.target = try TargetURI(request.target.uri + "&m=1")
            }
        },
        Verb(method: .get, target: "/p?x&q=1&r&k=v%20w", type: nil, content: nil) {
            try await $0.get(url, query: query, parameters: value)
        },
        Verb(method: .head, target: "/p?x&q=1&r&k=v%20w", type: nil, content: nil) {
            try await $0.head(url, query: query, parameters: value)
        },
        Verb(method: .delete, target: "/p?x&q=1&r&k=v%20w", type: nil, content: nil) {
            try await $0.delete(url, query: query, parameters: value)
        },
        Verb(method: .post, target: "/p?x&q=1&r", type: json, content: #"{"k":"v w"}"#) {
            try await $0.post(url, query: query, parameters: value, encoder: .json)
        },
        Verb(method: .put, target: "/p?x&q=1&r", type: form, content: "k=v%20w") {
            try await $0.put(url, query: query, parameters: value, encoder: .urlEncodedForm)
        },
        Verb(method: .patch, target: "/p?x&q=1&r", type: nil, content: nil) {
            try await $0.patch(url, query: query, parameters: [String: Int]?.none)
        },
        // The similar calls of the core module.
        Verb(method: .get, target: "/p?x", type: nil, content: nil) { try await $0.get(url) },
        Verb(method: .get, target: "/p?x&a=b", type: nil, content: nil) {
            try await $0.get(url, query: [URLQueryItem(name: "a", value: "b")])
        },
        Verb(method: .post, target: "/p?x", type: nil, content: nil) { try await $0.post(url) },
        Verb(method: .post, target: "/p?x", type: nil, content: "raw") { try await $0.post(url, body: .string("raw")) },
        Verb(method: .put, target: "/p?x", type: nil, content: nil) { try await $0.put(url, options: [Mark()]) },
        Verb(method: .patch, target: "/p?x", type: "own/type", content: nil) {
            try await $0.patch(url, fields: [.contentType: "own/type"])
        },
        Verb(method: .delete, target: "/p?x", type: nil, content: nil) { try await $0.delete(url, fields: [:]) },
        Verb(method: .post, target: "/p?x&k=v%20w", type: nil, content: nil) {
            let encoder = URLEncodedFormParameterEncoder(destination: .queryString)
            return try await $0.send(ParameterizedRequest(url, method: .post, parameters: value, encoder: encoder))
        },
    ]

    private func content(of request: RequestMessage) throws -> String? {
        request.body.isNone ? nil : try request.sentString
    }

    /// Parity: AF-parameters-request, AF-legacy-url-encoding
    @Test(arguments: verbs) func sendsTheParametersOfADirectCall(verb: Verb) async throws {
        let transport = MockTransport { _ in MockResponse(body: "ok") }
        let session = Session(transport: transport)
        let response = try await verb.call(session)
        let sent = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(sent.method == verb.method)
        #expect(sent.target.path == verb.target)
        #expect(sent.fields[.contentType] == verb.type)
        #expect(try content(of: sent) == verb.content)
        #expect(response.status == 200)
        try await assertNothingLeft(session)
    }

    /// The calls that create a handle, and the similar calls of the core module.
    static let handles: [(expected: String, make: @Sendable (Session) -> DataRequest)] = [
        ("GET /p?x&k=v%20w", { $0.request(url, parameters: value) }),
        ("POST /p?x k=v%20w", { $0.request(url, method: .post, parameters: value) }),
        ("PUT /p?x {\"k\":\"v w\"}", { $0.request(url, method: .put, parameters: value, encoder: .json) }),
        ("GET /p?x", { $0.request(url, parameters: [String: Int]?.none) }),
        ("POST /p?x&q=1&r k=v%20w", { $0.request(url, method: .post, query: query, parameters: value) }),
        ("POST /p?x [1,2]", { $0.request(url, method: .post, parameters: [1, 2], encoder: .json) }),
        (
            "POST /p?x [1,{\"a\":null}]",
            { $0.request(url, method: .post, parameters: [1, ["a": nil]] as [ParameterValue], encoder: .json) }
        ),
        ("GET /p?x", { $0.request(url) }),
        ("POST /p?x raw", { $0.request(url, method: .post, body: .string("raw")) }),
        ("OPTIONS /p?x", { $0.request(url) { $0.method = .options } }),
        (
            "POST /p?x&a=b raw",
            { session in
                let query = [URLQueryItem(name: "a", value: "b")]
                return session.request(url, method: .post, query: query, fields: [:], options: .none) { request in
                    request.body = .string("raw")
                }
            }
        ),
        ("PUT /p?x k=v%20w", { $0.request(url, parameters: value) { $0.method = .put } }),
        ("QUERY /p?x k=v%20w", { $0.request(ParameterizedRequest(url, method: .query, parameters: value)) }),
        ("GET /p?x", { session in (try? TargetURI(url)).map { session.request($0) } ?? session.request("") }),
    ]

    /// Parity: AF-parameters-request
    @Test(arguments: handles.indices) func sendsTheParametersOfAHandle(index: Int) async throws {
        let transport = MockTransport { _ in MockResponse(body: "ok") }
        let session = Session(transport: transport)
        let request = Self.handles[index].make(session)
        #expect(try await request.serializingString().value == "ok")
        let sent = try #require(transport.requests.first)
        let words = [sent.method.rawValue, sent.target.path, try content(of: sent)]
        #expect(words.compactMap(\.self).joined(separator: " ") == Self.handles[index].expected)
        try await assertNothingLeft(session)
    }

    private struct FailingURL: URLConvertible {
        func asURL() throws -> URL { throw Fault() }
    }

    /// Calls that fail before a request is sent, by a handle and directly.
    static let failures: [(code: ApusError.Code, call: @Sendable (Session) async throws -> Void)] = [
        (.invalidURL, { _ = try await $0.get("no url", parameters: value) }),
        (.invalidURL, { _ = try await $0.request("no url", parameters: value).serializingData().value }),
        (.invalidURL, { _ = try await $0.request("no url") { _ in }.serializingData().value }),
        (.requestBuildingFailed, { _ = try await $0.post(FailingURL(), parameters: value) }),
        (
            .requestBuildingFailed,
            { _ = try await $0.put(url, parameters: value, encoder: .json) { _ in throw Fault() } }
        ),
        (.requestBuildingFailed, { _ = try await $0.request(url) { _ in throw Fault() }.serializingData().value }),
        (.parameterEncodingFailed, { _ = try await $0.get(url, parameters: ["a": Double.nan]) }),
        (.parameterEncodingFailed, { _ = try await $0.post(url, parameters: ["a": Double.nan]) }),
        (.parameterEncodingFailed, { _ = try await $0.get(url, parameters: [1]) }),
        (
            .parameterEncodingFailed,
            { _ = try await $0.request(url, parameters: ["a": Double.nan]).serializingData().value }
        ),
        (.invalidRequest, { _ = try await $0.get(url, parameters: value, encoder: .json) }),
    ]

    /// Parity: AF-stage-creation, AF-error-encoding
    @Test(arguments: failures.indices) func reportsRequestsThatCanNotBeSent(index: Int) async throws {
        let transport = MockTransport { _ in MockResponse(body: "ok") }
        let session = Session(transport: transport)
        let error = await #expect(throws: ApusError.self) { try await Self.failures[index].call(session) }
        #expect(error?.code == Self.failures[index].code)
        #expect(transport.requests.isEmpty)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-parameters-modifier
    @Test func runsTheModifierOnceForAnAttempt() async throws {
        let transport = MockTransport { _ in MockResponse(body: "ok") }
        let session = Session(transport: transport)
        let mark: RequestModifier = { $0.fields.append(HTTPField(name: .from, value: "x")) }
        _ = try await session.get(Self.url, parameters: Self.value, modifier: mark)
        _ = try await session.request(Self.url, parameters: Self.value, modifier: mark).serializingData().value
        _ = try await session.request(Self.url, modifier: mark).serializingData().value
        #expect(transport.requests.map { $0.fields[values: .from] } == [["x"], ["x"], ["x"]])
        try await assertNothingLeft(session)
    }

    /// Parity: AF-parameters-modifier
    @Test func runsTheModifierForEachAttemptOfAHandle() async throws {
        let transport = MockTransport { _ in MockResponse(status: .serviceUnavailable, body: "x") }
        let session = Session(transport: transport)
        let retrier = Retrier(reconsidering: { $0.retryCount < 2 ? .retry : .doNotRetry })
        let (counting, count) = AsyncStream<Void>.makeStream()
        let request = session.request(Self.url, method: .post, parameters: Self.value, encoder: .json) { request in
            #expect(request.body.isNone)
            count.yield()
        }
        _ = await request.retry(using: retrier).serializingData().response
        count.finish()
        #expect(await counting.reduce(0) { count, _ in count + 1 } == 3)
        #expect(try transport.requests.map(content) == Array(repeating: #"{"k":"v w"}"#, count: 3))
        try await assertNothingLeft(session)
    }
}
