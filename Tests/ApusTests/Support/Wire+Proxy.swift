import Apus
import ApusTestServer

extension Wire {
    /// Runs a test with a proxy in front of a server, and checks that no resources are left.
    ///
    /// - Parameters:
    ///   - options: The behavior of the proxy.
    ///   - behavior: The behavior of the server.
    ///   - selecting: Returns the proxies of the session. Default: the proxy, for all requests.
    ///   - configure: Changes the configuration of the session.
    ///   - body: The test.
    /// - Returns: The result of the test.
    /// - Throws: The error of the test, or of a server that did not start.
    func withProxy<Value>(
        _ options: TestProxy.Options = TestProxy.Options(),
        _ behavior: TestServer.Behavior = .endpoints,
        selecting: (TestProxy) throws -> ProxySelection = { .server(try $0.server()) },
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ body: (TestServer, TestProxy, Session) async throws -> Value
    ) async throws -> Value {
        try await TestProxy.with(options) { proxy in
            let selection = try selecting(proxy)
            return try await with(
                behavior,
                configure: { configuration in
                    configuration.proxy = selection
                    configure(&configuration)
                },
                { server, session in try await body(server, proxy, session) }
            )
        }
    }
}

extension TestProxy {
    /// Returns the proxy for a configuration.
    ///
    /// - Parameters:
    ///   - user: The user, whose password is `secret`. Default: `nil`.
    ///   - kind: The kind, if it is not that of the URL.
    ///   - authentication: The way in which user and password are sent. Default: Basic.
    /// - Returns: The proxy.
    /// - Throws: The error of a URL that is not one of a proxy.
    func server(
        user: String? = nil,
        kind: ProxyServer.Kind? = nil,
        authentication: ProxyServer.Authentication = .basic
    ) throws -> ProxyServer {
        let server = try ProxyServer(url)
        return ProxyServer(
            kind: kind ?? server.kind,
            host: server.host,
            port: server.port,
            user: user,
            password: user == nil ? nil : "secret",
            authentication: authentication
        )
    }
}

extension TestProxy.Options {
    /// Returns the options of a proxy of a kind.
    static func of(_ kind: ProxyServer.Kind) -> TestProxy.Options {
        var options = TestProxy.Options()
        if kind == .https { options.tls = .localhost }
        options.speaksSOCKS = kind == .socks5 || kind == .socks5h
        return options
    }

    /// Returns the options with changes.
    func changed(_ change: (inout TestProxy.Options) -> Void) -> TestProxy.Options {
        var options = self
        change(&options)
        return options
    }

    /// Requires `Basic`, or `Digest` with a nonce, for the user `ada`.
    static func requiring(_ challenges: String...) -> TestProxy.Options {
        TestProxy.Options().changed { options in
            options.challenges = { request in
                guard let sent = request["proxy-authorization"] else { return challenges }
                let isBasic = sent == "Basic YWRhOnNlY3JldA=="
                let isDigest = sent.hasPrefix("Digest username=\"ada\"") && sent.contains("nonce=\"n1\"")
                return isBasic || isDigest ? [] : challenges
            }
        }
    }
}
