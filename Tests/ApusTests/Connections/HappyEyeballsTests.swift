import Apus
import ApusEngine
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// The client races the addresses of a host, so an unreachable address costs little time.
@Suite struct HappyEyeballsTests {
    private static let good = IPAddress.loopback
    /// An address without a listener: the test server binds only 127.0.0.1.
    private static let refusing = IPAddress.v4(127, 0, 0, 2)
    private static let refusingIPv6 = IPAddress.ipv6Loopback

    @Test(
        .timeLimit(.minutes(5)),
        arguments: Wire.allCases,
        [[refusing, good], [refusingIPv6, good], [refusingIPv6, refusing, good], [good, refusing]]
    )
    func skipsAnUnreachableAddress(wire: Wire, addresses: [IPAddress]) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        let session = wire.session(resolver: ScriptedResolver(addresses))
        let response = try await session.get(wire.named(server)).validate()
        let exchange = try #require(response.metrics.exchanges.first)
        #expect(exchange.remoteAddress == "127.0.0.1:\(server.port)")
        #expect(exchange.resolveBegin != nil)
        #expect(server.acceptedConnections == 1)
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func namesEveryAddressInTheError(wire: Wire) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        let session = wire.session(resolver: ScriptedResolver([Self.refusing, Self.refusingIPv6]))
        let error = await #expect(throws: ApusError.self) { try await session.get(wire.named(server)) }
        #expect(error?.code == .connectFailed)
        #expect(error?.detail.contains("127.0.0.2:\(server.port)") == true)
        #expect(error?.detail.contains("[::1]:\(server.port)") == true)
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func reportsAHostWithoutAddressesAsNotFound(wire: Wire) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        let session = wire.session(resolver: ScriptedResolver([]))
        let error = await #expect(throws: ApusError.self) { try await session.get(wire.named(server)) }
        #expect(error?.code == .hostNotFound)
        #expect(error?.phase == .resolve)
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func timesOutWhenTheNameServerIsSilent() async throws {
        let server = try await TestServer.start()
        let gate = Gate()
        let session = Wire.plain.session(resolver: ScriptedResolver(after: gate)) {
            $0.timeouts.connect = .milliseconds(100)
        }
        let error = await #expect(throws: ApusError.self) { try await session.get(Wire.plain.named(server)) }
        #expect(error?.code == .connectTimeout)
        #expect(server.acceptedConnections == 0)
        gate.open()
        try await assertNothingLeft(session)
        await server.stop()
    }

    /// RFC 8305 §5: the client tries the next address after 250 ms without a response, well before any timeout.
    @Test(.enabled(if: SilentAddress.isPossible), .timeLimit(.minutes(5)), arguments: Wire.allCases)
    func triesTheNextAddressAfter250Milliseconds(wire: Wire) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        let silent = try #require(SilentAddress(port: server.port))
        let session = wire.session(resolver: ScriptedResolver([Self.refusing, Self.good]))
        let exchange = try #require(try await session.get(wire.named(server)).validate().metrics.exchanges.first)
        let duration = try #require(exchange.connectBegin).duration(to: try #require(exchange.connectEnd))
        #expect(duration >= .milliseconds(250))
        #expect(exchange.remoteAddress == "127.0.0.1:\(server.port)")
        #expect(server.acceptedConnections == 1)
        try await assertNothingLeft(session)
        await server.stop()
        withExtendedLifetime(silent) {}
    }

    @Test(.enabled(if: SilentAddress.isPossible), .timeLimit(.minutes(5)), arguments: Form.allCases)
    func timesOutWhenAllAddressesAreSilent(form: Form) async throws {
        let server = try await TestServer.start()
        let silent = try #require(SilentAddress(port: server.port))
        let session = Wire.plain.session(resolver: ScriptedResolver([Self.refusing])) {
            $0.timeouts.connect = .seconds(2)
        }
        let error = await form.outcome(of: try RequestMessage(Wire.plain.named(server)), on: session).error
        #expect(error?.code == .connectTimeout)
        #expect(error?.phase == .connect)
        #expect(error?.detail.contains("no address responded") == true)
        try await assertNothingLeft(session)
        await server.stop()
        withExtendedLifetime(silent) {}
    }

    @Test(.timeLimit(.minutes(5)))
    func sharesConnectionAttemptsBetweenRequests() async throws {
        let server = try await TestServer.start()
        let gate = Gate()
        let session = Wire.plain.session(resolver: ScriptedResolver(after: gate)) { $0.pool.connectionsPerOrigin = 2 }
        let message = try RequestMessage(Wire.plain.named(server))
        let tasks = (0..<20).map { Form.allCases[$0 % 3].start(message, on: session) }
        gate.open()
        for task in tasks { #expect(await task.value.error == nil) }
        #expect(server.acceptedConnections <= 2)
        try await assertNothingLeft(session)
        await server.stop()
    }
}
