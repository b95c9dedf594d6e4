internal import Apus
internal import ApusTesting
internal import Testing

/// The code of the guide to proxies. The mock uses no proxy: these tests show that settings and options are kept.
@Suite(.timeLimit(.minutes(5)))
struct ProxiesSamples {
    @Test func proxyOfASession() throws {
        var configuration = Session.Configuration()
        configuration.proxy = .server(try ProxyServer("http://proxy.example.org:3128"))
        #expect("\(configuration.proxy)" == "http://proxy.example.org:3128")
    }

    @Test func credentials() throws {
        var configuration = Session.Configuration()
        configuration.proxy = .server(try ProxyServer("http://ada:secret@proxy.example.org:3128"))
        #expect("\(configuration.proxy)" == "http://proxy.example.org:3128")
    }

    @Test func proxyOfARequest() async throws {
        let transport = MockTransport { _ in MockResponse(body: "up") }
        let session = Session(transport: transport)
        let status = try await session.get("https://intranet.example.org/status", options: [ProxySelection.none])
        #expect(status.status == .ok)
        #expect(transport.requests.first?.options[ProxySelection.self] == ProxySelection.none)
    }

    @Test func selections() async throws {
        let url = "https://example.org/"
        let session = Session(transport: MockTransport { _ in MockResponse() })
        var configuration = Session.Configuration()
        configuration.proxy = .server(try ProxyServer("socks5h://127.0.0.1:9050"))
        let response = try await session.get(url, options: [ProxySelection.none])
        #expect(response.status == .ok)
        #expect("\(configuration.proxy)" == "socks5h://127.0.0.1:9050")
    }

    @Test func exceptions() throws {
        let proxy = try ProxyServer("proxy.example.org")
        var configuration = Session.Configuration()
        configuration.proxy = .server(proxy, except: "localhost, .corp.example, 10.0.0.0/8")
        #expect(configuration.proxy == .server(proxy, except: "localhost .corp.example 10.0.0.0/8"))
    }

    @Test func rules() throws {
        let proxy = try ProxyServer("proxy.example.org")
        var configuration = Session.Configuration()
        configuration.proxy = .rule { target in
            target.origin.host.hasSuffix(".corp.example") ? nil : proxy
        }
        #expect(configuration.proxy != .environment)
    }

    @Test func authentication() throws {
        let proxy = try ProxyServer("http://ada:secret@proxy.example.org:3128", authentication: .automatic)
        #expect(proxy.authentication == .automatic)
    }
}
