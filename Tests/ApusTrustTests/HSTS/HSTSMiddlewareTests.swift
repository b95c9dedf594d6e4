internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTrust

/// The middleware, in the whole chain.
@Suite(.timeLimit(.minutes(5))) struct HSTSMiddlewareTests {
    private let clock = ManualClock(wallClock: Date(timeIntervalSince1970: 1_700_000_000))

    private func session(
        _ configure: (inout Session.Configuration) -> Void = { _ in },
        _ handler: @escaping MockTransport.Handler = { _ in Self.asking }
    ) -> (session: Session, transport: MockTransport) {
        let transport = MockTransport(handler)
        var configuration = Session.Configuration()
        configuration.time = clock
        configure(&configuration)
        return (Session(configuration: configuration, transport: transport), transport)
    }

    /// A response that asks for https.
    private static let asking = MockResponse(fields: [.strictTransportSecurity: "max-age=60"])

    private static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse(status: .init(code: status), fields: [.location: location])
    }

    private func sent(_ transport: MockTransport) -> [String] { transport.requests.map(\.target.uri) }

    @Test func upgradesRequestsToKnownHosts() async throws {
        let (session, transport) = session()
        _ = try await session.get("http://example.org/1")
        _ = try await session.get("https://example.org/2")
        let response = try await session.get("http://example.org:80/3")
        _ = try await session.get("http://example.org:8080/4")
        _ = try await session.get("http://a.example.org/5")
        clock.advance(by: .seconds(60))
        _ = try await session.get("http://example.org/6")
        #expect(
            sent(transport) == [
                "http://example.org/1", "https://example.org/2", "https://example.org/3",
                "https://example.org:8080/4", "http://a.example.org/5", "http://example.org/6",
            ]
        )
        #expect(response.target.uri == "https://example.org/3")
        #expect(response.metrics.exchanges.map(\.target.uri) == ["https://example.org/3"])
        #expect(response.redirects.isEmpty)
    }

    @Test(arguments: [true, false]) func upgradesHandlesAndStreams(isStream: Bool) async throws {
        let (session, transport) = session()
        try session.hsts?.set("example.org")
        if isStream {
            let response = try await session.stream("http://example.org/")
            for try await _ in response.body {}
            #expect(response.target.uri == "https://example.org/")
        } else {
            _ = try await session.request("http://example.org/").serializingData(emptyResponseCodes: [200]).value
        }
        #expect(sent(transport) == ["https://example.org/"])
    }

    // MARK: Options

    @Test func isSwitchedOff() async throws {
        let (session, transport) = session { $0.hsts = .off }
        #expect(session.hsts == nil)
        _ = try await session.get("https://example.org/")
        _ = try await session.get("http://example.org/")
        let own = HSTSStore(time: clock)
        try own.set("example.org")
        _ = try await session.get("http://example.org/", options: [HSTSHandling.store(own)])
        #expect(sent(transport) == ["https://example.org/", "http://example.org/", "https://example.org/"])
    }

    @Test func isSwitchedOffForARequest() async throws {
        let (session, transport) = session()
        try session.hsts?.set("example.org")
        _ = try await session.get("http://example.org/", options: [HSTSHandling.off])
        _ = try await session.get("https://other.example/", options: [HSTSHandling.off])
        _ = try await session.get("http://example.org/", options: [HSTSHandling.automatic])
        #expect(sent(transport) == ["http://example.org/", "https://other.example/", "https://example.org/"])
        #expect(session.hsts?.entries.map(\.host) == ["example.org"])
    }

    @Test func sharesAStore() async throws {
        let store = HSTSStore(time: clock)
        let (one, _) = session { $0.hsts = .store(store) }
        let (other, transport) = session { $0.hsts = .store(store) }
        _ = try await one.get("https://example.org/")
        _ = try await other.get("http://example.org/")
        #expect(sent(transport) == ["https://example.org/"])
        let (separate, plain) = session()
        _ = try await separate.get("http://example.org/")
        #expect(sent(plain) == ["http://example.org/"])
    }

    // MARK: Policies

    @Test(arguments: [ServerTrust.Verification.none, .chainOnly])
    func ignoresPoliciesOfUnverifiedServers(verification: ServerTrust.Verification) async throws {
        let (session, _) = session { $0.trust.verification = verification }
        _ = try await session.get("https://example.org/")
        #expect(session.hsts?.entries.isEmpty == true)
        _ = try await session.get("https://example.org/", options: [ServerTrust()])
        #expect(session.hsts?.entries.map(\.host) == ["example.org"])
        var trust = ServerTrust()
        trust.verification = verification
        _ = try await session.get("https://other.example/", options: [trust])
        #expect(session.hsts?.entries.map(\.host) == ["example.org"])
    }

    @Test func ignoresPoliciesOverHTTP() async throws {
        let (session, _) = session()
        _ = try await session.get("http://example.org/")
        #expect(session.hsts?.entries.isEmpty == true)
    }

    @Test func takesThePolicyOfEachResponse() async throws {
        let (session, transport) = session { _ in
        } _: { request in
            var response = Self.asking
            if request.target.path == "/" {
                response.status = .movedPermanently
                response.fields[.location] = "https://two.example/end"
            }
            return response
        }
        _ = try await session.get("https://one.example/")
        #expect(session.hsts?.entries.map(\.host) == ["one.example", "two.example"])
        _ = try await session.get("http://one.example/other")
        #expect(sent(transport).last == "https://one.example/other")
    }

    // MARK: Redirects

    @Test func upgradesRedirects() async throws {
        let (session, transport) = session { _ in
        } _: { request in
            switch request.target.path {
            case "/1": Self.redirect(to: "http://known.example/2")
            case "/2": Self.redirect(to: "3")
            case "/3": Self.redirect(to: "http://known.example/4")
            default: MockResponse()
            }
        }
        try session.hsts?.set("known.example")
        let response = try await session.get("http://example.org/1")
        let course = [
            "http://example.org/1", "https://known.example/2", "https://known.example/3", "https://known.example/4",
        ]
        #expect(sent(transport) == course)
        #expect(response.redirects.map(\.target.uri) == Array(course.dropLast()))
        #expect(response.target.uri == course.last)
    }

    /// The request goes over https, so its redirect to http is a downgrade.
    @Test func refusesDowngradesOfUpgradedRequests() async throws {
        let (session, transport) = session { _ in
        } _: { _ in
            Self.redirect(to: "http://other.example/")
        }
        try session.hsts?.set("example.org")
        let error = await #expect(throws: ApusError.self) { try await session.get("http://example.org/") }
        #expect(error?.code == .redirectInvalid)
        #expect(sent(transport) == ["https://example.org/"])
    }

    /// The second link upgrades the target of network middleware, so the redirect comes over https.
    @Test(arguments: [false, true])
    func judgesADowngradeByTheTargetThatWasSent(isAllowed: Bool) async throws {
        let (session, transport) = session { configuration in
            configuration.redirects = .follow(allowsDowngrade: isAllowed)
            configuration.networkMiddleware = [
                ClosureMiddleware { request, context, next in
                    var request = request
                    if request.target.path == "/" { request.target = try TargetURI("http://example.org/changed") }
                    return try await next(request, context: context)
                }
            ]
        } _: { request in
            request.target.path == "/changed" ? Self.redirect(to: "http://third.example/end") : MockResponse()
        }
        try session.hsts?.set("example.org")
        var code: ApusError.Code?
        do throws(ApusError) {
            _ = try await session.get("http://other.example/")
        } catch {
            code = error.code
        }
        #expect(code == (isAllowed ? nil : .redirectInvalid))
        let first = "https://example.org/changed"
        #expect(sent(transport) == (isAllowed ? [first, "http://third.example/end"] : [first]))
    }

    @Test func followsARedirectWithinTheOriginThatTheNetworkMiddlewareUpgrades() async throws {
        let (session, transport) = session { configuration in
            configuration.networkMiddleware = [
                ClosureMiddleware { request, context, next in
                    var request = request
                    let target = request.target
                    request.target = try TargetURI("https://\(target.origin.host)\(target.path)")
                    return try await next(request, context: context)
                }
            ]
        } _: { request in
            request.target.path == "/" ? Self.redirect(to: "/next") : MockResponse()
        }
        _ = try await session.get("http://other.example/")
        #expect(sent(transport) == ["https://other.example/", "https://other.example/next"])
    }

    @Test func keepsCredentialsWithinTheUpgradedOrigin() async throws {
        let (session, transport) = session { _ in
        } _: { request in
            request.target.path == "/" ? Self.redirect(to: "http://example.org/next") : MockResponse()
        }
        try session.hsts?.set("example.org")
        _ = try await session.get("http://example.org/", fields: [.authorization: "Bearer x"])
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer x", "Bearer x"])
        #expect(sent(transport) == ["https://example.org/", "https://example.org/next"])
    }

    // MARK: Other middleware

    @Test func storesCookiesOfTheUpgradedTarget() async throws {
        let (session, transport) = session { _ in
        } _: { _ in
            MockResponse(fields: [.setCookie: "__Host-a=1; Secure; Path=/"])
        }
        try session.hsts?.set("example.org")
        _ = try await session.get("http://example.org/")
        _ = try await session.get("http://example.org/")
        #expect(transport.requests.map { $0.fields[.cookie] } == [nil, "__Host-a=1"])
    }

    @Test func answersChallengesOfTheUpgradedTarget() async throws {
        let (session, transport) = session { _ in
        } _: { request in
            guard request.fields[.authorization] == nil else { return MockResponse() }
            return MockResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Basic realm=\"a\""])
        }
        try session.hsts?.set("example.org")
        let credential = RequestCredential(.user("ada", password: "secret"))
        let response = try await session.get("http://example.org/", options: [credential])
        #expect(response.status == .ok)
        #expect(sent(transport) == ["https://example.org/", "https://example.org/"])
    }

    /// Network middleware is the last one that could send a request over http.
    @Test func upgradesTargetsOfNetworkMiddleware() async throws {
        let (session, transport) = session { configuration in
            configuration.networkMiddleware = [
                ClosureMiddleware { request, context, next in
                    var request = request
                    request.target = try TargetURI("http://example.org/changed")
                    return try await next(request, context: context)
                }
            ]
        }
        try session.hsts?.set("example.org")
        let response = try await session.get("http://other.example/")
        #expect(sent(transport) == ["https://example.org/changed"])
        #expect(response.target.uri == "https://example.org/changed")
    }

    // MARK: Errors

    @Test(arguments: [ApusError.Code.connectFailed, .connectTimeout, .tlsFailed, .certificateRejected])
    func explainsWhyItWentOverHTTPS(code: ApusError.Code) async throws {
        let (session, transport) = session { _ in
        } _: { _ in
            throw ApusError(code, "it is down", hint: "check it")
        }
        try session.hsts?.set("example.org", includesSubdomains: true)
        let error = await #expect(throws: ApusError.self) { try await session.get("http://www.example.org/") }
        #expect(error?.code == code)
        #expect(error?.detail == "it is down, over https, since 'example.org' has asked for that with HSTS")
        #expect(error?.hint == "check it, or remove 'example.org' from the HSTSStore if it has no https any more")
        #expect(error?.url == "https://www.example.org/")
        // There is no way back to http.
        #expect(sent(transport) == ["https://www.example.org/"])
        let plain = await #expect(throws: ApusError.self) { try await session.get("https://www.example.org/") }
        #expect(plain?.detail == "it is down")
    }

    @Test func explainsWhyARedirectWentOverHTTPS() async throws {
        let (session, _) = session { _ in
        } _: { request in
            if request.target.origin.scheme == .http { return Self.redirect(to: "http://known.example/") }
            throw ApusError(.connectFailed, "it is down")
        }
        try session.hsts?.set("known.example")
        let error = await #expect(throws: ApusError.self) { try await session.get("http://example.org/") }
        #expect(error?.detail.hasSuffix("since 'known.example' has asked for that with HSTS") == true)
        #expect(error?.url == "https://known.example/")
    }

    /// TLS with a proxy does not depend on the scheme of the request.
    @Test func explainsNoFailureOfAProxy() async throws {
        let (session, _) = session { _ in
        } _: { _ in
            throw ApusError(.tlsFailed, "it is down").ofProxy("https://p:1")
        }
        try session.hsts?.set("example.org")
        let error = await #expect(throws: ApusError.self) { try await session.get("http://example.org/") }
        #expect(error?.detail == "it is down")
    }

    @Test func explainsNoOtherErrors() async throws {
        let (session, _) = session { _ in
        } _: { _ in
            throw ApusError(.readTimeout, "it is slow")
        }
        try session.hsts?.set("example.org")
        let error = await #expect(throws: ApusError.self) { try await session.get("http://example.org/") }
        #expect(error?.detail == "it is slow")
    }
}
