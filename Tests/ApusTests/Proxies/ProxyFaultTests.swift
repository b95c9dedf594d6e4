import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import Testing

/// Proxies that fail at each stage.
@Suite(.timeLimit(.minutes(5))) struct ProxyFaultTests {
    /// Sends one request through a proxy, and returns the error.
    private func error(
        _ options: TestProxy.Options,
        user: String? = nil,
        configure: (inout Session.Configuration) -> Void = { _ in }
    ) async throws -> ApusError? {
        try await Wire.tls.withProxy(
            options,
            selecting: { .server(try $0.server(user: user)) },
            configure: configure
        ) { server, _, session in
            do throws(ApusError) {
                _ = try await session.get(Wire.tls.named(server))
                return nil
            } catch {
                return error
            }
        }
    }

    private func options(
        _ kind: ProxyServer.Kind,
        _ stage: TestProxy.Stage,
        _ answer: TestProxy.Answer
    ) -> TestProxy.Options {
        TestProxy.Options.of(kind).changed { options in
            if stage == .authentication { options.user = ("ada", "secret") }
            options.answer = { $0 == stage ? answer : .send($1) }
        }
    }

    private static let stages: [(ProxyServer.Kind, TestProxy.Stage)] = [
        (.http, .tunnel), (.https, .tunnel), (.socks5h, .method), (.socks5h, .authentication), (.socks5h, .reply),
    ]

    private static func isSOCKS(_ kind: ProxyServer.Kind) -> Bool { kind == .socks5h }

    @Test(arguments: stages)
    func limitsTheTimeOfAProxy(kind: ProxyServer.Kind, stage: TestProxy.Stage) async throws {
        let error = try await error(options(kind, stage, .silence), user: "ada") {
            $0.timeouts.proxy = .milliseconds(150)
        }
        #expect(error?.code == .proxyTimeout)
        #expect(error?.phase == .proxy)
        #expect(error?.isTimeout == true)
        #expect(error?.isConnect == true)
        #expect(error?.hint == "raise timeouts.proxy of the session")
        #expect(error?.detail.contains("127.0.0.1") == true || error?.detail.contains("https://localhost") == true)
    }

    /// The proxy closes the connection at once, or inside of its response.
    @Test(arguments: stages, [[], [5], Array("HTTP/1.1 20".utf8)] as [[UInt8]])
    func reportsAClosedConnection(stage: (ProxyServer.Kind, TestProxy.Stage), bytes: [UInt8]) async throws {
        // Only the beginning of a response of its own protocol.
        guard bytes.isEmpty || Self.isSOCKS(stage.0) == (bytes == [5]) else { return }
        let error = try await error(options(stage.0, stage.1, .close(after: bytes)), user: "ada")
        #expect(error?.code == .proxyConnectFailed)
        #expect(error?.description.contains("/get could not open a tunnel through the proxy") == true)
    }

    @Test(
        arguments: [
            (.http, .tunnel, "SSH-2.0-OpenSSH_9.6\r\n"), (.http, .tunnel, "\u{5}\u{0}\r\n\r\n"),
            (.socks5h, .method, "HTTP/1.1 400 Bad Request\r\n\r\n"), (.socks5h, .reply, "\u{5}\u{0}\u{0}\u{7}"),
        ] as [(ProxyServer.Kind, TestProxy.Stage, String)]
    )
    func reportsAnotherProtocol(kind: ProxyServer.Kind, stage: TestProxy.Stage, text: String) async throws {
        let error = try await error(options(kind, stage, .stop(after: Array(text.utf8))))
        #expect(error?.code == .proxyConnectFailed)
        guard kind == .http else { return }
        #expect(error?.detail.hasSuffix("did not answer CONNECT with a status line of HTTP/1.1") == true)
        #expect(error?.hint == "check the scheme and the port of the proxy")
    }

    @Test func limitsTheResponse() async throws {
        let head = Array("HTTP/1.1 200 OK\r\n".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        let error = try await error(options(.http, .tunnel, .stop(after: head)))
        #expect(error?.code == .proxyConnectFailed)
        #expect(error?.detail.contains("sent no valid response to CONNECT: ") == true)
        #expect(error?.detail.hasSuffix(" bytes") == true)
    }

    @Test func describesARefusal() async throws {
        let text =
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 59\r\n\r\n"
            + "Not allowed.\npassword: hunter2hunter2\u{1B}[31m and some more..."
        let error = try await error(options(.http, .tunnel, .stop(after: Array(text.utf8))))
        #expect(error?.code == .proxyRefused)
        #expect(error?.responseCode == 403)
        #expect(error?.detail.contains("403 Forbidden") == true)
        #expect(error?.detail.contains("Not allowed.") == true)
        #expect(error?.detail.contains("hunter2") == false)
        #expect(error?.detail.contains("\u{1B}") == false)
    }

    /// The head is enough to report a refusal whose body never ends.
    @Test func describesARefusalWithoutItsBody() async throws {
        let text = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\nbusy"
        let error = try await error(options(.http, .tunnel, .stop(after: Array(text.utf8)))) {
            $0.timeouts.proxy = .milliseconds(150)
        }
        #expect(error?.code == .proxyRefused)
        #expect(error?.detail.contains("503") == true)
    }

    @Test(arguments: [UInt8(2), 5, 99])
    func describesTheReplyOfSOCKS(code: UInt8) async throws {
        let error = try await error(options(.socks5h, .reply, .stop(after: [5, code, 0, 1, 0, 0, 0, 0, 0, 0])))
        #expect(error?.code == .proxyRefused)
        #expect(error?.detail.contains("code \(code)") == true)
    }

    @Test(arguments: stages)
    func readsResponsesOfOneByteEach(kind: ProxyServer.Kind, stage: TestProxy.Stage) async throws {
        let options = TestProxy.Options.of(kind).changed { options in
            if stage == .authentication { options.user = ("ada", "secret") }
            options.answer = { .drip($1) }
        }
        #expect(try await error(options, user: "ada") == nil)
    }

    @Test func skipsTheLengthOfAResponseThatOpensATunnel() async throws {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        #expect(try await error(options(.http, .tunnel, .send(Array(text.utf8)))) == nil)
    }

    // MARK: The connection to the proxy

    @Test(arguments: Wire.allCases)
    func namesAProxyThatCannotBeReached(wire: Wire) async throws {
        let proxy = try await TestProxy.start()
        await proxy.stop()
        try await wire.with(configure: { $0.proxy = .server(ProxyServer(host: "127.0.0.1", port: proxy.port)) }) {
            server,
            session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/get")) }
            #expect(error?.code == .connectFailed)
            #expect(error?.detail.hasSuffix("through the proxy http://127.0.0.1:\(proxy.port)") == true)
            #expect(error?.url == server.url("/get"))
        }
    }

    @Test(arguments: Wire.allCases)
    func checksTheCertificateOfAProxy(wire: Wire) async throws {
        let options = TestProxy.Options().changed { $0.tls = .wrongHost }
        try await wire.withProxy(options) { server, proxy, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(wire.named(server)) }
            #expect(error?.code == .certificateRejected)
            let certificate = "the certificate of the proxy \(proxy.url)"
            #expect(error?.detail == "\(certificate) is not valid for localhost, but for elsewhere.example")
            #expect(error?.description.contains("/get rejected the proxy's certificate: ") == true)
            #expect(error?.underlying as? CertificateRejection == .wrongHost(names: ["elsewhere.example"]))
            #expect(proxy.requests.isEmpty)
        }
    }

    @Test func checksTheCertificateOfTheOrigin() async throws {
        let server = try await TestServer.start(tls: .wrongHost)
        let proxy = try await TestProxy.start(.of(.https))
        let selection = ProxySelection.server(try proxy.server())
        let session = Session(configuration: Wire.tls.configured { $0.proxy = selection })
        let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
        #expect(error?.code == .certificateRejected)
        #expect(error?.description.contains("/ rejected the server's certificate: it is not valid for ") == true)
        #expect(error?.detail.hasSuffix("through the proxy \(proxy.url)") == true)
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
        try await assertNothingLeft(session)
        await proxy.stop()
        await server.stop()
    }

    @Test func reportsAnInvalidVariable() async throws {
        let environment = ProxyEnvironment { $0 == "https_proxy" ? "ftp://ada:secret@proxy.example" : nil }
        let session = Session(configuration: Wire.tls.configured { $0.proxy = .environment(environment) })
        let error = await #expect(throws: ApusError.self) { try await session.get("https://a.example/") }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains("https_proxy") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
        try await assertNothingLeft(session)
    }
}
