import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import Testing

/// HSTS over sockets: servers that ask for https, and servers that have none.
@Suite(.timeLimit(.minutes(5))) struct HSTSCourseTests {
    private func asking(_ server: TestServer, _ policy: String = "max-age%3D60") -> String {
        Wire.tls.named(server, "/response-headers?Strict-Transport-Security=\(policy)")
    }

    @Test(arguments: Form.allCases) func upgradesRequestsAfterAPolicy(form: Form) async throws {
        try await withTLSServer { server, session in
            let first = await form.outcome(of: try RequestMessage(asking(server)), on: session)
            #expect(first.error == nil)
            #expect(session.hsts?.entries.map(\.host) == ["localhost"])
            let second = await form.outcome(of: try RequestMessage(Wire.plain.named(server)), on: session)
            #expect(second.error == nil)
            #expect(server.requests.map(\.isSecure) == [true, true])
            #expect(server.requests.last?["Host"] == "localhost:\(server.port)")
        }
    }

    @Test func describesTheUpgradedExchange() async throws {
        try await withTLSServer { server, session in
            try session.hsts?.set("localhost")
            let response = try await session.get(Wire.plain.named(server))
            #expect(response.target.uri == Wire.tls.named(server))
            let exchange = try #require(response.metrics.exchanges.first)
            #expect(exchange.target.uri == Wire.tls.named(server))
            #expect(exchange.tlsVersion == "TLSv1.3")
            #expect(exchange.isHostVerified == true)
            // The prepared connection is one over https too.
            #expect(try await session.prepare(Wire.plain.named(server)) == 1)
        }
    }

    @Test func removesAPolicy() async throws {
        try await withTLSServer { server, session in
            try await session.get(asking(server)).validate()
            try await session.get(asking(server, "max-age%3D0")).validate()
            #expect(session.hsts?.entries.isEmpty == true)
        }
    }

    @Test(arguments: [ServerTrust.Verification.none, .chainOnly])
    func ignoresPoliciesOfUnverifiedServers(verification: ServerTrust.Verification) async throws {
        try await withTLSServer(configure: { $0.trust.verification = verification }) { server, session in
            try await session.get(asking(server)).validate()
            #expect(session.hsts?.entries.isEmpty == true)
        }
    }

    /// Only an evaluator that validates the chain together with the host has verified the server.
    @Test(arguments: [true, false]) func takesPoliciesThatAnEvaluatorVerified(validates: Bool) async throws {
        let evaluator = ClosureTrustEvaluator { presented, _ in
            if validates { try await presented.validated() }
        }
        try await withTLSServer(configure: { $0.trust.evaluator = evaluator }) { server, session in
            try await session.get(asking(server)).validate()
            #expect(session.hsts?.entries.count == (validates ? 1 : 0))
        }
    }

    @Test func ignoresPoliciesVerifiedForAnotherName() async throws {
        try await withTLSServer(.wrongHost, configure: { $0.tls.verifiedName = "elsewhere.example" }) {
            server,
            session in
            try await session.get(asking(server)).validate()
            #expect(session.hsts?.entries.isEmpty == true)
        }
    }

    /// There is no way back to http, and no byte of the request leaves in plain text.
    @Test func failsWithoutHTTPS() async throws {
        let plain = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let refusing: Script = [.expectBytes(5), .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .close]
        let server = try await TestServer.start(behavior: .scripts([refusing, .responding(with: plain)]))
        let session = Wire.plain.session(resolver: ScriptedResolver())
        try session.hsts?.set("localhost")
        let error = await #expect(throws: ApusError.self) { try await session.get(Wire.plain.named(server)) }
        #expect(error?.phase == .tls)
        #expect(error?.detail.contains("since 'localhost' has asked for that with HSTS") == true)
        #expect(error?.hint?.contains("remove 'localhost' from the HSTSStore") == true)
        #expect(server.acceptedConnections == 1 && server.requestCount == 0)
        session.hsts?.remove("localhost")
        try await session.get(Wire.plain.named(server)).validate()
        #expect(server.requests.map(\.isSecure) == [false])
        try await assertNothingLeft(session)
        await server.stop()
    }
}
