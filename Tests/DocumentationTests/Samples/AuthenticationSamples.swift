internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the guide to authentication, and of the comments of its types.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticationSamples {
    /// Returns a session whose service accepts only Ada's credentials.
    private func session(_ configuration: Session.Configuration = .init()) -> Session {
        let transport = MockTransport { request in
            guard request.fields[.authorization] == "Basic YWRhOkxvdmVsYWNl" else {
                return MockResponse(status: .unauthorized, fields: [.wwwAuthenticate: #"Basic realm="engines""#])
            }
            return MockResponse(fields: [.contentType: "application/json"], body: #"{"id": 1, "name": "Ada"}"#)
        }
        return Session(configuration: configuration, transport: transport)
    }

    @Sendable private func askForPassword(of realm: String?) async throws -> Credential? {
        .user("ada", password: "Lovelace")
    }

    @Test func singleRequests() async throws {
        let session = session()
        let user = try await session.request("https://api.example.org/users/1")
            .authenticate(username: "ada", password: "Lovelace")
            .validate()
            .serializingDecodable(User.self)
            .value
        #expect(user.name == "Ada")
        let ada = RequestCredential(.user("ada", password: "Lovelace"))
        let response = try await session.get("https://api.example.org/users/1", options: [ada])
        #expect(response.status == .ok)
    }

    @Test func stores() async throws {
        let store = CredentialStore()
        let api = Origin(scheme: .https, host: "api.example.org")
        store.set(.user("ada", password: "Lovelace"), for: ProtectionSpace(api))
        var configuration = Session.Configuration()
        configuration.credentials = CredentialSource(store)
        let response = try await session(configuration).get("https://api.example.org/users/1")
        #expect(response.status == .ok)
    }

    @Test func spaces() {
        let store = CredentialStore()
        let api = Origin(scheme: .https, host: "api.example.org")
        store.set(.user("ada", password: "Lovelace"), for: ProtectionSpace(api, realm: "engines"))
        store.set(.bearer("mF_9.B5f-4.1JqM"), for: ProtectionSpace(api, scheme: "bearer"))
        #expect(store.credential(for: ProtectionSpace(api, realm: "engines", scheme: "basic")) != nil)
    }

    @Test func netrc() async throws {
        let netrc = try Netrc(
            """
            machine api.example.org login ada password Lovelace
            default login anonymous password "a guest"
            """
        )
        var configuration = Session.Configuration()
        configuration.credentials = CredentialSource(netrc)
        let response = try await session(configuration).get("https://api.example.org/users/1")
        #expect(response.status == .ok)
    }

    /// Only compiled, because the file may not exist.
    private func userNetrc() throws -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.credentials = CredentialSource(try Netrc())
        return configuration
    }

    @Test func closures() async throws {
        var configuration = Session.Configuration()
        configuration.credentials = CredentialSource { query in
            guard query.space.origin.host == "api.example.org", query.previousFailureCount < 3 else { return nil }
            return try await askForPassword(of: query.space.realm)
        }
        let response = try await session(configuration).get("https://api.example.org/users/1")
        #expect(response.status == .ok)
    }

    @Test func challenges() {
        let fields: HTTPFields = [.wwwAuthenticate: #"Digest realm="air", nonce="5ccc", Basic realm="air""#]
        let challenges = AuthenticationChallenge.challenges(in: fields)
        print(challenges.map(\.scheme), challenges.first?.realm ?? "")
        #expect(challenges.map(\.scheme) == ["Digest", "Basic"])
    }

    struct Sealer: RequestSigner {
        func sign(_ request: inout RequestMessage, contentHash: String?, at date: Date) async throws {
            try request.fields.append(checking: "X-Seal", "\(request.method) \(contentHash ?? "unknown")")
        }
    }

    @Test func signers() async throws {
        let keys = AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "secret")
        let signer = AWSSignatureV4(keys, region: "eu-west-1", service: "s3")
        var configuration = Session.Configuration()
        configuration.networkMiddleware = [
            RequestSigning(signer) { $0.scheme == .https && $0.host.hasSuffix(".s3.eu-west-1.amazonaws.com") }
        ]
        configuration.networkMiddleware.append(RequestSigning(Sealer(), for: Origin(scheme: .https, host: "h")))
        let transport = MockTransport { _ in MockResponse() }
        let session = Session(configuration: configuration, transport: transport)
        try await session.get("https://bucket.s3.eu-west-1.amazonaws.com/key").validate()
        #expect(transport.requests.last?.fields[.authorization]?.hasPrefix("AWS4-HMAC-SHA256 ") == true)
    }
}
