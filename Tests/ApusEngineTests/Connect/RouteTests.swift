internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite struct RouteTests {
    private func route(
        _ scheme: Origin.Scheme,
        _ protocols: HTTPProtocols = .automatic,
        _ proxy: ProxyServer? = nil
    ) -> Route {
        let origin = Origin(scheme: scheme, host: "a.example")
        let rules = TLSRules(trust: ServerTrust())
        return Route(origin: origin, rules: rules, protocols: protocols, network: nil, proxy: proxy)
    }

    @Test(arguments: ProxyServer.Kind.allCases)
    func hasNoTunnelForHTTPOverAnHTTPProxy(kind: ProxyServer.Kind) {
        let proxy = ProxyServer(kind: kind, host: "p")
        let forwards = kind == .http || kind == .https
        #expect(route(.http, .automatic, proxy).forwardingProxy == (forwards ? proxy : nil))
        #expect(route(.http, .http1, proxy).forwardingProxy == (forwards ? proxy : nil))
        #expect(route(.http, .http2, proxy).forwardingProxy == nil)
        #expect(route(.https, .automatic, proxy).forwardingProxy == nil)
        #expect(route(.http).forwardingProxy == nil)
    }

    @Test func differsByItsProxy() {
        let proxies = [nil, ProxyServer(host: "p"), ProxyServer(host: "q"), ProxyServer(host: "p", user: "ada")]
        let routes = proxies.map { route(.https, .automatic, $0) }
        #expect(Set(routes).count == 4)
        #expect(routes[1] == route(.https, .automatic, ProxyServer(host: "P")))
    }
}
