internal import ApusAlamofire
internal import ApusTestServer
internal import ApusTesting

/// Runs a test with a server and a session, and checks that no resources are left.
func withServer(
    _ configure: (inout Session.Configuration) -> Void = { _ in },
    _ body: (TestServer, Session) async throws -> Void
) async throws {
    let server = try await TestServer.start()
    var configuration = Session.Configuration()
    // On a busy machine, a queued request may wait longer than the defaults allow.
    configuration.timeouts.poolWait = nil
    configuration.timeouts.connect = .seconds(60)
    configure(&configuration)
    let session = Session(configuration: configuration)
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
