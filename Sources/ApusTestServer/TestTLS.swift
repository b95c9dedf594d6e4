internal import Foundation
internal import NIOCore
internal import NIOSSL

/// How the server plays TLS: its certificate, its versions, its faults.
public struct TestTLS: Sendable {
    /// A version of TLS.
    public enum Version: Sendable {
        case tls10
        case tls11
        case tls12
        case tls13
    }

    /// The server's certificate and those behind it, as PEM.
    public var certificateChainPEM: String
    /// The private key of the certificate, as PEM.
    public var privateKeyPEM: String
    /// The lowest version the server speaks, TLS 1.2 by default.
    public var minimumVersion = Version.tls12
    /// The highest version the server speaks; nil, the default, sets no bound.
    public var maximumVersion: Version?
    /// The cipher suites of TLS 1.2 and before, as OpenSSL lists them; nil, the default, takes those of the library.
    public var cipherSuites: String?
    /// The protocols that ALPN may settle on, `http/1.1` by default; empty leaves ALPN out.
    public var applicationProtocols = ["http/1.1"]
    /// Whether the client must show a certificate of the test authority, such as ``clientCertificatePEM``.
    public var requiresClientCertificate = false
    /// Accepts the TCP connection and never answers the ClientHello.
    public var handshakeStalls = false
    /// Closes the TCP connection once the ClientHello begins to arrive.
    public var handshakeCloses = false

    /// Makes a TLS setting of a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: The server's certificate and those behind it, as PEM.
    ///   - privateKeyPEM: The private key of the certificate, as PEM.
    public init(certificateChainPEM: String, privateKeyPEM: String) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }

    /// A certificate of the test authority for `localhost`, `*.test.localhost`, 127.0.0.1 and ::1.
    public static let localhost = TestTLS(
        certificateChainPEM: TestCertificates.localhost,
        privateKeyPEM: TestCertificates.localhostKey
    )

    /// Like ``localhost``, but with a key of RSA, which can encrypt what a client sends.
    public static let localhostRSA = TestTLS(
        certificateChainPEM: TestCertificates.localhostRSA,
        privateKeyPEM: TestCertificates.localhostRSAKey
    )

    /// Like ``localhost``, but valid on the first of January 2020 only.
    public static let expired = TestTLS(
        certificateChainPEM: TestCertificates.expired,
        privateKeyPEM: TestCertificates.expiredKey
    )

    /// A certificate of the test authority for `elsewhere.example` alone.
    public static let wrongHost = TestTLS(
        certificateChainPEM: TestCertificates.wrongHost,
        privateKeyPEM: TestCertificates.wrongHostKey
    )

    /// A certificate for the names of ``localhost`` that nobody but itself signed.
    public static let selfSigned = TestTLS(
        certificateChainPEM: TestCertificates.selfSigned,
        privateKeyPEM: TestCertificates.selfSignedKey
    )

    /// The certificate of the authority that a client must trust, as PEM.
    public static var authorityPEM: String { TestCertificates.authority }

    /// A client certificate of the test authority, as PEM.
    public static var clientCertificatePEM: String { TestCertificates.client }

    /// The private key of ``clientCertificatePEM``, as PEM.
    public static var clientPrivateKeyPEM: String { TestCertificates.clientKey }

    /// Lends the path of a temporary file with ``authorityPEM`` to `body`, and takes it away afterwards.
    ///
    /// - Throws: what the file system or `body` throws.
    public static func withAuthorityFile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let name = "apus-test-authority-\(UInt64.random(in: 0 ... .max)).pem"
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try Data(authorityPEM.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file.path)
    }

    func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificateChainPEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(privateKeyPEM.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = minimumVersion.tlsVersion
        configuration.maximumTLSVersion = maximumVersion?.tlsVersion
        if let cipherSuites { configuration.cipherSuites = cipherSuites }
        configuration.applicationProtocols = applicationProtocols
        // A client that never answers the close_notify must not hold up a test that waits for the end.
        configuration.shutdownTimeout = .seconds(1)
        if requiresClientCertificate {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(
                try NIOSSLCertificate.fromPEMBytes(Array(Self.authorityPEM.utf8))
            )
        }
        return try NIOSSLContext(configuration: configuration)
    }
}

extension TestTLS.Version {
    fileprivate var tlsVersion: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
