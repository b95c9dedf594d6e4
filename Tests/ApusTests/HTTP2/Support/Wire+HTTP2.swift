import Apus
import ApusTestServer
import ApusTesting
import Testing

extension Wire {
    /// Runs a test against an HTTP/2 server, and checks that the client broke no rule and that no resources are left.
    ///
    /// In the clear, the session uses HTTP/2 with prior knowledge. Over TLS, the server chooses it.
    ///
    /// - Parameters:
    ///   - options: The behavior of the server.
    ///   - configure: Changes the configuration of the session.
    ///   - responder: Responds to each request. Default: with `hi`.
    ///   - body: The test.
    /// - Returns: The result of the test.
    /// - Throws: The error of the test, or `LeftBehind`.
    func withHTTP2<Value>(
        _ options: HTTP2Server.Options = HTTP2Server.Options(),
        configure: (inout Session.Configuration) -> Void = { _ in },
        responder: @escaping HTTP2Server.Responder = HTTP2Server.ok,
        _ body: (HTTP2Server, Session) async throws -> Value
    ) async throws -> Value {
        let server = try await HTTP2Server.start(tls: tls, options: options, responder: responder)
        var configuration = configuration
        if self == .plain { configuration.protocols = .http2 }
        configure(&configuration)
        let session = Session(configuration: configuration)
        do {
            let value = try await body(server, session)
            try await assertNothingLeft(session)
            await server.waitForOpenConnections(0)
            #expect(server.faults == [])
            await server.stop()
            return value
        } catch {
            await session.shutdown(within: .zero)
            #expect(server.faults == [])
            await server.stop()
            throw error
        }
    }
}
