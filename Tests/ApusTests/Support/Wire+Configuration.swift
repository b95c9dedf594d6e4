import Apus
import ApusTestServer

extension Wire {
    /// The configuration of tests, changed.
    func configured(_ change: (inout Session.Configuration) -> Void) -> Session.Configuration {
        var configuration = configuration
        change(&configuration)
        return configuration
    }

    /// Runs a test against a server with a configuration of its own, and makes sure that nothing is left.
    func with<Value>(
        _ behaviour: TestServer.Behaviour = .endpoints,
        configuration: Session.Configuration,
        _ body: (TestServer, Session) async throws -> Value
    ) async throws -> Value {
        try await with(behaviour, configure: { $0 = configuration }, body)
    }
}
