import Apus
import ApusTestServer

extension Wire {
    /// Returns the configuration for tests with changes applied.
    func configured(_ change: (inout Session.Configuration) -> Void) -> Session.Configuration {
        var configuration = configuration
        change(&configuration)
        return configuration
    }

    /// Runs a test against a server with the given configuration, and checks that no resources are left.
    func with<Value>(
        _ behavior: TestServer.Behavior = .endpoints,
        configuration: Session.Configuration,
        _ body: (TestServer, Session) async throws -> Value
    ) async throws -> Value {
        try await with(behavior, configure: { $0 = configuration }, body)
    }
}
