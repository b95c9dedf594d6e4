internal import ApusCore
internal import ApusTestServer
internal import Testing

@testable internal import ApusTrust

@Suite struct PinnedCertificatesTrustEvaluatorTests {
    /// A certificate that is pinned.
    enum Pin: Sendable {
        case authority
        case server(TestTLS)

        var certificates: [ServerCertificate] {
            get throws {
                switch self {
                case .authority: try TrustSample.authority
                case .server(let tls): try TrustSample.certificates(tls)
                }
            }
        }
    }

    /// A server that an evaluator decides about. The trust knows the test authority.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let tls: TestTLS
        let pin: Pin
        var host = "localhost"
        var acceptsSelfSigned = false
        var validates = true
        var validatesHost = true
        let isTrusted: Bool
    }

    /// Parity: AF-trust-certificates
    @Test(arguments: [
        Case(testDescription: "authority", tls: .localhost, pin: .authority, isTrusted: true),
        Case(testDescription: "server", tls: .localhost, pin: .server(.localhost), isTrusted: true),
        Case(testDescription: "another server", tls: .localhost, pin: .server(.localhostRSA), isTrusted: false),
        Case(testDescription: "wrong host", tls: .wrongHost, pin: .authority, isTrusted: false),
        Case(
            testDescription: "wrong host, any host",
            tls: .wrongHost,
            pin: .authority,
            validatesHost: false,
            isTrusted: true
        ),
        Case(
            testDescription: "wrong host, chain not validated apart",
            tls: .wrongHost,
            pin: .authority,
            validates: false,
            isTrusted: false
        ),
        Case(testDescription: "expired", tls: .expired, pin: .server(.expired), isTrusted: false),
        Case(
            testDescription: "expired, nothing validated",
            tls: .expired,
            pin: .server(.expired),
            validates: false,
            validatesHost: false,
            isTrusted: true
        ),
        Case(
            testDescription: "authority, nothing validated",
            tls: .localhost,
            pin: .authority,
            validates: false,
            validatesHost: false,
            isTrusted: false
        ),
        Case(testDescription: "self-signed", tls: .selfSigned, pin: .server(.selfSigned), isTrusted: false),
        Case(
            testDescription: "self-signed, accepted",
            tls: .selfSigned,
            pin: .server(.selfSigned),
            acceptsSelfSigned: true,
            isTrusted: true
        ),
        Case(
            testDescription: "self-signed, another is accepted",
            tls: .localhost,
            pin: .server(.selfSigned),
            acceptsSelfSigned: true,
            isTrusted: false
        ),
        Case(
            testDescription: "server as a root",
            tls: .localhost,
            pin: .server(.localhost),
            acceptsSelfSigned: true,
            isTrusted: true
        ),
        Case(
            testDescription: "expired server as a root",
            tls: .expired,
            pin: .server(.expired),
            acceptsSelfSigned: true,
            isTrusted: false
        ),
    ])
    func requiresAPinnedCertificate(server: Case) async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: try server.pin.certificates,
            acceptSelfSignedCertificates: server.acceptsSelfSigned,
            performDefaultValidation: server.validates,
            validateHost: server.validatesHost
        )
        let error = await TrustSample.error(of: evaluator, try PEMSample.der(server.tls), host: server.host)
        #expect(error?.code == (server.isTrusted ? nil : .certificateRejected))
    }

    /// A server can send any certificate along, so only those of the validated chain count.
    @Test(arguments: [true, false])
    func ignoresUnrelatedCertificates(validates: Bool) async throws {
        let presented = try PEMSample.der(.localhost) + PEMSample.der(.selfSigned)
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: try TrustSample.certificates(.selfSigned),
            performDefaultValidation: validates,
            validateHost: validates
        )
        let error = await TrustSample.error(of: evaluator, presented)
        let chain = try TrustSample.certificates(.localhost) + TrustSample.authority
        let hashes = chain.prefix(validates ? 2 : 1).map { PublicKeyPin(certificate: $0).description }
        #expect(error?.underlying as? CertificateRejection == .notPinned(hashes: hashes))
    }

    @Test func rejectsEveryServerWithoutAPin() async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [], performDefaultValidation: false)
        let error = await TrustSample.error(of: evaluator, try PEMSample.der(.localhost))
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func isEqualWithTheSamePins() throws {
        let authority = try TrustSample.authority
        let one = PinnedCertificatesTrustEvaluator(certificates: authority)
        #expect(one == PinnedCertificatesTrustEvaluator(certificates: authority))
        #expect(one != PinnedCertificatesTrustEvaluator(certificates: authority, acceptSelfSignedCertificates: true))
        #expect(one != PinnedCertificatesTrustEvaluator(certificates: authority, validateHost: false))
        #expect(one != PinnedCertificatesTrustEvaluator(certificates: []))
    }
}
