internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// Requests through the proxies that `Scripts/interop` starts: Squid, Tinyproxy and microsocks.
@Suite(.enabled(if: !Servers.proxies.isEmpty, "Scripts/interop starts the servers"), .timeLimit(.minutes(5)))
struct ProxyInteropTests {
    private func session(_ proxy: ProxyServer) -> Session {
        var configuration = Session.Configuration()
        configuration.trust.roots = .file(Servers.authority)
        configuration.proxy = .server(proxy)
        return Session(configuration: configuration)
    }

    @Test(arguments: Servers.proxies, [Servers.nginx, Servers.nginxOverTLS])
    func getsFiles(proxy: String, server: String) async throws {
        // HAProxy has a certificate of the same authority.
        let session = session(try ProxyServer(proxy))
        for _ in 0..<3 {
            let response = try await session.get("\(server)/small.txt")
            #expect(response.status == .ok)
            #expect(response.metrics.exchanges.first?.proxy != nil)
        }
        try await assertNothingLeft(session)
    }

    @Test(arguments: Servers.proxies)
    func sendsManyRequestsAtOnce(proxy: String) async throws {
        let session = session(try ProxyServer(proxy))
        let url = "\(Servers.nginxOverTLS)/small.txt"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await session.get(url).validate() } }
            try await group.waitForAll()
        }
        try await assertNothingLeft(session)
    }

    @Test(
        .enabled(if: !Servers.digestProxy.isEmpty),
        arguments: [ProxyServer.Authentication.digest, .automatic],
        [Servers.nginx, Servers.nginxOverTLS]
    )
    func authenticatesWithDigest(authentication: ProxyServer.Authentication, server: String) async throws {
        let session = session(try ProxyServer(Servers.digestProxy, authentication: authentication))
        for _ in 0..<3 {
            let response = try await session.get("\(server)/small.txt")
            #expect(response.status == .ok)
        }
        try await assertNothingLeft(session)
    }
}
