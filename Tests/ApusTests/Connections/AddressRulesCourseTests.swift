import Apus
import ApusCore
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// The rules of addresses, against servers on the loopback interface.
@Suite(.timeLimit(.minutes(5))) struct AddressRulesCourseTests {
    /// Runs a test against a server that only the rules lead to: no host is looked up.
    private func with(
        _ wire: Wire,
        _ change: (inout AddressRules, TestServer) -> Void,
        _ body: (TestServer, Session) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        var configuration = wire.configuration
        configuration.resolver = NoHosts()
        change(&configuration.addresses, server)
        let session = Session(configuration: configuration)
        do {
            try await body(server, session)
            try await assertNothingLeft(session)
        } catch {
            await session.shutdown(within: .zero)
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func scheme(_ wire: Wire) -> String { wire == .tls ? "https" : "http" }

    @Test(arguments: Wire.allCases) func overridesAHost(wire: Wire) async throws {
        try await with(wire) { rules, server in
            rules.overrides["1.test.localhost:\(server.port)"] = [.loopback]
        } _: { server, session in
            let url = "\(scheme(wire))://1.test.localhost:\(server.port)/get"
            let response = try await session.get(url).validate()
            #expect(response.metrics.exchanges.first?.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(response.metrics.exchanges.first?.resolveBegin == nil)
            #expect(server.requests.first?["Host"] == "1.test.localhost:\(server.port)")
            // Another port of the same host has no override.
            let error = await failure { try await session.get("http://1.test.localhost:1/get") }
            #expect(error?.code == .hostNotFound)
        }
    }

    @Test(arguments: Wire.allCases) func connectsToAnotherHost(wire: Wire) async throws {
        try await with(wire) { rules, server in
            rules.overrides["1.test.localhost"] = .host("127.0.0.1", port: server.port)
        } _: { server, session in
            let response = try await session.get("\(scheme(wire))://1.test.localhost/get").validate()
            #expect(response.metrics.exchanges.first?.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(server.requests.first?["Host"] == "1.test.localhost")
        }
    }

    @Test func rejectsAnInvalidPort() async throws {
        try await with(.plain) { rules, _ in
            rules.overrides["a.test"] = .host("127.0.0.1", port: 65_536)
        } _: { _, session in
            #expect(await failure { try await session.get("http://a.test/") }?.code == .invalidConfiguration)
        }
    }

    @Test func givesRequestsWithOtherRulesTheirOwnConnections() async throws {
        let server = try await TestServer.start()
        var configuration = Wire.plain.configuration
        configuration.resolver = FixedHosts([.loopback])
        let session = Session(configuration: configuration)
        var rules = AddressRules()
        rules.family = .ipv4
        let url = "http://a.test:\(server.port)/get"
        for options in [[], [rules], [], [rules]] as [RequestOptions] {
            try await session.get(url, options: options).validate()
        }
        #expect(server.requests.map(\.connection) == [1, 2, 1, 2])
        // The default rules as an option are those of the session.
        try await session.get(url, options: [AddressRules()]).validate()
        #expect(server.requests.last?.connection == 1)
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test func usesAFamily() async throws {
        let server = try await TestServer.start()
        var configuration = Wire.plain.configuration
        configuration.resolver = FixedHosts([.ipv6Loopback, .loopback])
        configuration.addresses.family = .ipv4
        let session = Session(configuration: configuration)
        let url = "http://a.test:\(server.port)/get"
        let exchange = try await session.get(url).validate().metrics.exchanges.first
        #expect(exchange?.remoteAddress == "127.0.0.1:\(server.port)")
        var rules = AddressRules()
        rules.family = .ipv6
        let literal = await failure { try await session.get(server.url("/get"), options: [rules]) }
        #expect(literal?.code == .hostNotFound)
        #expect(literal?.detail.contains("has no IPv6 address") == true)
        try await assertNothingLeft(session)
        await server.stop()
    }

    #if os(Linux)
        /// All of 127.0.0.0/8 belongs to the loopback interface of Linux.
        @Test func rotatesTheAddresses() async throws {
            let server = try await TestServer.start(host: "0.0.0.0")
            var configuration = Wire.plain.configuration
            configuration.resolver = FixedHosts((1...3).map { IPAddress.v4(127, 0, 0, $0) })
            configuration.addresses.order = .rotating
            configuration.pool.usesPerConnection = 1
            let session = Session(configuration: configuration)
            var addresses: [String?] = []
            for _ in 1...5 {
                let response = try await session.get("http://a.test:\(server.port)/get").validate()
                addresses.append(response.metrics.exchanges.first?.remoteAddress)
            }
            let expected: [String?] = [1, 2, 3, 1, 2].map { "127.0.0.\($0):\(server.port)" }
            #expect(addresses == expected)
            try await assertNothingLeft(session)
            await server.stop()
        }

        @Test(arguments: Wire.allCases) func bindsTheLocalAddress(wire: Wire) async throws {
            try await with(wire) { rules, server in
                rules.overrides["localhost"] = [.loopback]
                rules.localAddress = .address(.v4(127, 0, 0, 9))
            } _: { server, session in
                try await session.get("\(scheme(wire))://localhost:\(server.port)/get").validate()
                #expect(server.requests.first?.remoteAddress == "127.0.0.9")
                let error = await failure { try await session.get("http://[::1]:\(server.port)/") }
                #expect(error?.code == .connectFailed)
                #expect(error?.detail.contains("family as the local address") == true)
            }
        }

        @Test func bindsTheAddressOfAnInterface() async throws {
            try await with(.plain) { rules, _ in
                rules.localAddress = .interface("lo")
            } _: { server, session in
                try await session.get(server.url("/get")).validate()
                #expect(server.requests.first?.remoteAddress == "127.0.0.1")
            }
        }
    #endif

    @Test func reportsAMissingInterface() async throws {
        try await with(.plain) { rules, _ in
            rules.localAddress = .interface("no-such-0")
        } _: { server, session in
            let error = await failure { try await session.get(server.url("/get")) }
            #expect(error?.code == .connectFailed)
            #expect(error?.detail.contains("'no-such-0' has no address") == true)
        }
    }

    @Test(arguments: Wire.allCases) func connectsToAUnixSocket(wire: Wire) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url("service").path(percentEncoded: false)
        let server = try await TestServer.start(unixSocket: path, tls: wire.tls)
        var configuration = wire.configuration
        configuration.resolver = NoHosts()
        configuration.addresses.unixSocket = path
        let session = Session(configuration: configuration)
        for number in 1...3 {
            let response = try await session.get("\(scheme(wire))://1.test.localhost/bytes/100000").validate()
            #expect(response.data.count == 100_000)
            #expect(response.metrics.exchanges.first?.remoteAddress == path)
            #expect(response.metrics.exchanges.first?.isReused == (number > 1))
        }
        #expect(server.requests.first?["Host"] == "1.test.localhost")
        if wire == .tls {
            let error = await failure { try await session.get("https://elsewhere.example/get") }
            #expect(error?.code == .certificateRejected)
        }
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test func reportsAUnixSocketWithoutAServer() async throws {
        let folder = try TemporaryFolder()
        var configuration = Wire.plain.configuration
        configuration.addresses.unixSocket = folder.url("missing").path(percentEncoded: false)
        let session = Session(configuration: configuration)
        #expect(await failure { try await session.get("http://a.test/") }?.code == .connectFailed)
        var rules = AddressRules()
        rules.unixSocket = "/" + String(repeating: "x", count: 103)
        let error = await failure { try await session.get("http://a.test/", options: [rules]) }
        #expect(error?.code == .invalidConfiguration)
        try await assertNothingLeft(session)
    }
}

/// A resolver that knows no host.
private struct NoHosts: HostResolving {
    func addresses(of host: String) async throws -> [IPAddress] {
        throw ApusError(.hostNotFound, "there is no '\(host)'")
    }
}
