internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The settings of TLS that a redirect keeps.
@Suite(.timeLimit(.minutes(5))) struct RedirectSettingsTests {
    private static let settings: TLSSettings = {
        var settings = TLSSettings()
        settings.minimumVersion = .v13
        settings.serverName = "front.example"
        settings.verifiedName = "back.example"
        settings.identity = .pem("certificate")
        return settings
    }()

    /// Returns the settings of the second exchange.
    private func settings(after location: String) async throws -> TLSSettings? {
        let test = TestSession { request in
            guard request.target.path == "/" else { return MockResponse(body: "there") }
            return MockResponse(status: .found, fields: [.location: location])
        }
        _ = try await test.session.get("https://a.example/", options: [Self.settings])
        #expect(test.transport.requests.count == 2)
        return test.transport.requests.last?.options[TLSSettings.self]
    }

    @Test(arguments: ["/b", "https://a.example/b", "https://A.example:443/b"])
    func keepsTheIdentityWithinItsOrigin(location: String) async throws {
        #expect(try await settings(after: location) == Self.settings)
    }

    @Test(arguments: ["https://b.example/b", "https://a.example:8443/b", "https://sub.a.example/b"])
    func dropsTheIdentityForAnotherOrigin(location: String) async throws {
        let settings = try await settings(after: location)
        #expect(settings?.identity == nil)
        #expect(settings?.serverName == nil && settings?.verifiedName == nil)
        #expect(settings?.minimumVersion == .v13)
    }

    /// A request that trusts anyone at one origin must not do so at another.
    @Test(arguments: [("/b", true), ("https://b.example/b", false), ("https://a.example:8443/b", false)])
    func dropsTheTrustForAnotherOrigin(location: String, isKept: Bool) async throws {
        let test = TestSession { request in
            guard request.target.path == "/" else { return MockResponse(body: "there") }
            return MockResponse(status: .found, fields: [.location: location])
        }
        var trust = ServerTrust()
        trust.verification = .none
        _ = try await test.session.get("https://a.example/", options: [trust])
        #expect(test.transport.requests.last?.options[ServerTrust.self] == (isKept ? trust : nil))
    }

    /// A handler that chooses the trust of another origin knows that origin.
    @Test func keepsTheTrustThatAHandlerHasChosen() async throws {
        let test = TestSession { request in
            guard request.target.origin.host == "a.example" else { return MockResponse(body: "there") }
            return MockResponse(status: .found, fields: [.location: "https://b.example/"])
        }
        var (own, other) = (ServerTrust(), ServerTrust())
        own.verification = .none
        other.roots = .file("/b.pem")
        let chosen = other
        let redirector = Redirector.modify { request, _, _ in
            var request = request
            request.options[ServerTrust.self] = chosen
            return request
        }
        _ = try await test.session.request("https://a.example/", options: [own])
            .redirect(using: redirector)
            .serializingData().value
        #expect(test.transport.requests.last?.options[ServerTrust.self] == other)
    }
}
