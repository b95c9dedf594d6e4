import Apus
import ApusCore
import ApusEngine
import ApusTestServer

/// A resolver that answers what a test says, and not before a gate is open.
final class ScriptedResolver: HostResolver {
    /// Open once a host was asked for.
    let isAsked = Gate()
    private let addresses: [HostAddress]
    private let gate: Gate?
    private let slowHost: String?

    /// - Parameters:
    ///   - addresses: What it answers.
    ///   - gate: What it waits for; nothing by default.
    ///   - slowHost: The only host that it waits with; every one by default.
    init(
        _ addresses: [HostAddress] = [HostAddress("127.0.0.1", isIPv6: false)],
        after gate: Gate? = nil,
        onlyFor slowHost: String? = nil
    ) {
        self.addresses = addresses
        self.gate = gate
        self.slowHost = slowHost
    }

    func resolve(_ host: String, completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void) {
        isAsked.open()
        let addresses = addresses
        guard let gate, slowHost == nil || slowHost == host else { return completion(.success(addresses)) }
        Task {
            await gate.wait()
            completion(.success(addresses))
        }
    }
}

extension Wire {
    /// A session over the engine that asks `resolver` for hosts.
    func session(
        resolver: any HostResolver,
        configure: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = configuration
        configure(&configuration)
        let counters = LiveCounters()
        let engine = Engine(configuration: configuration, counters: counters, resolver: resolver)
        return Session(configuration: configuration, transport: engine, counters: counters)
    }

    /// A URL that has to be resolved.
    func named(_ server: TestServer, _ path: String = "/get") -> String {
        "\(self == .tls ? "https" : "http")://localhost:\(server.port)\(path)"
    }
}
