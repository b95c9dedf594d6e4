import Apus
import ApusCore
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// Guards of sessions, against a server on the loopback interface that they refuse.
@Suite(.timeLimit(.minutes(5))) struct AddressGuardCourseTests {
    /// Runs a test with a server that no request may reach.
    private func with(
        _ wire: Wire,
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ body: (TestServer, Session) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        var configuration = wire.configuration
        configuration.addresses.guard = .publicOnly
        configure(&configuration)
        let session = Session(configuration: configuration)
        do {
            try await body(server, session)
            try await assertNothingLeft(session)
        } catch {
            await session.shutdown(within: .zero)
            await server.stop()
            throw error
        }
        #expect(server.acceptedConnections == 0)
        await server.stop()
    }

    @Test(arguments: Wire.allCases, Form.allCases) func refusesALoopbackAddress(wire: Wire, form: Form) async throws {
        try await with(wire) { server, session in
            let message = try RequestMessage("http://127.0.0.1:\(server.port)/")
            let error = await form.outcome(of: message, on: session).error
            #expect(error?.code == .addressRefused)
            #expect(error?.phase == .connect && error?.blame == .local && error?.isConnect == true)
            #expect(error?.detail == "127.0.0.1 is a loopback address")
            #expect(error?.hint == "change addresses.guard")
        }
    }

    @Test(arguments: [
        "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0x7f000001", "127.0.0.1.", "0.0.0.0", "0", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1]", "[fc00::1]", "[ff02::1]", "10.0.0.1", "172.16.0.1",
        "192.168.0.1", "169.254.169.254", "100.64.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255", "240.0.0.1",
        "168.63.129.16", "168.4161808", "[::ffff:168.63.129.16]", "[2001:4860::5efe:127.0.0.1]",
    ])
    func refusesEachNotation(host: String) async throws {
        try await with(.plain) { server, session in
            let error = await failure { try await session.get("http://\(host):\(server.port)/") }
            #expect(error?.code == .addressRefused, "\(error?.detail ?? "no error")")
            #expect(error?.detail.contains(" is ") == true)
        }
    }

    @Test func namesTheAddressesOfAHost() async throws {
        try await with(.plain) {
            $0.resolver = FixedHosts([.loopback, .ipv6Loopback, .v4(10, 0, 0, 1)])
        } _: { server, session in
            let error = await failure { try await session.get("http://internal.test:\(server.port)/") }
            #expect(error?.code == .addressRefused)
            #expect(
                error?.detail == "'internal.test' has no allowed address: 127.0.0.1 is a loopback address, "
                    + "::1 is a loopback address, 10.0.0.1 is a private address"
            )
        }
    }

    @Test func refusesTheSystemsNameOfTheMachine() async throws {
        try await with(.plain) { server, session in
            #expect(
                await failure { try await session.get("http://localhost:\(server.port)/") }?.code == .addressRefused
            )
        }
    }

    @Test func checksOverrides() async throws {
        try await with(.plain) {
            $0.addresses.overrides["a.test"] = [.loopback]
            $0.addresses.overrides["b.test"] = .host("0x7f.1")
        } _: { server, session in
            for host in ["a.test", "b.test"] {
                let error = await failure { try await session.get("http://\(host):\(server.port)/") }
                #expect(error?.code == .addressRefused)
            }
        }
    }

    /// Another process connects to the host, so only its notation can be checked.
    @Test func checksAddressesBeforeAUnixSocket() async throws {
        try await with(.plain) {
            $0.addresses.unixSocket = "/nonexistent/socket"
        } _: { _, session in
            #expect(await failure { try await session.get("http://127.1/") }?.code == .addressRefused)
            #expect(await failure { try await session.get("http://localhost/") }?.code == .connectFailed)
        }
    }

    @Test func isNotRetried() async throws {
        try await with(.plain) {
            $0.interceptor = RetryPolicy()
        } _: { server, session in
            let request = session.request("http://127.0.0.1:\(server.port)/")
            _ = await request.serializingData().response
            #expect(request.retryCount == 0)
            #expect(request.error?.code == .addressRefused)
        }
    }

    #if os(Linux)
        /// A guard for tests: 127.0.0.1 stands for the public addresses, and all others are internal.
        private static let onlyFirst = AddressGuard("only the first") { address, _ in address == .loopback }

        @Test func leavesOutRefusedAddresses() async throws {
            let server = try await TestServer.start(host: "0.0.0.0")
            var configuration = Wire.plain.configuration
            configuration.resolver = FixedHosts([.v4(127, 0, 0, 2), .v4(127, 0, 0, 3), .loopback])
            configuration.addresses.guard = Self.onlyFirst
            let session = Session(configuration: configuration)
            let response = try await session.get("http://a.test:\(server.port)/get").validate()
            #expect(response.metrics.exchanges.first?.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(server.acceptedConnections == 1)
            try await assertNothingLeft(session)
            await server.stop()
        }

        /// DNS rebinding: the second lookup of a host returns an internal address.
        @Test func refusesAReboundHost() async throws {
            let server = try await TestServer.start(host: "0.0.0.0")
            var configuration = Wire.plain.configuration
            configuration.resolver = RebindingHost()
            configuration.addresses.guard = Self.onlyFirst
            configuration.pool.usesPerConnection = 1
            let session = Session(configuration: configuration)
            let url = "http://a.test:\(server.port)/get"
            try await session.get(url).validate()
            let error = await failure { try await session.get(url) }
            #expect(error?.code == .addressRefused)
            #expect(error?.detail.contains("'only the first' does not allow 127.0.0.2") == true)
            #expect(server.acceptedConnections == 1)
            try await assertNothingLeft(session)
            await server.stop()
        }

        @Test(arguments: ["127.0.0.2", "127.2", "0x7f000002", "[::ffff:127.0.0.2]", "internal.test"])
        func refusesARedirect(host: String) async throws {
            let server = try await TestServer.start(host: "0.0.0.0")
            var configuration = Wire.plain.configuration
            configuration.resolver = FixedHosts([.v4(127, 0, 0, 2)])
            configuration.addresses.guard = Self.onlyFirst
            let session = Session(configuration: configuration)
            let target = "http://\(host):\(server.port)/get"
            let query = [URLQueryItem(name: "url", value: target)]
            let message = try RequestMessage("http://127.0.0.1:\(server.port)/redirect-to", query: query)
            let error = await failure { try await session.send(message) }
            #expect(error?.code == .addressRefused)
            #expect(server.requestCount == 1)
            try await assertNothingLeft(session)
            await server.stop()
        }

        @Test func isAnOptionOfARequest() async throws {
            let server = try await TestServer.start()
            let session = Session(configuration: Wire.plain.configuration)
            var rules = AddressRules()
            rules.guard = .publicOnly
            // An open connection without a guard is not used.
            try await session.get(server.url("/get")).validate()
            let error = await failure { try await session.get(server.url("/get"), options: [rules]) }
            #expect(error?.code == .addressRefused)
            #expect(server.requestCount == 1)
            try await assertNothingLeft(session)
            await server.stop()
        }
    #endif
}

#if os(Linux)
    /// Returns 127.0.0.1 for the first lookup, and 127.0.0.2 for all others.
    private struct RebindingHost: HostResolving {
        private let calls = LockedValue(0)

        func addresses(of host: String) async throws -> [IPAddress] {
            [.v4(127, 0, 0, calls.increased(by: 1) == 1 ? 1 : 2)]
        }
    }
#endif
