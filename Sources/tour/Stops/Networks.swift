internal import Apus
internal import ApusTestServer

/// Stops about the ways of a request to its server.
enum Networks {
    /// Sends an https request through a tunnel, which the proxy can't read, and an http request without one.
    static func proxy(_ environment: TourEnvironment) async throws -> Finding {
        try await TestProxy.with { proxy in
            let server = try ProxyServer(proxy.url)
            return try await environment.withSession {
                $0.proxy = .server(server)
            } _: { session in
                let url = environment.server.url("/get")
                let secure = try await session.get(environment.secureServer.url("/get")).validate()
                let plain = try await session.get(url).validate()
                let requests = [secure.metrics.exchanges, plain.metrics.exchanges]
                let seen = proxy.requests.map { "\($0.method) \($0.target)" }
                let wanted = ["CONNECT localhost:\(environment.secureServer.port)", "GET \(url)"]
                try expect(seen, is: wanted, "the requests that the proxy has read")
                try expect(Set(requests.joined().map(\.proxy)), is: [server.description], "the proxies")
                var finding = Finding("a tunnel for https, none for http", requests: requests)
                finding.picture = Waterfall(exchanges: requests, names: ["CONNECT", "GET"])
                return finding
            }
        }
    }

    /// Requests the server by notations that the guard recognizes as one address. None of them reaches it.
    static func guarded(_ environment: TourEnvironment) async throws -> Finding {
        let server = environment.server
        let hosts = ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"]
        let connections = server.acceptedConnections
        return try await environment.withSession {
            $0.addresses.guard = .publicOnly
        } _: { session in
            var refused: [ApusError] = []
            for host in hosts {
                let url = "http://\(host):\(server.port)/get"
                refused.append(try await failure(.addressRefused) { try await session.get(url) })
            }
            try expect(server.acceptedConnections, is: connections, "the connections of the server")
            let text = "\(hosts.count) hosts, not one connection"
            return Finding(text, quotes: ["\(refused[0])", "\(refused[2])"], requests: refused.map(\.exchanges))
        }
    }
}
