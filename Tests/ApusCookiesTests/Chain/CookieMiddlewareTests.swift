internal import Apus
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCookies

/// The middleware, in the whole chain.
@Suite(.timeLimit(.minutes(5))) struct CookieMiddlewareTests {
    private let clock = ManualClock(wallClock: Date(timeIntervalSince1970: 1_700_000_000))

    private func session(
        _ configure: (inout Session.Configuration) -> Void = { _ in },
        _ handler: @escaping MockTransport.Handler
    ) -> (session: Session, transport: MockTransport) {
        let transport = MockTransport(handler)
        var configuration = Session.Configuration()
        configuration.time = clock
        configure(&configuration)
        return (Session(configuration: configuration, transport: transport), transport)
    }

    private static func reply(
        _ status: HTTPResponse.Status = .ok,
        to location: String? = nil,
        _ cookies: String...
    ) -> MockResponse {
        var response = MockResponse(status: status)
        response.fields[.location] = location
        for cookie in cookies { response.fields.append(HTTPField(name: .setCookie, value: cookie)) }
        return response
    }

    /// The cookie fields of each request.
    private func sent(_ transport: MockTransport) -> [[String]] {
        transport.requests.map { request in request.fields[fields: .cookie].map(\.value) }
    }

    /// Parity: AF-cookies-storage
    @Test func sendsStoredCookiesBack() async throws {
        let (session, transport) = session { request in
            request.target.path == "/login"
                ? Self.reply(.ok, "sid=1; Path=/", "theme=dark, or light; Path=/", "bad=1; Domain=org") : Self.reply()
        }
        _ = try await session.get("https://example.org/login")
        _ = try await session.get("https://example.org/a")
        _ = try await session.get("https://other.example/a")
        #expect(sent(transport) == [[], ["sid=1; theme=dark, or light"], []])
        #expect(session.cookies?.cookies.map(\.name) == ["sid", "theme"])
    }

    /// Parity: AF-cookies-redirect
    @Test(arguments: [301, 302, 303, 307, 308])
    func storesTheCookiesOfEachRedirect(status: Int) async throws {
        let (session, transport) = session { request in
            switch request.target.path {
            case "/one": Self.reply(.init(code: status), to: "/two", "a=1; Path=/")
            case "/two": Self.reply(.init(code: status), to: "/three", "b=2; Path=/", "a=; Max-Age=0; Path=/")
            case "/three":
                Self.reply(
                    .init(code: status),
                    to: "https://www.example.org/",
                    "c=3; Path=/",
                    "d=4; Domain=example.org; Path=/"
                )
            default: Self.reply(.ok, to: nil, "e=5")
            }
        }
        _ = try await session.get("https://example.org/one")
        // The field of one exchange is never copied to the next, which would send `a` and `b`.
        #expect(sent(transport) == [[], ["a=1"], ["b=2"], ["d=4"]])
        #expect(session.cookies?.cookies.map(\.name) == ["b", "c", "d", "e"])
    }

    /// Parity: AF-redirect-privacy, AF-cookies-redirect
    @Test func sendsNoCookiesOfOtherHostsOnRedirects() async throws {
        let (session, transport) = session { request in
            switch (request.target.origin.host, request.target.path) {
            case ("one.example", "/"): Self.reply(.found, to: "https://two.example/", "one=1")
            case ("two.example", _): Self.reply(.found, to: "https://one.example/back", "two=2")
            default: Self.reply()
            }
        }
        _ = try await session.get("https://one.example/", fields: [.cookie: "own=0"])
        #expect(sent(transport) == [["own=0"], [], ["one=1"]])
    }

    @Test func prefersTheCookieFieldOfTheRequest() async throws {
        let (session, transport) = session { _ in Self.reply() }
        for name in ["a", "b", "c"] {
            try session.cookies?.set(Cookie(name: name, value: "jar", domain: "example.org"))
        }
        _ = try await session.get("https://example.org/", fields: [.cookie: "z=own;b=own ;x"])
        var several: HTTPFields = [:]
        several.append(HTTPField(name: .cookie, value: "a=own"))
        several.append(HTTPField(name: .cookie, value: "c=own"))
        _ = try await session.get("https://example.org/", fields: RequestFields(several))
        _ = try await session.get("https://other.example/", fields: [.cookie: "a=own"])
        _ = try await session.get("https://example.org/", fields: [.cookie: ""])
        #expect(
            sent(transport) == [
                ["z=own;b=own ;x; a=jar; c=jar"], ["a=own; c=own; b=jar"], ["a=own"], ["a=jar; b=jar; c=jar"],
            ]
        )
    }

    /// Parity: AF-cookies-off
    @Test func appliesTheCookieHandlingOfARequest() async throws {
        let (session, transport) = session { _ in Self.reply(.ok, to: nil, "b=2") }
        try session.cookies?.set(Cookie(name: "a", value: "1", domain: "example.org"))
        let url = "https://example.org/"
        _ = try await session.get(url, options: [CookieHandling.off])
        _ = try await session.get(url, fields: [.cookie: "own=1"], options: [CookieHandling.off])
        #expect(session.cookies?.cookies.map(\.name) == ["a"])
        let other = CookieJar(time: clock)
        _ = try await session.get(url, options: [CookieHandling.jar(other)])
        _ = try await session.get(url, options: [CookieHandling.jar(other)])
        _ = try await session.get(url, options: [CookieHandling.automatic])
        #expect(sent(transport) == [[], ["own=1"], [], ["b=2"], ["a=1"]])
        #expect(session.cookies?.cookies.map(\.name) == ["a", "b"])
    }

    /// Parity: AF-cookies-off
    @Test func canBeDisabledForASession() async throws {
        let (session, transport) = session({ $0.cookies = .off }, { _ in Self.reply(.ok, to: nil, "a=1") })
        #expect(session.cookies == nil)
        _ = try await session.get("https://example.org/")
        _ = try await session.get("https://example.org/")
        let jar = CookieJar(time: clock)
        _ = try await session.get("https://example.org/", options: [CookieHandling.jar(jar)])
        #expect(sent(transport) == [[], [], []])
        #expect(jar.cookies.count == 1)
    }

    /// Parity: AF-session-configuration, AF-cookies-storage
    @Test func givesEachSessionItsOwnJar() async throws {
        let configuration = Session.Configuration()
        let sessions = (0..<2).map { _ in
            Session(configuration: configuration, transport: MockTransport { _ in Self.reply() })
        }
        let jars = sessions.compactMap(\.cookies)
        #expect(jars.count == 2)
        #expect(jars[0] !== jars[1])
        let shared = CookieJar()
        var sharing = configuration
        sharing.cookies = .jar(shared)
        let (one, other) = (
            Session(configuration: sharing, transport: MockTransport { _ in Self.reply() }),
            Session(configuration: sharing, transport: MockTransport { _ in Self.reply() })
        )
        #expect(one.cookies === shared)
        #expect(other.cookies === shared)
    }

    @Test func usesTheClockOfItsSession() async throws {
        let (session, transport) = session { _ in Self.reply(.ok, to: nil, "a=1; Max-Age=60") }
        _ = try await session.get("https://example.org/")
        clock.advance(by: .seconds(59))
        _ = try await session.get("https://example.org/")
        clock.advance(by: .seconds(60))
        _ = try await session.get("https://example.org/", options: [RequestDeadline(.seconds(1))])
        #expect(sent(transport) == [[], ["a=1"], []])
    }

    @Test func ignoresCookiesOfInformationalResponses() async throws {
        let (session, _) = session { _ in
            var response = Self.reply(.ok, to: nil, "final=1")
            response.informational = [HTTPResponse(status: .init(code: 103), headerFields: [.setCookie: "early=1"])]
            return response
        }
        _ = try await session.get("https://example.org/")
        #expect(session.cookies?.cookies.map(\.name) == ["final"])
    }

    @Test func storesCookiesOfFailedResponses() async throws {
        let (session, _) = session { _ in Self.reply(.unauthorized, to: nil, "a=1") }
        _ = try await session.get("https://example.org/")
        let request = session.request("https://example.org/").validate()
        #expect(await request.serializingData().response.error != nil)
        #expect(session.cookies?.cookies.map(\.name) == ["a"])
    }

    /// Parity: AF-cookies-policy
    @Test(arguments: [HandlerExecution.concurrent, .eventLoop])
    func appliesThePolicyToEachCookie(handlerExecution: HandlerExecution) async throws {
        let jar = CookieJar(
            policy: .filtered { cookie, target in cookie.name != "ad" && target.path == "/" },
            time: clock
        )
        let (session, _) = session(
            {
                $0.cookies = .jar(jar)
                $0.handlerExecution = handlerExecution
            },
            { _ in Self.reply(.ok, to: nil, "sid=1", "ad=1") }
        )
        _ = try await session.get("https://example.org/")
        #expect(jar.cookies.map(\.name) == ["sid"])
    }

    // MARK: This machine

    private static let proxy = ProxyServer(host: "proxy.example", port: 3128)

    static let selections: [(ProxySelection, Bool)] = [
        (ProxySelection.none, true), (.environment, true), (.server(proxy), false),
        (.server(proxy, except: "localhost"), true), (.servers(http: nil, https: proxy), true),
        // A rule may have another answer when it is asked for the connection.
        (.rule { _ in nil }, false),
    ]

    @Test(arguments: selections)
    func sendsSecureCookiesToThisMachineOnlyWithoutAProxy(selection: ProxySelection, isSent: Bool) async throws {
        let (session, transport) = session({ $0.proxy = selection }, { _ in Self.reply() })
        try session.cookies?.set(Cookie(name: "a", value: "1", domain: "localhost", isSecure: true))
        try session.cookies?.set(Cookie(name: "b", value: "1", domain: "localhost"))
        _ = try await session.get("http://localhost:8080/")
        _ = try await session.get("http://localhost:8080/", fields: [.cookie: "own=0"])
        let cookies = isSent ? "a=1; b=1" : "b=1"
        #expect(sent(transport) == [[cookies], ["own=0; \(cookies)"]])
    }

    /// A field that was written for a request without a proxy is not sent with one.
    @Test func considersTheProxyOfEachRequest() async throws {
        let (session, transport) = session({ $0.proxy = .none }, { _ in Self.reply(.ok, to: nil, "a=1; Secure") })
        let url = "http://127.0.0.1:8080/"
        let proxied: RequestOptions = [ProxySelection.server(Self.proxy)]
        _ = try await session.get(url, options: proxied)
        #expect(session.cookies?.cookies.isEmpty == true)
        _ = try await session.get(url)
        _ = try await session.get(url)
        _ = try await session.get(url, options: proxied)
        _ = try await session.get(url)
        #expect(sent(transport) == [[], [], ["a=1"], [], ["a=1"]])
    }

    @Test func considersTheDestinationOfEachRequest() async throws {
        let (session, transport) = session({ $0.proxy = .none }, { _ in Self.reply() })
        try session.cookies?.set(Cookie(name: "a", value: "1", domain: "localhost", isSecure: true))
        var elsewhere = AddressRules()
        elsewhere.overrides["localhost"] = [.v4(192, 0, 2, 7)]
        var socket = AddressRules()
        socket.unixSocket = "/run/service"
        _ = try await session.get("http://localhost/", options: [elsewhere])
        // A Unix socket goes before a proxy.
        _ = try await session.get("http://localhost/", options: [socket, ProxySelection.server(Self.proxy)])
        #expect(sent(transport) == [[], ["a=1"]])
    }

    @Test func revealsNoCookieValues() async throws {
        let monitor = RecordingEventMonitor()
        let (session, _) = session({ $0.eventMonitors = [monitor] }, { _ in Self.reply(.ok, to: nil, "sid=sEcReT") })
        _ = try await session.get("https://example.org/")
        let request = session.request("https://example.org/")
        _ = await request.serializingData().response
        #expect(!"\(monitor.events) \(request) \(session.configuration)".contains("sEcReT"))
    }
}
