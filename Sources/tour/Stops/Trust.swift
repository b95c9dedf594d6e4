internal import Apus
internal import ApusTestServer

/// Stops about the trust of a client in a server, and of a server in a client.
enum Trust {
    /// Tests a server with a pinned key, and another one with a valid certificate for the same host.
    static func pinned(_ environment: TourEnvironment) async throws -> Finding {
        let server = environment.secureServer
        let certificates = try ServerCertificate.certificates(pem: TestTLS.localhost.certificateChainPEM)
        let pins = PublicKeysTrustEvaluator(keys: certificates.map { PublicKeyPin(certificate: $0) })
        return try await environment.withSession {
            $0.serverTrustManager = ServerTrustManager(evaluators: ["localhost": pins])
        } _: { session in
            let exchanges = try await session.get(server.url("/get")).validate().metrics.exchanges
            let refused = try await TestServer.with(tls: .localhostRSA) { impostor in
                let error = try await failure(.certificateRejected) { try await session.get(impostor.url("/get")) }
                try expect(impostor.requestCount, is: 0, "the requests that the impostor received")
                return error
            }
            guard case .notPinned(let hashes)? = refused.underlying as? CertificateRejection else {
                throw Unexpected(expected: "a certificate that is not pinned", found: refused.debugDescription)
            }
            try expect(hashes.count, is: 2, "the keys of the impostor's chain")
            return Finding("1 key accepted, another one refused", quotes: ["\(refused)"], exchanges, refused.exchanges)
        }
    }

    /// Tests a server that requires a client certificate. With TLS 1.2 it judges the client during the handshake.
    static func clientCertificate(_ environment: TourEnvironment) async throws -> Finding {
        var tls = TestTLS.localhost
        tls.requiresClientCertificate = true
        tls.maximumVersion = .tls12
        return try await TestServer.with(tls: tls) { server in
            try await environment.withSession { session in
                let url = server.url("/get")
                let stranger = try await failure(.tlsFailed) { try await session.get(url) }
                let reason = stranger.underlying as? TLSFailureReason
                try expect(reason, is: .clientCertificateRequired, "the reason")

                var settings = TLSSettings()
                settings.identity = .pem(TestTLS.clientCertificatePEM, key: TestTLS.clientPrivateKeyPEM)
                let exchanges = try await session.get(url, options: [settings]).validate().metrics.exchanges
                try expect(server.requestCount, is: 1, "the requests that the server received")
                return Finding(
                    "refused without, accepted with it",
                    quotes: ["\(stranger)"],
                    stranger.exchanges,
                    exchanges
                )
            }
        }
    }
}
