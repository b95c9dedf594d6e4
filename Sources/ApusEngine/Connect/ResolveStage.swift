internal import ApusCore
internal import NIOCore

/// Finds the addresses of the origin's host.
final class ResolveStage: ConnectStage {
    private let setup: ConnectionSetup
    private var lookup: JobInterest?
    private var completion: ((Result<Void, ApusError>) -> Void)?

    init(_ setup: ConnectionSetup) {
        self.setup = setup
    }

    var limit: ConnectLimit { .connect }

    var unfinished: String { "'\(setup.route.origin.host)' was not resolved" }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        if let literal = setup.literal {
            setup.addresses = [literal]
            return completion(.success(()))
        }
        self.completion = completion
        setup.timings.resolveBegin = setup.engine.now
        let loop = setup.loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        setup.engine.shared.counters.add(to: .lookups)
        lookup = setup.engine.shared.resolver.lookUp(setup.route.origin.host) { result in
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
            let (host, port) = (setup.route.origin.host, setup.route.origin.port)
            let order = HappyEyeballsStateMachine.interleaved(addresses, isIPv6: \.isIPv6)
            setup.addresses = order.compactMap { try? SocketAddress(ipAddress: $0.text, port: port) }
            guard !setup.addresses.isEmpty else {
                return completion(.failure(ApusError(.hostNotFound, "'\(host)' has no usable address")))
            }
            completion(.success(()))
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
