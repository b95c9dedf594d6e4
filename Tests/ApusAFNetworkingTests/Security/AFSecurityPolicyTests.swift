internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusAFNetworking

@Suite(.timeLimit(.minutes(5)))
struct AFSecurityPolicyTests {
    private static func der(_ pem: String) throws -> Data {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return try #require(Data(base64Encoded: lines.joined()))
    }

    private static var authority: Data {
        get throws { try der(TestTLS.authorityPEM) }
    }

    private func policy(
        _ mode: AFSecurityPolicy.PinningMode,
        _ certificates: Set<Data> = [],
        allowsInvalid: Bool = false,
        validatesName: Bool = true
    ) -> AFSecurityPolicy {
        var policy = AFSecurityPolicy(pinningMode: mode, pinnedCertificates: certificates)
        policy.allowInvalidCertificates = allowsInvalid
        policy.validatesDomainName = validatesName
        return policy
    }

    @Test func hasTheDefaultsOfAFNetworking() throws {
        let policy = AFSecurityPolicy.default
        #expect(policy.pinningMode == .none)
        #expect(policy.pinnedCertificates.isEmpty)
        #expect(!policy.allowInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(try policy.trust(over: ServerTrust()) == ServerTrust())
    }

    @Test func keepsTheConfigurationWithoutAPin() throws {
        var base = ServerTrust()
        base.roots = .pem(TestTLS.authorityPEM)
        #expect(try policy(.none).trust(over: base) == base)
        let chain = try policy(.none, validatesName: false).trust(over: base)
        #expect(chain.roots == base.roots)
        #expect(chain.verification == .chainOnly)
        let nothing = try policy(.none, allowsInvalid: true, validatesName: false).trust(over: base)
        #expect(nothing.verification == .none)
    }

    @Test func rejectsSettingsThatRejectEveryServer() async throws {
        for policy in [
            policy(.none, allowsInvalid: true), policy(.certificate), policy(.certificate, [Data("x".utf8)]),
            policy(.certificate, [try Self.authority, try Self.der(TestTLS.localhost.certificateChainPEM)]),
            policy(.certificate, [try Self.der(TestTLS.selfSigned.certificateChainPEM)]),
        ] {
            let error = try await refusal { try policy.trust(over: ServerTrust()) }
            #expect(error.code == .invalidConfiguration)
        }
    }

    /// A server that a policy evaluates.
    private struct Case: CustomTestStringConvertible {
        let testDescription: String
        let tls: TestTLS
        var pinned: String?
        var allowsInvalid = false
        var validatesName = true
        let isTrusted: Bool
    }

    @Test(arguments: [
        Case(testDescription: "pinned authority", tls: .localhost, pinned: TestTLS.authorityPEM, isTrusted: true),
        Case(
            testDescription: "pinned authority, wrong name",
            tls: .wrongHost,
            pinned: TestTLS.authorityPEM,
            isTrusted: false
        ),
        Case(
            testDescription: "pinned authority, wrong name, names not verified",
            tls: .wrongHost,
            pinned: TestTLS.authorityPEM,
            validatesName: false,
            isTrusted: true
        ),
        Case(testDescription: "expired", tls: .expired, pinned: TestTLS.authorityPEM, isTrusted: false),
        Case(
            testDescription: "expired, invalid ones allowed",
            tls: .expired,
            pinned: TestTLS.authorityPEM,
            allowsInvalid: true,
            isTrusted: false
        ),
        Case(
            testDescription: "another is pinned",
            tls: .localhost,
            pinned: TestTLS.selfSignedForAnyUse.certificateChainPEM,
            isTrusted: false
        ),
        Case(
            testDescription: "self-signed and pinned",
            tls: .selfSignedForAnyUse,
            pinned: TestTLS.selfSignedForAnyUse.certificateChainPEM,
            isTrusted: true
        ),
        Case(
            testDescription: "self-signed, authority pinned",
            tls: .selfSigned,
            pinned: TestTLS.authorityPEM,
            isTrusted: false
        ),
        Case(testDescription: "unknown, no pin", tls: .localhost, isTrusted: false),
        Case(
            testDescription: "unknown, no pin, no verification",
            tls: .selfSigned,
            allowsInvalid: true,
            validatesName: false,
            isTrusted: true
        ),
    ])
    private func trustsServers(server: Case) async throws {
        let policy = policy(
            server.pinned == nil ? .none : .certificate,
            try server.pinned.map { [try Self.der($0)] } ?? [],
            allowsInvalid: server.allowsInvalid,
            validatesName: server.validatesName
        )
        let trust = try policy.trust(over: ServerTrust())
        try await TestServer.with(tls: server.tls) { running in
            var configuration = SessionConfiguration()
            configuration.trust = trust
            let session = Session(configuration: configuration)
            do {
                try await session.get(running.url("/get")).validate()
                #expect(server.isTrusted)
            } catch {
                #expect((error as? ApusError)?.code == .certificateRejected)
                #expect(!server.isTrusted)
                #expect(running.requestCount == 0)
            }
            await session.shutdown()
        }
    }

    @Test func readsTheCertificatesOfABundle() async throws {
        let scratch = try TemporaryFolder()
        try scratch.write(TestTLS.authorityPEM + TestTLS.selfSigned.certificateChainPEM, to: "two.cer")
        try Self.authority.write(to: scratch.url.appending(path: "one.cer"))
        try scratch.write("not looked at", to: "other.txt")
        let bundle = try #require(Bundle(path: scratch.url.path(percentEncoded: false)))
        let selfSigned = try Self.der(TestTLS.selfSigned.certificateChainPEM)
        #expect(try AFSecurityPolicy.certificates(in: bundle) == [try Self.authority, selfSigned])
        let other = try TemporaryFolder()
        try other.write("no certificate", to: "zero.cer")
        let broken = try #require(Bundle(path: other.url.path(percentEncoded: false)))
        let error = try await refusal { try AFSecurityPolicy.certificates(in: broken) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.detail.contains("zero.cer"))
    }

    @Test func searchesForCertificatesOnlyIfNeeded() throws {
        #expect(try AFSecurityPolicy(pinningMode: .none) == .default)
        #expect(try AFSecurityPolicy(pinningMode: .certificate).pinnedCertificates.isEmpty)
    }
}
