import Apus
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProxyAuthenticationTests {
    private static let digest = #"Digest realm="p", nonce="n1", qop="auth", algorithm=SHA-256"#
    private static let basic = #"Basic realm="p""#

    @Test(arguments: Wire.allCases)
    func sendsBasicAtOnceAndOnlyToTheProxy(wire: Wire) async throws {
        try await wire.withProxy(
            .requiring(Self.basic),
            selecting: { .server(try $0.server(user: "ada")) }
        ) { server, proxy, session in
            for _ in 0..<2 {
                let fields: RequestFields = [.authorization(bearerToken: "t0ken")]
                try await session.get(wire.named(server), fields: fields).validate()
            }
            #expect(server.requests.allSatisfy { $0["proxy-authorization"] == nil })
            #expect(server.requests.allSatisfy { $0["authorization"] == "Bearer t0ken" })
            #expect(proxy.requests.allSatisfy { $0["proxy-authorization"] == "Basic YWRhOnNlY3JldA==" })
            #expect(proxy.requests.count == (wire == .tls ? 1 : 2))
            if wire == .tls { #expect(proxy.requests.allSatisfy { $0["authorization"] == nil }) }
        }
    }

    /// The challenge is answered on the same connection, or on another one if the proxy closes it.
    @Test(arguments: [true, false], [ProxyServer.Authentication.digest, .automatic])
    func answersAChallengeToATunnel(closes: Bool, authentication: ProxyServer.Authentication) async throws {
        let options = TestProxy.Options.requiring(Self.basic, Self.digest).changed { $0.closesAfterChallenge = closes }
        try await Wire.tls.withProxy(
            options,
            selecting: { .server(try $0.server(user: "ada", authentication: authentication)) }
        ) { server, proxy, session in
            try await session.get(Wire.tls.named(server)).validate()
            let seen = proxy.requests
            #expect(seen.map(\.method) == ["CONNECT", "CONNECT"])
            #expect(seen.map(\.connection) == (closes ? [1, 2] : [1, 1]))
            #expect(seen.first?["proxy-authorization"] == nil)
            let answer = try #require(seen.last?["proxy-authorization"])
            #expect(answer.contains("uri=\"localhost:\(server.port)\""))
            #expect(answer.contains("nc=00000001"))
        }
    }

    /// The nonce is used for later requests too, so only the first one is sent twice.
    @Test func answersAChallengeToARequestWithoutATunnel() async throws {
        try await Wire.plain.withProxy(
            .requiring(Self.digest),
            selecting: { .server(try $0.server(user: "ada", authentication: .digest)) }
        ) { server, proxy, session in
            for index in 0..<3 {
                let message = try RequestMessage(
                    Wire.plain.named(server, "/post?i=\(index)"),
                    method: .post,
                    body: .string("text")
                )
                let response = try await session.send(message)
                #expect(response.status == .ok)
                #expect(response.metrics.exchanges.map(\.resendCount) == [index == 0 ? 1 : 0])
            }
            #expect(server.requests.map(\.bodyText) == ["text", "text", "text"])
            let answers = proxy.requests.map { $0["proxy-authorization"] ?? "" }
            #expect(answers.count == 4)
            #expect(answers.first == "")
            for (index, answer) in answers.dropFirst().enumerated() {
                #expect(answer.contains("nc=0000000\(index + 1)"))
                #expect(answer.contains("uri=\"\(Wire.plain.named(server, "/post?i=\(index)"))\""))
            }
        }
    }

    @Test(arguments: [ProxyServer.Authentication.basic, .digest, .automatic])
    func reportsRefusedCredentials(authentication: ProxyServer.Authentication) async throws {
        try await Wire.tls.withProxy(
            .requiring(Self.basic, Self.digest),
            selecting: { .server(try $0.server(user: "bob", authentication: authentication)) }
        ) { server, proxy, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(Wire.tls.named(server)) }
            #expect(error?.code == .proxyAuthenticationRequired)
            #expect(error?.phase == .proxy)
            #expect(error?.responseCode == 407)
            #expect(error?.detail == "the proxy \(proxy.url) refused the user 'bob'")
            #expect(error?.hint?.hasPrefix("check the user and the password") == true)
            #expect(error?.debugDescription.contains("secret") == false)
            #expect(proxy.requests.count == (authentication == .basic ? 1 : 2))
            #expect(server.acceptedConnections == 0)
        }
    }

    /// The credentials are not sent, so they are not refused.
    @Test func reportsAMethodThatIsNotOffered() async throws {
        try await Wire.tls.withProxy(
            .requiring(Self.basic),
            selecting: { .server(try $0.server(user: "ada", authentication: .digest)) }
        ) { server, _, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(Wire.tls.named(server)) }
            #expect(error?.code == .proxyAuthenticationRequired)
            #expect(error?.detail.hasSuffix("requires a user and a password, but offers no Digest") == true)
            #expect(error?.hint == "set its authentication to .automatic")
        }
    }

    @Test func reportsMissingCredentials() async throws {
        try await Wire.tls.withProxy(.requiring(Self.basic)) { server, _, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(Wire.tls.named(server)) }
            #expect(error?.code == .proxyAuthenticationRequired)
            #expect(error?.hint?.contains("URL of the proxy") == true)
        }
    }

    /// Without a tunnel the response of the proxy is the response to the request.
    @Test(arguments: [nil, "bob"] as [String?])
    func returnsTheChallengeWithoutATunnel(user: String?) async throws {
        try await Wire.plain.withProxy(
            .requiring(Self.digest),
            selecting: { .server(try $0.server(user: user, authentication: .digest)) }
        ) { server, proxy, session in
            let response = try await session.get(Wire.plain.named(server))
            #expect(response.status.code == 407)
            #expect(try response.string() == "denied")
            #expect(proxy.requests.count == (user == nil ? 1 : 2))
        }
    }

    @Test func keepsTheFieldOfARequestWithoutATunnel() async throws {
        try await Wire.plain.withProxy(
            .requiring(Self.basic),
            selecting: { .server(try $0.server(user: "bob")) }
        ) { server, proxy, session in
            let fields: RequestFields = ["Proxy-Authorization": "Basic YWRhOnNlY3JldA=="]
            try await session.get(Wire.plain.named(server), fields: fields).validate()
            #expect(proxy.requests.count == 1)
        }
    }

    /// The field goes with the request, and a tunnel leads to the server.
    @Test(arguments: [ProxyServer.Kind.http, .socks5h])
    func leavesTheFieldOutOfARequestWithATunnel(kind: ProxyServer.Kind) async throws {
        let wire: Wire = kind == .http ? .tls : .plain
        try await wire.withProxy(.of(kind)) { server, proxy, session in
            let fields: RequestFields = ["Proxy-Authorization": "Basic YWRhOnNlY3JldA=="]
            try await session.get(wire.named(server), fields: fields).validate()
            #expect(server.requestCount == 1)
            #expect(server.requests.allSatisfy { $0["proxy-authorization"] == nil })
            #expect(proxy.requests.allSatisfy { $0["proxy-authorization"] == nil })
        }
    }

    @Test(arguments: Wire.allCases)
    func leavesTheFieldOutWithoutAProxy(wire: Wire) async throws {
        try await wire.with(.endpoints) { server, session in
            let fields: RequestFields = ["Proxy-Authorization": "Basic YWRhOnNlY3JldA==", "X-Kept": "1"]
            try await session.get(server.url("/get"), fields: fields).validate()
            #expect(server.requestCount == 1)
            #expect(server.requests.allSatisfy { $0["proxy-authorization"] == nil && $0["x-kept"] == "1" })
        }
    }

    @Test(arguments: Wire.allCases)
    func sendsUserAndPasswordToSOCKS(wire: Wire) async throws {
        let options = TestProxy.Options.of(.socks5h).changed { $0.user = ("ada", "secret") }
        try await wire.withProxy(
            options,
            selecting: { .server(try $0.server(user: "ada")) }
        ) { server, proxy, session in
            try await session.get(wire.named(server)).validate()
            for user in [nil, "bob"] {
                let selection = ProxySelection.server(try proxy.server(user: user))
                let error = await #expect(throws: ApusError.self) {
                    try await session.get(wire.named(server), options: [selection])
                }
                #expect(error?.code == .proxyAuthenticationRequired)
                let words = user == nil ? "requires a user and a password" : "refused the user 'bob'"
                #expect(error?.detail == "the proxy \(proxy.url) \(words)")
            }
        }
    }
}
