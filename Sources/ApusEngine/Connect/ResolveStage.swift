internal import ApusCore
internal import NIOCore

/// Finds the addresses of the origin's host, or of the proxy's, and selects those that the rules of the route allow.
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
        self.completion = completion
        if let network = setup.route.network {
            begin(network.rules)
        } else if let literal = endpoint.literal {
            store([literal])
            finish(.success(()))
        } else {
            lookUp(
                endpoint.host,
                port: endpoint.port,
                AddressSelection(rules: AddressRules(), origin: setup.route.origin)
            )
        }
    }

    private func begin(_ rules: AddressRules) {
        do throws(ApusError) {
            var selection = AddressSelection(rules: rules, origin: setup.route.origin)
            if hop == .proxy {
                // Behind a proxy only the literals of the origin can be checked. The proxy is the user's own choice.
                try selection.check(host: setup.name)
                selection.rules.guard = nil
            }
            if let path = rules.unixSocket {
                try selection.check(host: setup.name)
                setup.addresses = [try Self.socket(at: path)]
                return finish(.success(()))
            }
            // It is the local end of the connection to the proxy, if there is one.
            if let rule = rules.localAddress, hop == .proxy || setup.proxy == nil {
                let local = try LocalAddresses(rule)
                selection.local = local
                setup.local = local
            }
            try begin(selection)
        } catch {
            finish(.failure(error))
        }
    }

    private func begin(_ selection: AddressSelection) throws(ApusError) {
        switch selection.rules.destination(of: endpoint.name, port: endpoint.port) {
        case .addresses(let addresses)?:
            take(.success(addresses), of: endpoint.host, port: endpoint.port, selection)
        case .host(let host, let otherPort)?:
            let port = otherPort ?? endpoint.port
            guard (0...65_535).contains(port) else {
                throw ApusError(.invalidConfiguration, "the port of the override for '\(endpoint.name)' is \(port)")
            }
            try find(host, port: port, selection)
        case nil:
            try find(endpoint.literal == nil ? endpoint.host : endpoint.name, port: endpoint.port, selection)
        }
    }

    /// Looks a host up, unless it is an address.
    private func find(_ host: String, port: Int, _ selection: AddressSelection) throws(ApusError) {
        try selection.check(host: host)
        guard let literal = IPAddress(host) else { return lookUp(host, port: port, selection) }
        take(.success([literal]), of: host, port: port, selection)
    }

    private func lookUp(_ host: String, port: Int, _ selection: AddressSelection) {
        setup.timings.resolveBegin = setup.timings.resolveBegin ?? setup.engine.now
        let loop = setup.loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        setup.engine.shared.counters.add(to: .lookups)
        lookup = setup.engine.shared.resolver.lookUp(host) { result in
            loop.execute { bound.value.resolved(result, of: host, port: port, selection) }
        }
    }

    private func resolved(
        _ result: Result<[IPAddress], ApusError>,
        of host: String,
        port: Int,
        _ selection: AddressSelection
    ) {
        guard completion != nil else { return }
        endLookup()
        setup.timings.resolveEnd = setup.engine.now
        take(result, of: host, port: port, selection)
    }

    /// Ends the stage with the addresses of a host, or without any.
    private func take(
        _ result: Result<[IPAddress], ApusError>,
        of host: String,
        port: Int,
        _ selection: AddressSelection
    ) {
        do throws(ApusError) {
            let rotation = setup.engine.shared.rotation
            let found = try result.get()
            let addresses = try selection.addresses(from: found, of: host) { rotation.next(for: host) }
            store(addresses.compactMap { try? SocketAddress($0, port: port) })
            finish(.success(()))
        } catch {
            finish(.failure(error))
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

    private static func socket(at path: String) throws(ApusError) -> SocketAddress {
        do {
            return try SocketAddress(unixDomainSocketPath: path)
        } catch {
            throw ApusError(
                .invalidConfiguration,
                "the path of the Unix socket '\(path)' is too long",
                underlying: error
            )
        }
    }

    private func finish(_ result: Result<Void, ApusError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    func cancel() {
        completion = nil
        endLookup()
    }

    private func endLookup() {
        guard let lookup else { return }
        self.lookup = nil
        setup.engine.shared.counters.remove(from: .lookups)
        lookup.withdraw()
    }
}
