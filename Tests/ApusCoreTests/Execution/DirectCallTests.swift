internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
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
            try await session.get(url, query: query, fields: RequestFields(fields), options: options)
        },
        CallVariant(method: .head, body: nil) { session, url in
            try await session.head(url, query: query, fields: RequestFields(fields), options: options)
        },
        CallVariant(method: .post, body: "1") { session, url in
            try await session.post(
                url,
                query: query,
                fields: RequestFields(fields),
                body: .string("1"),
                options: options
            )
        },
        CallVariant(method: .put, body: "2") { session, url in
            try await session.put(
                url,
                query: query,
                fields: RequestFields(fields),
                body: .string("2"),
                options: options
            )
        },
        CallVariant(method: .patch, body: "3") { session, url in
            try await session.patch(
                url,
                query: query,
                fields: RequestFields(fields),
                body: .string("3"),
                options: options
            )
        },
        CallVariant(method: .delete, body: "4") { session, url in
            try await session.delete(
                url,
                query: query,
                fields: RequestFields(fields),
                body: .string("4"),
                options: options
            )
        },
        CallVariant(method: .options, body: "5") { session, url in
            let message = try RequestMessage(
                url,
                method: .options,
                query: query,
                fields: RequestFields(fields),
                body: .string("5")
            )
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
                    marks.append(request.options[Mark.self]?.text)
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
