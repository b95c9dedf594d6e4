import Apus
import ApusCore
import ApusEngine
import ApusTestServer

/// A resolver that returns fixed addresses, optionally only after a gate has opened.
final class ScriptedResolver: HostResolver {
    /// Open after the first lookup has begun.
    let hasBegun = Gate()
    private let addresses: [IPAddress]
    private let gate: Gate?
    private let slowHost: String?

    /// - Parameters:
    ///   - addresses: The addresses to return. Default: 127.0.0.1.
    ///   - gate: The gate to wait for. Default: none.
    ///   - slowHost: The only host whose lookup waits for the gate. Default: all hosts wait.
    init(
        _ addresses: [IPAddress] = [IPAddress.loopback],
        after gate: Gate? = nil,
        onlyFor slowHost: String? = nil
    ) {
        self.addresses = addresses
        self.gate = gate
        self.slowHost = slowHost
    }

    func resolve(_ host: String, completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void) {
        hasBegun.open()
        let addresses = addresses
        guard let gate, slowHost == nil || slowHost == host else { return completion(.success(addresses)) }
        Task {
            await gate.wait()
            completion(.success(addresses))
        }
    }
}

extension Wire {
    /// Creates a session over the engine that looks hosts up with `resolver`.
    func session(
        resolver: any HostResolver,
        configure: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = configuration
        configure(&configuration)
        let counters = LiveCounters()
        let engine = SocketTransport(configuration: configuration, counters: counters, resolver: resolver)
        return Session(configuration: configuration, transport: engine, counters: counters)
    }

    /// Returns a URL whose host needs a lookup.
    func named(_ server: TestServer, _ path: String = "/get") -> String {
        "\(self == .tls ? "https" : "http")://localhost:\(server.port)\(path)"
    }
}
