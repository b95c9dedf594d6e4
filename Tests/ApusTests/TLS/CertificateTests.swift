import Apus
import ApusTestServer
import Foundation
import Testing

@Suite struct CertificateTests {
    /// Parity: AF-error-trust
    @Test(.timeLimit(.minutes(5)), arguments: ["expired", "wrong host", "self-signed", "unknown authority"])
    func rejectsAnInvalidCertificate(fault: String) async throws {
        let tls: TestTLS =
            switch fault {
            case "expired": .expired
            case "wrong host": .wrongHost
            case "self-signed": .selfSigned
            default: .localhost
            }
        let server = try await TestServer.start(tls: tls)
        let configuration = fault == "unknown authority" ? Session.Configuration() : Wire.tls.configuration
        let session = Session(configuration: configuration)
        let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/get")) }
        #expect(error?.code == .certificateRejected)
        let reason: CertificateRejection =
            switch fault {
            case "expired": .expired(on: Date(timeIntervalSince1970: 1_577_923_200))
            case "wrong host": .wrongHost(names: ["elsewhere.example"])
            case "self-signed": .selfSigned
            default: .untrustedAuthority(issuer: "Apus Test Authority")
            }
        let host = try TargetURI(server.url("/")).origin.host
        let sentences = [
            "expired": "it expired on 2020-01-02T00:00:00Z", "self-signed": "it is self-signed",
            "wrong host": "it is not valid for \(host), but for elsewhere.example",
            "unknown authority":
                "its issuer 'Apus Test Authority' is neither a trusted authority nor certified by one",
        ]
        #expect(error?.underlying as? CertificateRejection == reason)
        #expect(error?.detail == sentences[fault])
        #expect(error?.hint != nil)
        #expect(server.requestCount == 0)
        await session.shutdown()
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func acceptsAnyCertificateWithoutVerification() async throws {
        let server = try await TestServer.start(tls: .selfSigned)
        var configuration = Session.Configuration()
        configuration.trust.verification = .none
        let session = Session(configuration: configuration)
        try await session.get(server.url("/get")).validate()
        await session.shutdown()
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func reportsTheMissingFileOfRoots() async throws {
        let server = try await TestServer.start(tls: .localhost)
        var configuration = Session.Configuration()
        configuration.trust.roots = .file("/nowhere/roots.pem")
        let session = Session(configuration: configuration)
        let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/get")) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("/nowhere/roots.pem") == true)
        await session.shutdown()
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func recordsTheTLSVersionAndTheAddress() async throws {
        try await Wire.tls.with { server, session in
            let exchange = try #require(try await session.get(server.url("/get")).metrics.exchanges.first)
            #expect(exchange.tlsVersion == "TLSv1.3")
            #expect(exchange.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(exchange.networkProtocol == "http/1.1")
            #expect(exchange.tlsBegin != nil && exchange.tlsEnd != nil && exchange.connectEnd != nil)
            #expect(!exchange.isReused)
        }
    }
}
