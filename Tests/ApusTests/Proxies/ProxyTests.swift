import Apus
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
    private static let kinds = ProxyServer.Kind.allCases

    @Test(arguments: Wire.allCases, kinds)
    func sendsRequestsThroughAProxy(wire: Wire, kind: ProxyServer.Kind) async throws {
        try await wire.withProxy(
            .of(kind),
            selecting: { .server(try $0.server(kind: kind)) }
        ) { server, proxy, session in
            let name = try proxy.server(kind: kind).description
            for index in 0..<3 {
                let response = try await session.get(wire.named(server, "/bytes/100000"))
                #expect(response.data.count == 100_000)
                let exchange = try #require(response.metrics.exchanges.first)
                #expect(exchange.isReused == (index > 0))
                #expect(exchange.proxy == name)
                #expect(exchange.remoteAddress?.hasSuffix(":\(proxy.port)") == true)
                #expect(exchange.description.contains("through \(name)"))
            }
            #expect(server.requestCount == 3)
            #expect(proxy.acceptedConnections == 1)
            #expect(server.acceptedConnections == 1)
            let seen = proxy.requests
            switch (kind, wire) {
            case (.socks5h, _): #expect(seen.map(\.target) == ["localhost:\(server.port)"])
            case (.socks5, _): #expect(seen.count == 1)
            case (_, .plain):
                #expect(seen.map(\.method) == ["GET", "GET", "GET"])
                #expect(seen.first?.target == wire.named(server, "/bytes/100000"))
                #expect(seen.first?["host"] == "localhost:\(server.port)")
            case (_, .tls):
                #expect(seen.map(\.method) == ["CONNECT"])
                #expect(seen.first?.target == "localhost:\(server.port)")
                #expect(seen.first?["host"] == "localhost:\(server.port)")
            }
        }
    }

    @Test(arguments: Wire.allCases, kinds)
    func sendsBodies(wire: Wire, kind: ProxyServer.Kind) async throws {
        try await wire.withProxy(
            .of(kind),
            selecting: { .server(try $0.server(kind: kind)) }
        ) { server, _, session in
            let text = String(repeating: "text ", count: 50_000)
            let message = try RequestMessage(wire.named(server, "/post"), method: .post, body: .string(text))
            _ = try await session.send(message)
            #expect(server.requests.first?.bodyText == text)
        }
    }

    @Test(arguments: kinds)
    func speaksHTTP2ThroughATunnel(kind: ProxyServer.Kind) async throws {
        var tls = TestTLS.localhost
        tls.applicationProtocols = ["h2"]
        let server = try await TestServer.start(tls: tls, behavior: .http2(delay: { _ in .zero }))
        let proxy = try await TestProxy.start(.of(kind))
        let session = Session(configuration: Wire.tls.configured { $0.proxy = .server(proxy, kind) })
        for stream in [1, 3, 5] {
            let response = try await session.get(server.url("/"))
            #expect(try response.string() == "stream \(stream)")
            #expect(response.metrics.exchanges.first?.networkProtocol == "h2")
        }
        #expect(proxy.acceptedConnections == 1)
        try await assertNothingLeft(session)
        await proxy.stop()
        await server.stop()
    }

    /// HTTP/2 in the clear needs a tunnel too.
    @Test(arguments: kinds)
    func speaksHTTP2WithPriorKnowledgeThroughATunnel(kind: ProxyServer.Kind) async throws {
        let server = try await TestServer.start(behavior: .http2(delay: { _ in .zero }))
        let proxy = try await TestProxy.start(.of(kind))
        let session = Session(
            configuration: Wire.plain.configured {
                $0.proxy = .server(proxy, kind)
                $0.protocols = .http2
            }
        )
        let response = try await session.get(server.url("/"))
        #expect(try response.string() == "stream 1")
        #expect(proxy.requests.map(\.method) == [kind == .http || kind == .https ? "CONNECT" : "SOCKS"])
        try await assertNothingLeft(session)
        await proxy.stop()
        await server.stop()
    }

    @Test(arguments: Wire.allCases)
    func choosesTheProxyOfEachRequest(wire: Wire) async throws {
        try await wire.withProxy { server, proxy, session in
            let url = wire.named(server)
            try await session.get(url).validate()
            try await session.get(url, options: [ProxySelection.none]).validate()
            #expect(proxy.requests.count == 1)
            #expect(server.acceptedConnections == 2)
            try await TestProxy.with { other in
                let options: RequestOptions = [ProxySelection.server(try other.server())]
                let response = try await session.get(url, options: options)
                #expect(response.metrics.exchanges.first?.proxy == other.url)
                #expect(other.requests.count == 1)
            }
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test(arguments: Wire.allCases)
    func sharesNoConnectionWithOtherCredentials(wire: Wire) async throws {
        try await wire.withProxy { server, proxy, session in
            for user in [nil, "ada", "bob", "ada"] {
                let options: RequestOptions = [ProxySelection.server(try proxy.server(user: user))]
                try await session.get(wire.named(server), options: options).validate()
            }
            #expect(proxy.acceptedConnections == 3)
        }
    }

    @Test(arguments: Wire.allCases)
    func reachesTheExceptionsDirectly(wire: Wire) async throws {
        try await wire.withProxy(
            selecting: { .server(try $0.server(), except: "localhost") }
        ) { server, proxy, session in
            let response = try await session.get(wire.named(server))
            #expect(response.metrics.exchanges.first?.proxy == nil)
            #expect(proxy.acceptedConnections == 0)
        }
    }

    @Test func preparesTunnels() async throws {
        try await Wire.tls.withProxy { server, proxy, session in
            let url = Wire.tls.named(server)
            let count = try await session.prepare(url, count: 2)
            #expect(count == 2)
            #expect(proxy.requests.map(\.method) == ["CONNECT", "CONNECT"])
        }
    }

    @Test func cancelsARequestWhileATunnelIsOpened() async throws {
        let isReached = Gate()
        let options = TestProxy.Options().changed { options in
            options.answer = { _, _ in
                isReached.open()
                return .silence
            }
        }
        try await Wire.tls.withProxy(options) { server, _, session in
            let request = session.request(Wire.tls.named(server))
            let task = request.serializingData()
            request.resume()
            await isReached.wait()
            request.cancel()
            #expect(await task.result.code == .cancelled)
        }
    }
}

extension ProxySelection {
    /// Returns a selection of a test's proxy.
    fileprivate static func server(_ proxy: TestProxy, _ kind: ProxyServer.Kind) -> ProxySelection {
        guard let server = try? proxy.server(kind: kind) else { return .none }
        return .server(server)
    }
}
