import Apus
import ApusCore
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// Guards of addresses in front of a proxy at 127.0.0.1, an address that they refuse for a host.
@Suite(.timeLimit(.minutes(5))) struct ProxyGuardTests {
    private static let addresses = [
        "127.0.0.1", "127.1", "0x7f.1", "2130706433", "127.0.0.1.", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1",
        "169.254.169.254", "168.63.129.16",
    ]

    @Test(arguments: Wire.allCases, ProxyServer.Kind.allCases)
    func refusesAddresses(wire: Wire, kind: ProxyServer.Kind) async throws {
        try await wire.withProxy(
            .of(kind),
            selecting: { .server(try $0.server(kind: kind)) },
            configure: { $0.addresses.guard = .publicOnly }
        ) { server, proxy, session in
            let scheme = wire == .tls ? "https" : "http"
            for host in Self.addresses {
                let error = await failure { try await session.get("\(scheme)://\(host):\(server.port)/") }
                #expect(error?.code == .addressRefused, "\(host)")
            }
            #expect(proxy.acceptedConnections == 0)
            #expect(server.acceptedConnections == 0)
        }
    }

    /// The proxy looks the name up, so its address is unknown. The address of the proxy is not checked.
    @Test(arguments: [ProxyServer.Kind.http, .https, .socks5h])
    func passesNamesToAProxyThatResolvesThem(kind: ProxyServer.Kind) async throws {
        try await Wire.tls.withProxy(
            .of(kind),
            selecting: { .server(try $0.server(kind: kind)) },
            configure: { $0.addresses.guard = .publicOnly }
        ) { server, proxy, session in
            try await session.get(Wire.tls.named(server)).validate()
            let query = [URLQueryItem(name: "url", value: "https://10.1/")]
            let message = try RequestMessage(Wire.tls.named(server, "/redirect-to"), query: query)
            let error = await failure { try await session.send(message) }
            #expect(error?.code == .addressRefused)
            #expect(server.requestCount == 2)
            #expect(proxy.acceptedConnections == 1)
        }
    }

    @Test func checksTheAddressesOfANameThatIsResolvedHere() async throws {
        try await Wire.plain.withProxy(
            .of(.socks5),
            selecting: { .server(try $0.server(kind: .socks5)) },
            configure: { $0.addresses.guard = .publicOnly }
        ) { server, proxy, session in
            let error = await failure { try await session.get(Wire.plain.named(server)) }
            #expect(error?.code == .addressRefused)
            #expect(proxy.acceptedConnections == 0)
        }
    }

    /// Requests to this machine use no proxy of the environment, so the guard checks their names too.
    @Test func checksRequestsOfAProxyOfTheEnvironment() async throws {
        try await Wire.plain.withProxy(
            selecting: { proxy in .environment(ProxyEnvironment { $0 == "http_proxy" ? proxy.url : nil }) },
            configure: { $0.addresses.guard = .publicOnly }
        ) { server, proxy, session in
            for host in Self.addresses + ["localhost"] {
                let error = await failure { try await session.get("http://\(host):\(server.port)/") }
                #expect(error?.code == .addressRefused, "\(host)")
            }
            #expect(proxy.acceptedConnections == 0)
        }
    }
}
