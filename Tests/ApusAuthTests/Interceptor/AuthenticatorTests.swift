internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

/// An authenticator that implements only the required methods.
private struct PlainAuthenticator: Authenticator {
    func apply(_ credential: Token, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "X-Token", credential.text)
    }

    func refresh(_ credential: Token, for session: Session) async throws -> Token { credential }
}

@Suite struct AuthenticatorTests {
    private let authenticator = PlainAuthenticator()
    private let bench = InterceptorBench(PlainAuthenticator(), Token("first"))

    @Test func authenticatesAllRequestsByDefault() throws {
        #expect(authenticator.authenticates(try RequestMessage("http://anywhere.example.org/")))
    }

    /// Parity: AF-refresh-protocols
    @Test(arguments: [(401, true), (200, false), (403, false), (407, false), (500, false)])
    func treats401AsARefusalByDefault(code: Int, isRefusal: Bool) throws {
        let response = HTTPResponse(status: .init(code: code))
        let attempt = bench.attempt(try RequestMessage("https://api.example.org/"), response.status)
        #expect(authenticator.didRequest(attempt, with: response, failDueToAuthenticationError: nil) == isRefusal)
    }

    @Test(arguments: [("https://api.example.org/b", true), ("https://other.example.org/", false)])
    func ignoresRefusalsOfOtherOriginsAfterRedirects(url: String, isRefusal: Bool) throws {
        let context = bench.context()
        let request = try RequestMessage("https://api.example.org/a")
        for (message, cause) in [(request, ExchangeCause.first), (try RequestMessage(url), .redirect)] {
            context.openRecord(for: message, cause: cause).close(at: .now) { $0.status = .unauthorized }
        }
        let attempt = bench.attempt(request, context: context)
        let response = HTTPResponse(status: .unauthorized)
        #expect(authenticator.didRequest(attempt, with: response, failDueToAuthenticationError: nil) == isRefusal)
    }

    /// Parity: AF-refresh-protocols
    @Test func recognizesARequestByTheFieldsOfItsCredential() throws {
        var request = try RequestMessage("https://api.example.org/", fields: [.accept: "*/*"])
        #expect(!authenticator.isRequest(request, authenticatedWith: Token("first")))
        try authenticator.apply(Token("first"), to: &request)
        #expect(authenticator.isRequest(request, authenticatedWith: Token("first")))
        #expect(!authenticator.isRequest(request, authenticatedWith: Token("second")))
        #expect(!authenticator.isRequest(request, authenticatedWith: Token("no\nfield")))
    }
}
