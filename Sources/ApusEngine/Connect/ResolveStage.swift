internal import ApusCore
internal import NIOCore

/// Finds the addresses of the origin's host, or of the proxy's.
final class ResolveStage: ConnectStage {
    private let setup: ConnectionSetup
    private let hop: ConnectionHop
    private let endpoint: Endpoint
    private var lookup: JobInterest?
    private var completion: ((Result<Void, ApusError>) -> Void)?

    init(_ setup: ConnectionSetup, for hop: ConnectionHop = .origin) {
        self.setup = setup
        self.hop = hop
        self.endpoint = setup.endpoint(hop)
    }

    var limit: ConnectLimit { .connect }

    var unfinished: String { "'\(endpoint.host)' was not resolved" }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        if let literal = endpoint.literal {
            store([literal])
            return completion(.success(()))
        }
        self.completion = completion
        setup.timings.resolveBegin = setup.timings.resolveBegin ?? setup.engine.now
        let loop = setup.loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        setup.engine.shared.counters.add(to: .lookups)
        lookup = setup.engine.shared.resolver.lookUp(endpoint.host) { result in
            loop.execute { bound.value.resolved(result) }
        }
    }

    private func resolved(_ result: Result<[HostAddress], ApusError>) {
        guard let completion else { return }
        cancel()
        setup.timings.resolveEnd = setup.engine.now
        switch result {
        case .failure(let error):
            completion(.failure(error))
        case .success(let addresses):
            let order = HappyEyeballsStateMachine.interleaved(addresses, isIPv6: \.isIPv6)
            let found = order.compactMap { try? SocketAddress(ipAddress: $0.text, port: endpoint.port) }
            guard !found.isEmpty else {
                return completion(.failure(ApusError(.hostNotFound, "'\(endpoint.host)' has no usable address")))
            }
            store(found)
            completion(.success(()))
        }
    }

    /// The connection goes to the proxy, which needs the addresses of the origin only for its request.
    private func store(_ addresses: [SocketAddress]) {
        if hop == .origin, setup.proxy != nil {
            setup.originAddresses = addresses
        } else {
            setup.addresses = addresses
        }
    }

    func cancel() {
        completion = nil
        guard let lookup else { return }
        self.lookup = nil
        setup.engine.shared.counters.remove(from: .lookups)
        lookup.withdraw()
    }
}
