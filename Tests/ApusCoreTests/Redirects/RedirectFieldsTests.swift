internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The fields that a redirect sends to another origin, depending on their source and name.
@Suite(.timeLimit(.minutes(5))) struct RedirectFieldsTests {
    private static let elsewhere = "https://b.example/b"

    private static func fields(_ names: [String]) throws -> HTTPFields {
        var fields: HTTPFields = [:]
        for name in names { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "x")) }
        return fields
    }

    /// A session that redirects from `https://a.example/` to `location`.
    private func session(
        to location: String = elsewhere,
        configuring configure: (inout Session.Configuration) -> Void = { _ in }
    ) -> TestSession {
        TestSession(configuring: configure) { request in
            guard request.target.uri == "https://a.example/" else { return MockResponse() }
            return MockResponse(status: .temporaryRedirect, fields: [.location: location])
        }
    }

    /// Returns those of the given names whose fields the last request had.
    private func sent(_ test: TestSession, of names: [String]) throws -> [String] {
        #expect(test.transport.requests.count == 2)
        let fields = try #require(test.transport.requests.last).fields
        return try names.filter { fields.contains(try #require(HTTPField.Name($0))) }
    }

    /// The source of the fields of a request.
    enum Source: CaseIterable { case request, session, adapter, middleware }

    private func get(_ test: TestSession, _ fields: HTTPFields, _ options: RequestOptions = .none) async throws {
        _ = try await test.session.get("https://a.example/", fields: RequestFields(fields), options: options)
        try await assertNothingLeft(test.session)
    }

    private func test(_ source: Source, _ names: [String], to location: String = elsewhere) async throws -> [String] {
        let fields = try Self.fields(names)
        let test = session(to: location) { configuration in
            switch source {
            case .request: break
            case .session: for field in fields { configuration.fields.append(field) }
            case .adapter:
                configuration.interceptor = Interceptor(adapters: [
                    Adapter { request, _ in
                        var request = request
                        for field in fields { request.fields.append(field) }
                        return request
                    }
                ])
            case .middleware:
                configuration.middleware = [
                    ClosureMiddleware { request, context, next in
                        var request = request
                        for field in fields { request.fields.append(field) }
                        return try await next(request, context: context)
                    }
                ]
            }
        }
        try await get(test, source == .request ? fields : [:])
        return try sent(test, of: names)
    }

    @Test(arguments: Source.allCases) func dropsSecretFields(source: Source) async throws {
        let names = SecretNames.fields.filter { $0 != "Cookie" }
        #expect(try await test(source, names) == [])
        #expect(try await test(source, ["Cookie"]) == [])
        #expect(try await test(source, names, to: "https://a.example/b") == names)
        #expect(try await test(source, names, to: "https://a.example:8443/b") == [])
    }

    @Test(arguments: Source.allCases) func keepsOrdinaryFields(source: Source) async throws {
        let names = SecretNames.harmlessFields
        #expect(try await test(source, names) == names)
    }

    private static let safe = [
        "Accept", "Accept-Language", "User-Agent", "Content-Type", "Range", "If-None-Match", "Cache-Control", "Prefer",
    ]
    private static let other = ["X-Request-Id", "Idempotency-Key", "X-API-Version", "From"]
    private static let secret = ["Authorization", "X-Api-Key", "Private-Token", "Accept-Token"]
    private static let never = ["Host", "Origin", "Referer"]

    static let policies: [(RedirectPolicy.CrossOriginFields, taken: [String])] = [
        (.withoutSecrets, safe + other), (.safelist, safe), (.everything, safe + other + secret),
    ]

    @Test(arguments: policies)
    func followsThePolicy(fields: RedirectPolicy.CrossOriginFields, taken: [String]) async throws {
        let names = Self.safe + Self.other + Self.secret + Self.never
        let policy = RedirectPolicy.follow(crossOriginFields: fields)
        let test = session { $0.redirects = policy }
        try await get(test, Self.fields(names))
        #expect(try sent(test, of: names) == taken)
        let option = session()
        try await get(option, Self.fields(names), [policy])
        #expect(try sent(option, of: names) == taken)
        // The same applies if a handler changes the target.
        let handled = session(to: "/b") { configuration in
            configuration.redirects = policy
            configuration.redirectHandler = .modify { request, _, _ in
                var request = request
                request.target = try TargetURI(Self.elsewhere)
                return request
            }
        }
        try await get(handled, Self.fields(names))
        #expect(try sent(handled, of: names) == taken)
    }

    @Test func dropsSecretFieldsByDefault() {
        #expect(RedirectPolicy.follow.crossOriginFields == .withoutSecrets)
        #expect(RedirectPolicy.refuse.crossOriginFields == .withoutSecrets)
        #expect(Session.Configuration().redirects.crossOriginFields == .withoutSecrets)
    }

    /// The handler knows the new target and may restore a field.
    @Test(arguments: [RedirectPolicy.follow, .follow(crossOriginFields: .safelist)])
    func sendsFieldsThatAHandlerRestores(policy: RedirectPolicy) async throws {
        let fields = try Self.fields(["X-Api-Key", "X-Request-Id", "Private-Token"])
        let test = session { configuration in
            configuration.redirects = policy
            configuration.redirectHandler = .modify { request, _, _ in
                var request = request
                for field in fields.dropLast() { request.fields[field.name] = field.value }
                return request
            }
        }
        try await get(test, fields)
        #expect(try sent(test, of: ["X-Api-Key", "X-Request-Id", "Private-Token"]) == ["X-Api-Key", "X-Request-Id"])
    }
}
