import Apus
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

/// Whether a test connects in plain text or over TLS. Tests run with both.
enum Wire: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case plain
    case tls

    var testDescription: String { rawValue }

    var tls: TestTLS? { self == .tls ? .localhost : nil }

    /// A configuration that trusts the test server, with generous timeouts.
    var configuration: Session.Configuration {
        var configuration = Session.Configuration()
        configuration.trust.roots = .pem(TestTLS.authorityPEM)
        // Tests request hosts that only their own resolver knows.
        configuration.proxy = .none
        // All tests run at once, so on a busy machine a queued request may wait longer than the defaults allow.
        configuration.timeouts.poolWait = nil
        configuration.timeouts.connect = .seconds(60)
        configuration.timeouts.tls = .seconds(60)
        configuration.timeouts.proxy = .seconds(60)
        return configuration
    }

    /// Runs a test against a server, and checks that no resources are left at the end.
    func with<Value>(
        _ behavior: TestServer.Behavior = .endpoints,
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ body: (TestServer, Session) async throws -> Value
    ) async throws -> Value {
        let server = try await TestServer.start(tls: tls, behavior: behavior)
        var configuration = configuration
        configure(&configuration)
        let session = Session(configuration: configuration)
        do {
            let value = try await body(server, session)
            try await assertNothingLeft(session)
            await server.stop()
            return value
        } catch {
            await session.shutdown(within: .zero)
            await server.stop()
            throw error
        }
    }

    /// Sends one request to a server that runs `script`, and returns its result.
    func outcome(
        of script: Script,
        method: HTTPRequest.Method = .get,
        body: RequestBody = .none,
        configure: (inout Session.Configuration) -> Void = { _ in }
    ) async throws -> Result<Response, ApusError> {
        try await with(.script(script), configure: configure) { server, session in
            do throws(ApusError) {
                let message = try RequestMessage(method: method, target: TargetURI(server.url("/")), body: body)
                return .success(try await session.send(message))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension Result where Failure == ApusError {
    /// The error's code, or `nil` for a success.
    var code: ApusError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }

    /// The error, or `nil` for a success.
    var error: ApusError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
