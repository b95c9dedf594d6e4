internal import Apus
internal import ApusTesting
internal import Testing

/// Authentication challenges of Apache and httpbin.
@Suite(.enabled(if: !Servers.apache.isEmpty, "Scripts/interop starts the servers"), .timeLimit(.minutes(5)))
struct AuthenticationInteropTests {
    private static let ada = Credential.user("ada", password: "love lace")

    private func session(_ credential: Credential) -> Session {
        var configuration = Session.Configuration()
        configuration.credentials = CredentialSource { _ in credential }
        return Session(configuration: configuration)
    }

    /// The nonces of `fleeting` are valid for one request. Each response provides the next one.
    @Test(arguments: ["basic", "digest", "domain", "fleeting"])
    func authenticatesToApache(folder: String) async throws {
        let session = session(Self.ada)
        for number in 0..<4 {
            let response = try await session.get("\(Servers.apache)/\(folder)/small.txt?a=ü \"b\"")
            #expect(response.status == .ok)
            #expect(response.metrics.exchanges.count == (number == 0 ? 2 : 1), "\(folder) \(number)")
        }
        try await assertNothingLeft(session)
    }

    @Test func sharesTheProtectionSpaceOfApache() async throws {
        let session = session(Self.ada)
        for (index, folder) in ["domain", "digest", "domain"].enumerated() {
            let response = try await session.get("\(Servers.apache)/\(folder)/small.txt").validate()
            #expect(response.metrics.exchanges.count == (index == 0 ? 2 : 1))
        }
        try await assertNothingLeft(session)
    }

    @Test(arguments: ["basic", "digest", "domain", "fleeting"])
    func authenticatesConcurrentRequests(folder: String) async throws {
        let session = session(Self.ada)
        let url = "\(Servers.apache)/\(folder)/small.txt"
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { _ = try await session.get(url).validate() } }
            try await group.waitForAll()
        }
        try await assertNothingLeft(session)
    }

    @Test(arguments: ["basic", "digest"])
    func failsWithAWrongPassword(folder: String) async throws {
        let session = session(.user("ada", password: "guess"))
        let response = try await session.get("\(Servers.apache)/\(folder)/small.txt")
        #expect(response.status == .unauthorized)
        #expect(try response.string().contains("401"))
        #expect(response.metrics.exchanges.count == 2)
        try await assertNothingLeft(session)
    }

    @Test(arguments: [
        "basic-auth/ada/secret", "digest-auth/auth/ada/secret/MD5", "digest-auth/auth/ada/secret/SHA-256",
    ])
    func authenticatesToHTTPBin(path: String) async throws {
        let session = session(.user("ada", password: "secret"))
        for _ in 0..<3 { try await session.get("\(Servers.httpbin)/\(path)").validate() }
        try await assertNothingLeft(session)
        let other = self.session(.user("ada", password: "guess"))
        #expect(try await other.get("\(Servers.httpbin)/\(path)").status == .unauthorized)
        try await assertNothingLeft(other)
    }

    @Test func authenticatesItsBodyToHTTPBin() async throws {
        let session = session(.user("ada", password: "secret"))
        let url = "\(Servers.httpbin)/digest-auth/auth-int/ada/secret/SHA-256"
        try await session.get(url).validate()
        try await assertNothingLeft(session)
    }

    @Test func sendsATokenToHTTPBin() async throws {
        let session = session(.bearer("t0ken"))
        let response = try await session.get("\(Servers.httpbin)/bearer").validate()
        #expect(try response.json()["token"]?.string == "t0ken")
        let request = session.request("\(Servers.httpbin)/digest-auth/auth/ada/secret")
            .authenticate(username: "ada", password: "secret")
        #expect(await request.serializingData().response.response?.status == .ok)
        try await assertNothingLeft(session)
    }
}
