import Apus
import ApusTestServer
import ApusTesting
import Testing

/// The version of HTTP is chosen by the server with ALPN, by the configuration, or by an option of a request.
@Suite(.timeLimit(.minutes(5))) struct HTTP2ProtocolTests {
    private static func tls(_ protocols: [String]) -> TestTLS {
        var tls = TestTLS.localhost
        tls.applicationProtocols = protocols
        return tls
    }

    private static func protocols(_ response: Response) -> [String?] {
        response.metrics.exchanges.map(\.networkProtocol)
    }

    // MARK: ALPN

    @Test(arguments: [["h2"], ["h2", "http/1.1"]])
    func usesHTTP2IfTheServerChoosesIt(offered: [String]) async throws {
        try await Wire.tls.withHTTP2(HTTP2Server.Options(offeredProtocols: offered)) { server, session in
            let response = try await session.get(server.url("/"))
            #expect(Self.protocols(response) == ["h2"])
            #expect(server.requests.map(\.networkProtocol) == ["h2"])
        }
    }

    @Test(arguments: [["http/1.1"], []])
    func usesHTTP1IfTheServerDoesNotChooseHTTP2(offered: [String]) async throws {
        try await TestServer.with(tls: Self.tls(offered)) { server in
            let session = Session(configuration: Wire.tls.configuration)
            let response = try await session.get(server.url("/get")).validate()
            #expect(Self.protocols(response) == ["http/1.1"])
            #expect(server.requests.map(\.version) == ["HTTP/1.1"])
            try await assertNothingLeft(session)
        }
    }

    /// The first connection serves only one of the requests that wait for it, and the others get connections too.
    @Test(arguments: [["http/1.1"], []])
    func opensSeveralConnectionsIfTheServerChoosesHTTP1(offered: [String]) async throws {
        let release = Gate()
        let behavior = TestServer.Behavior.handler { _ in
            await release.wait()
            return .text("hi")
        }
        try await TestServer.with(tls: Self.tls(offered), behavior: behavior) { server in
            let session = Session(configuration: Wire.tls.configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await session.get(server.url("/")).validate() } }
                await server.waitForAcceptedConnections(atLeast: 4)
                release.open()
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections == 4)
            try await assertNothingLeft(session)
        }
    }

    // MARK: Settings

    @Test(arguments: Wire.allCases, [true, false])
    func usesHTTP1IfItIsRequired(wire: Wire, isOption: Bool) async throws {
        try await wire.withHTTP2(configure: { if !isOption { $0.protocols = .http1 } }) { server, session in
            let options: RequestOptions = isOption ? [HTTPProtocols.http1] : []
            let response = try await session.get(server.url("/"), options: options)
            #expect(Self.protocols(response) == ["http/1.1"])
            #expect(try response.string() == "http/1.1")
            #expect(server.requests.map(\.networkProtocol) == ["http/1.1"])
        }
    }

    @Test(arguments: Wire.allCases, [true, false])
    func usesHTTP2IfItIsRequired(wire: Wire, isOption: Bool) async throws {
        try await wire.withHTTP2(
            configure: { $0.protocols = isOption ? .automatic : .http2 }
        ) { server, session in
            let options: RequestOptions = isOption ? [HTTPProtocols.http2] : []
            let response = try await session.get(server.url("/"), options: options)
            #expect(Self.protocols(response) == ["h2"])
            #expect(server.requests.map(\.networkProtocol) == ["h2"])
        }
    }

    @Test func usesHTTP1InTheClearByDefault() async throws {
        try await Wire.plain.withHTTP2(configure: { $0.protocols = .automatic }) { server, session in
            let response = try await session.get(server.url("/"))
            #expect(Self.protocols(response) == ["http/1.1"])
            #expect(server.requests.map(\.networkProtocol) == ["http/1.1"])
        }
    }

    @Test(arguments: [["http/1.1"], []], [true, false])
    func failsIfTheServerDoesNotSupportHTTP2(offered: [String], isOption: Bool) async throws {
        try await TestServer.with(tls: Self.tls(offered)) { server in
            var configuration = Wire.tls.configuration
            if !isOption { configuration.protocols = .http2 }
            let session = Session(configuration: configuration)
            let options: RequestOptions = isOption ? [HTTPProtocols.http2] : []
            let error = await #expect(throws: ApusError.self) {
                try await session.get(server.url("/get"), options: options)
            }
            #expect(error?.code == .protocolUnsupported)
            #expect(error?.phase == .tls)
            #expect(error?.isConnect == true)
            #expect(error?.hint?.contains(".automatic") == true)
            #expect(server.requestCount == 0)
            try await assertNothingLeft(session)
        }
    }

    /// Only prior knowledge selects HTTP/2 in the clear, so a server without it responds with something else.
    @Test func failsInTheClearIfTheServerDoesNotSupportHTTP2() async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .silence,
        ]
        let outcome = try await Wire.plain.outcome(of: script) { $0.protocols = .http2 }
        #expect(outcome.code == .malformedResponse)
    }

    // MARK: Connections

    @Test(arguments: Wire.allCases)
    func sharesNoConnectionBetweenDifferentVersions(wire: Wire) async throws {
        try await wire.withHTTP2(configure: { $0.protocols = .automatic }) { server, session in
            let versions: [HTTPProtocols] = [.automatic, .http1, .http2]
            for version in versions + versions {
                try await session.get(server.url("/"), options: [version]).validate()
            }
            let first = wire == .tls ? "h2" : "http/1.1"
            let expected = [first, "http/1.1", "h2"]
            #expect(server.requests.map(\.networkProtocol) == expected + expected)
            #expect(server.requests.map(\.connection) == [1, 2, 3, 1, 2, 3])
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test(arguments: Wire.allCases)
    func sharesAConnectionBetweenTheSessionAndTheSameOption(wire: Wire) async throws {
        try await wire.withHTTP2(configure: { $0.protocols = .http2 }) { server, session in
            try await session.get(server.url("/")).validate()
            try await session.get(server.url("/"), options: [HTTPProtocols.http2]).validate()
            #expect(server.acceptedConnections == 1)
        }
    }
}
