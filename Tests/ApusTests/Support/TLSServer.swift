import Apus
import ApusTestServer
import ApusTesting

/// Runs a test with a server and a session that trusts it, and checks that nothing is left.
func withTLSServer(
    _ tls: TestTLS = .localhost,
    behavior: TestServer.Behavior = .endpoints,
    configure: (inout Session.Configuration) -> Void = { _ in },
    _ body: (TestServer, Session) async throws -> Void
) async throws {
    let server = try await TestServer.start(tls: tls, behavior: behavior)
    let session = Wire.tls.session(resolver: ScriptedResolver(), configure: configure)
    do {
        try await body(server, session)
        try await assertNothingLeft(session)
        await server.stop()
    } catch {
        await session.shutdown(within: .zero)
        await server.stop()
        throw error
    }
}
