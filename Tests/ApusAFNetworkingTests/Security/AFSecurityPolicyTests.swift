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
            policy(.none, allowsInvalid: true), policy(.certificate), policy(.publicKey),
            policy(.certificate, [Data("x".utf8)]), policy(.publicKey, [Data("x".utf8)]),
        ] {
            let error = try await refusal { try policy.trust(over: ServerTrust()) }
            #expect(error.code == .invalidConfiguration)
        }
    }

    @Test func requiresTheSameForEqualPolicies() throws {
        let pins: Set<Data> = [try Self.authority, try Self.der(TestTLS.selfSigned.certificateChainPEM)]
        for mode in [AFSecurityPolicy.PinningMode.certificate, .publicKey] {
            for allowsInvalid in [true, false] {
                let first = try policy(mode, pins, allowsInvalid: allowsInvalid).trust(over: ServerTrust())
                let second = try policy(mode, pins, allowsInvalid: allowsInvalid).trust(over: ServerTrust())
                #expect(first == second)
                #expect(first != ServerTrust())
                let fewer = policy(mode, [try Self.authority], allowsInvalid: allowsInvalid)
                #expect(try fewer.trust(over: ServerTrust()) != first)
            }
        }
    }

    /// The evaluator of the configuration counts too.
    @Test func keepsTheEvaluatorOfTheConfiguration() throws {
        var base = ServerTrust()
        base.evaluator = DefaultTrustEvaluator()
        let trust = try policy(.publicKey, [try Self.authority]).trust(over: base)
        let composite = try #require(trust.evaluator as? CompositeTrustEvaluator)
        #expect(composite.evaluators.first is DefaultTrustEvaluator)
        #expect(composite.evaluators.last is PublicKeysTrustEvaluator)
        #expect(try policy(.none).trust(over: base) == base)
    }

    /// A server that a policy evaluates.
    private struct Case: CustomTestStringConvertible {
        let testDescription: String
        let mode: AFSecurityPolicy.PinningMode
        let tls: TestTLS
        var pinned: TestTLS?
        /// Whether the configuration trusts the test authority.
        var isKnown = true
        var allowsInvalid = false
        var validatesName = true
        let isTrusted: Bool
    }

    /// The certificate of the authority, as one to pin.
    private static let authorityPin = TestTLS(certificateChainPEM: TestTLS.authorityPEM, privateKeyPEM: "")

    private static let certificateCases = [
        Case(testDescription: "authority", mode: .certificate, tls: .localhost, pinned: authorityPin, isTrusted: true),
        Case(
            testDescription: "unknown authority",
            mode: .certificate,
            tls: .localhost,
            pinned: authorityPin,
            isKnown: false,
            isTrusted: false
        ),
        Case(
            testDescription: "unknown authority, invalid ones allowed",
            mode: .certificate,
            tls: .localhost,
            pinned: authorityPin,
            isKnown: false,
            allowsInvalid: true,
            isTrusted: true
        ),
        Case(
            testDescription: "server that an authority has issued",
            mode: .certificate,
            tls: .localhost,
            pinned: .localhost,
            isTrusted: true
        ),
        Case(
            testDescription: "server of an unknown authority, invalid ones allowed",
            mode: .certificate,
            tls: .localhost,
            pinned: .localhost,
            isKnown: false,
            allowsInvalid: true,
            isTrusted: true
        ),
        Case(
            testDescription: "another server of the authority",
            mode: .certificate,
            tls: .localhost,
            pinned: .localhostRSA,
            isTrusted: false
        ),
        Case(
            testDescription: "wrong name",
            mode: .certificate,
            tls: .wrongHost,
            pinned: authorityPin,
            isTrusted: false
        ),
        Case(
            testDescription: "wrong name, names not verified",
            mode: .certificate,
            tls: .wrongHost,
            pinned: authorityPin,
            validatesName: false,
            isTrusted: true
        ),
        Case(testDescription: "expired", mode: .certificate, tls: .expired, pinned: authorityPin, isTrusted: false),
        Case(
            testDescription: "expired, invalid ones allowed",
            mode: .certificate,
            tls: .expired,
            pinned: authorityPin,
            allowsInvalid: true,
            isTrusted: false
        ),
        Case(
            testDescription: "self-signed and pinned",
            mode: .certificate,
            tls: .selfSigned,
            pinned: .selfSigned,
            isTrusted: false
        ),
        Case(
            testDescription: "self-signed and pinned, invalid ones allowed",
            mode: .certificate,
            tls: .selfSigned,
            pinned: .selfSigned,
            allowsInvalid: true,
            isTrusted: true
        ),
        Case(
            testDescription: "self-signed, authority pinned, invalid ones allowed",
            mode: .certificate,
            tls: .selfSigned,
            pinned: authorityPin,
            allowsInvalid: true,
            isTrusted: false
        ),
    ]

    private static let keyCases = [
        Case(
            testDescription: "key of the authority",
            mode: .publicKey,
            tls: .localhost,
            pinned: authorityPin,
            isTrusted: true
        ),
        Case(
            testDescription: "key of the server",
            mode: .publicKey,
            tls: .localhost,
            pinned: .localhost,
            isTrusted: true
        ),
        Case(testDescription: "another key", mode: .publicKey, tls: .localhost, pinned: .selfSigned, isTrusted: false),
        Case(
            testDescription: "key, unknown authority",
            mode: .publicKey,
            tls: .localhost,
            pinned: .localhost,
            isKnown: false,
            isTrusted: false
        ),
        Case(
            testDescription: "key of the server, invalid ones allowed",
            mode: .publicKey,
            tls: .expired,
            pinned: .expired,
            allowsInvalid: true,
            isTrusted: true
        ),
        Case(
            testDescription: "key of an unknown authority, invalid ones allowed",
            mode: .publicKey,
            tls: .localhost,
            pinned: authorityPin,
            isKnown: false,
            allowsInvalid: true,
            isTrusted: true
        ),
        Case(
            testDescription: "another key, invalid ones allowed",
            mode: .publicKey,
            tls: .localhost,
            pinned: .selfSigned,
            allowsInvalid: true,
            isTrusted: false
        ),
        Case(
            testDescription: "key, wrong name",
            mode: .publicKey,
            tls: .wrongHost,
            pinned: authorityPin,
            isTrusted: false
        ),
        Case(
            testDescription: "key, wrong name, names not verified",
            mode: .publicKey,
            tls: .wrongHost,
            pinned: authorityPin,
            validatesName: false,
            isTrusted: true
        ),
    ]

    private static let otherCases = [
        Case(testDescription: "no pin", mode: .none, tls: .localhost, isTrusted: true),
        Case(testDescription: "no pin, unknown", mode: .none, tls: .localhost, isKnown: false, isTrusted: false),
        Case(
            testDescription: "no pin, no verification",
            mode: .none,
            tls: .selfSigned,
            allowsInvalid: true,
            validatesName: false,
            isTrusted: true
        ),
    ]

    /// Parity: AFN-policy-modes, AFN-policy-evaluation
    @Test(arguments: certificateCases + keyCases + otherCases)
    private func trustsServers(server: Case) async throws {
        let policy = policy(
            server.mode,
            try server.pinned.map { [try Self.der($0.certificateChainPEM)] } ?? [],
            allowsInvalid: server.allowsInvalid,
            validatesName: server.validatesName
        )
        var base = ServerTrust()
        if server.isKnown { base.roots = .pem(TestTLS.authorityPEM) }
        let trust = try policy.trust(over: base)
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

    /// Parity: AFN-policy-bundle
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
