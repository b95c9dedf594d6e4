import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

/// The words for each way in which a handshake fails.
@Suite(.timeLimit(.minutes(5))) struct HandshakeFailureTests {
    /// Returns the error of a request over TLS to a server whose bytes are scripted.
    private func failure(
        of script: Script,
        configure: (inout Session.Configuration) -> Void = { _ in }
    ) async throws -> ApusError {
        let server = try await TestServer.start(behavior: .script(script))
        let session = Wire.tls.session(resolver: ScriptedResolver(), configure: configure)
        let error = await #expect(throws: ApusError.self) { try await session.get("https://localhost:\(server.port)/") }
        try await assertNothingLeft(session)
        await server.stop()
        return try #require(error)
    }

    private func expectWords(_ error: ApusError, sourceLocation: SourceLocation = #_sourceLocation) {
        for text in [error.description, error.debugDescription] {
            for word in ["OPENSSL", "BoringSSL", "NIOSSL", ".cc:", "/build"] {
                #expect(!text.contains(word), "\(text)", sourceLocation: sourceLocation)
            }
        }
        #expect(error.isConnect, sourceLocation: sourceLocation)
        #expect(error.blame == .peer, sourceLocation: sourceLocation)
    }

    private static func alert(_ number: UInt8) -> Script {
        [.expectBytes(5), .sendBytes([21, 3, 3, 0, 2, 2, number]), .close]
    }

    @Test(arguments: TLSFailureReason.Alert.allCases)
    func explainsEachAlert(alert: TLSFailureReason.Alert) async throws {
        let error = try await failure(of: Self.alert(alert.rawValue))
        expectWords(error)
        let reason = try #require(error.underlying as? TLSFailureReason)
        let expected: TLSFailureReason =
            switch alert {
            case .protocolVersion: .noCommonVersion
            case .handshakeFailure, .insufficientSecurity: .noCommonCipher
            case .unrecognizedName: .unknownServerName
            case .noApplicationProtocol: .noCommonProtocol
            case .certificateRequired, .noCertificate, .badCertificate, .unsupportedCertificate, .certificateRevoked,
                .certificateExpired, .certificateUnknown, .unknownAuthority, .accessDenied:
                .clientCertificateRequired
            default: .alert(alert)
            }
        #expect(reason == expected)
        #expect(error.detail.contains("localhost") == true)
    }

    @Test func explainsAnUnknownAlert() async throws {
        let error = try await failure(of: Self.alert(255))
        expectWords(error)
        #expect(error.code == .tlsFailed && error.detail.contains("255"))
    }

    static let plain = [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.6\r\n", "220 mail.example ESMTP\r\n", "\0\0\0\0\0\0\0\0",
    ]

    @Test(arguments: plain)
    func explainsAServerWithoutTLS(bytes: String) async throws {
        let error = try await failure(of: [.expectBytes(5), .send(bytes), .close])
        expectWords(error)
        #expect(error.code == .tlsFailed)
        #expect(error.underlying as? TLSFailureReason == .notTLS)
        #expect(error.hint?.contains("http://") == true)
    }

    static let ends: [Script] = [[.expectBytes(5), .close], [.expectBytes(5), .reset]]

    @Test(arguments: ends)
    func explainsTheEndOfTheConnection(script: Script) async throws {
        let error = try await failure(of: script)
        expectWords(error)
        #expect(error.code == .tlsFailed)
        #expect(error.underlying as? TLSFailureReason == .closed)
    }

    @Test func explainsAMissingProtocol() async throws {
        let error = try await failure(of: Self.alert(120)) { $0.protocols = .http2 }
        #expect(error.code == .protocolUnsupported)
        #expect(error.detail.contains("HTTP/2"))
    }
}
