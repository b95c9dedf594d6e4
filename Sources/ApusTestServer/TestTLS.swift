internal import Foundation
internal import NIOCore
internal import NIOSSL

/// The server's TLS settings: its certificate, versions and faults.
public struct TestTLS: Sendable {
    /// A version of TLS.
    public enum Version: Sendable {
        case tls10
        case tls11
        case tls12
        case tls13
    }

    /// The server's certificate and its intermediate certificates, as PEM.
    public var certificateChainPEM: String
    /// The private key of the certificate, as PEM.
    public var privateKeyPEM: String
    /// The minimum version. Default: TLS 1.2.
    public var minimumVersion = Version.tls12
    /// The maximum version, or nil for no limit. Default: nil.
    public var maximumVersion: Version?
    /// The cipher suites up to TLS 1.2, in OpenSSL's list format, or nil for the library's. Default: nil.
    public var cipherSuites: String?
    /// The protocols offered with ALPN, or empty to disable ALPN. Default: `http/1.1`.
    public var applicationProtocols = ["http/1.1"]
    /// Whether the client must present a certificate of the test authority, such as ``clientCertificatePEM``.
    public var requiresClientCertificate = false
    /// Whether the server accepts the TCP connection and never responds to the ClientHello.
    public var handshakeStalls = false
    /// Whether the server closes the TCP connection when the ClientHello begins to arrive.
    public var handshakeCloses = false

    /// Creates TLS settings with a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: The server's certificate and its intermediate certificates, as PEM.
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

    /// Like ``localhost``, but with an RSA key, which also supports RSA key exchange.
    public static let localhostRSA = TestTLS(
        certificateChainPEM: TestCertificates.localhostRSA,
        privateKeyPEM: TestCertificates.localhostRSAKey
    )

    /// Like ``localhost``, but valid only on 1 January 2020.
    public static let expired = TestTLS(
        certificateChainPEM: TestCertificates.expired,
        privateKeyPEM: TestCertificates.expiredKey
    )

    /// A certificate of the test authority for `elsewhere.example` only.
    public static let wrongHost = TestTLS(
        certificateChainPEM: TestCertificates.wrongHost,
        privateKeyPEM: TestCertificates.wrongHostKey
    )

    /// A self-signed certificate for the names of ``localhost``.
    public static let selfSigned = TestTLS(
        certificateChainPEM: TestCertificates.selfSigned,
        privateKeyPEM: TestCertificates.selfSignedKey
    )

    /// The certificate of the test authority, which clients must trust, as PEM.
    public static var authorityPEM: String { TestCertificates.authority }

    /// A client certificate of the test authority, as PEM.
    public static var clientCertificatePEM: String { TestCertificates.client }

    /// The private key of ``clientCertificatePEM``, as PEM.
    public static var clientPrivateKeyPEM: String { TestCertificates.clientKey }

    /// Passes the path of a temporary file with ``authorityPEM`` to `body`, and removes the file afterwards.
    ///
    /// - Throws: The errors of the file system and of `body`.
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
        // A client that sends no close_notify must not delay a test that waits for the end.
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
