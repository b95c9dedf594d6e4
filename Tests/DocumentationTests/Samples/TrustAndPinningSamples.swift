internal import Apus
internal import Foundation
internal import Testing

struct UntrustedAuthority: Error {}

struct OnlyThisAuthority: ServerTrustEvaluating {
    func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        let chain = try await presented.validated()
        guard chain.last?.subject == "CN=Example Root" else { throw UntrustedAuthority() }
    }
}

/// The code of the guide to trust, and of the comments of evaluators.
@Suite(.timeLimit(.minutes(5)))
struct TrustAndPinningSamples {
    @Test func rejections() async throws {
        let session = SampleService.session()
        do {
            try await session.get("https://api.example.org/users/1").validate()
        } catch {
            if case .untrustedAuthority(let issuer)? = error.underlying as? CertificateRejection {
                print("Nothing certifies \(issuer ?? "this server").")
            }
        }
    }

    @Test func trustOfARequest() async throws {
        let session = SampleService.session()
        let url = "https://api.example.org/users/1"
        var trust = ServerTrust()
        trust.roots = .file("/etc/ssl/private-authority.pem")
        let response = try await session.get(url, options: [trust])
        #expect(response.status == .ok)
    }

    @Test func roots() {
        var configuration = Session.Configuration()
        configuration.trust.roots = .file("/etc/client/authority.pem")
        configuration.trust.roots = .all([.system, .folder("/etc/client/authorities")])
        #expect(configuration.trust != ServerTrust())
        let internalHosts = RootsTrustEvaluator(roots: .file("/etc/client/authority.pem"))
        #expect(internalHosts.validateHost)
    }

    @Test func pins() throws {
        let pin = try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        let keys = [
            try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
            // The backup: a key that the server will use if the first one is lost.
            try PublicKeyPin("sha256//LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564="),
        ]
        let evaluator = PublicKeysTrustEvaluator(keys: keys)
        #expect(evaluator.keys.first == pin)
    }

    @Test func composites() throws {
        let keys = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
        let members: [any ServerTrustEvaluating] = [DefaultTrustEvaluator(), PublicKeysTrustEvaluator(keys: keys)]
        let evaluator = CompositeTrustEvaluator(evaluators: members)
        #expect(evaluator.evaluators.count == 2)
    }

    @Test func closures() {
        let evaluator = ClosureTrustEvaluator { presented, host in
            let chain = try await presented.validated()
            guard chain.count <= 3 else { throw CertificateRejection.other("its chain is too long") }
        }
        #expect(!evaluator.identity.isEmpty)
    }

    @Test func revocation() {
        var configuration = Session.Configuration()
        configuration.trust.evaluator = RevocationTrustEvaluator()
        let strict = RevocationTrustEvaluator(options: [.ocsp, .requirePositiveResponse])
        #expect(strict.options.contains(.requirePositiveResponse))
        let soft = RevocationTrustEvaluator()
        let hard = RevocationTrustEvaluator(options: [.ocsp, .requirePositiveResponse])
        #expect(soft != hard && hard == strict)
    }

    @Test func manager() throws {
        let pins = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
        var configuration = Session.Configuration()
        configuration.serverTrustManager = ServerTrustManager(
            allHostsMustBeEvaluated: false,
            evaluators: ["api.example.org": PublicKeysTrustEvaluator(keys: pins)]
        )
        #expect(configuration.serverTrustManager?.allHostsMustBeEvaluated == false)
    }

    @Test func hostsOverHTTPS() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        var configuration = Session.Configuration()
        configuration.hsts = .store(try HSTSStore(file: folder.appending(path: "hsts.txt")))
        let store = configuration.hsts
        let session = SampleService.session { $0.hsts = store }
        try session.hsts?.set("example.org", includesSubdomains: true)
        session.hsts?.remove("example.com")
        #expect(session.hsts?.entries.map(\.host) == ["example.org"])
        let page = try await session.get("http://example.org/", options: [HSTSHandling.off])
        #expect(page.target.uri == "http://example.org/")
    }

    /// Only compiled, because it reads files that do not exist.
    static func hosts(_ keys: [PublicKeyPin]) throws -> Session.Configuration {
        var configuration = Session.Configuration()
        let pinned = try ServerCertificate.certificates(inFile: "/etc/client/pinned.pem")
        let device = PinnedCertificatesTrustEvaluator(certificates: pinned, acceptSelfSignedCertificates: true)
        configuration.serverTrustManager = ServerTrustManager(
            allHostsMustBeEvaluated: false,
            evaluators: [
                "api.example.org": PublicKeysTrustEvaluator(keys: keys),
                "*.internal.example.org": RootsTrustEvaluator(roots: .file("/etc/client/authority.pem")),
                "**.devices.example.org": device,
            ]
        )
        return configuration
    }

    /// Only compiled, because it reads a file that does not exist.
    static func certificates() throws -> PinnedCertificatesTrustEvaluator {
        let pinned = try ServerCertificate.certificates(inFile: "/etc/client/pinned.pem")
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: pinned)
        return evaluator
    }
}
