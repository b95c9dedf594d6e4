import ApusTestServer
import NIOCore
import NIOSSL

extension TestTLS {
    /// Creates the context of a server with this certificate.
    ///
    /// - Parameter protocols: The protocols that are chosen with ALPN. Empty to disable ALPN.
    /// - Returns: The context.
    /// - Throws: The error of NIOSSL.
    func makeServerContext(choosing protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificateChainPEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(privateKeyPEM.utf8), format: .pem))
        )
        configuration.applicationProtocols = protocols
        // A client that sends no close_notify must not delay a test that waits for the end.
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }
}
