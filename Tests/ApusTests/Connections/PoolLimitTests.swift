import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// The pool and the session reach their limits, never exceed them, and queue further requests.
@Suite struct PoolLimitTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    /// Each gated connection holds its first response until its gate opens and then responds at once. Connections
    /// without a gate always respond at once.
    private static func scripts(_ gates: [Gate]) -> [Script] {
        let gated = gates.map { gate -> Script in
            [.expectHead, .wait(gate), .send(okResponse), .loop([.expectHead, .send(okResponse)])]
        }
        return gated + [Script.responding(with: okResponse)]
    }

    /// Returns one of many host names of the server. Each is a separate origin.
    private func url(_ number: Int, of server: TestServer, _ wire: Wire) -> String {
        "\(wire == .tls ? "https" : "http")://origin\(number).test.localhost:\(server.port)/"
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func queuesTheNinthRequestToAnOrigin(wire: Wire) async throws {
        let gates = (0..<8).map { _ in Gate() }
        let monitor = ExchangeGate(count: 9)
        let configuration = wire.configured {
            $0.eventMonitors = [monitor]
            // Queued requests must not time out on a slow machine.
            $0.timeouts.poolWait = nil
        }
        try await wire.with(.scripts(Self.scripts(gates)), configuration: configuration) { server, session in
            let message = try RequestMessage(server.url("/"))
            let tasks = (0..<9).map { Form.allCases[$0 % 3].start(message, on: session) }
            await monitor.gate.wait()
            await server.waitForRequests(atLeast: 8)
            await Wire.yieldToOthers()
            #expect(server.acceptedConnections == 8)
            #expect(server.requestCount == 8)
            #expect(Set(server.requests.map(\.connection)) == Set(1...8))
            gates[2].open()
            await server.waitForRequests(atLeast: 9)
            #expect(server.requests.last?.connection == 3)
            for gate in gates { gate.open() }
            for task in tasks { #expect(await task.value.code == nil) }
            // No unneeded connection was opened.
            #expect(server.acceptedConnections == 8)
            #expect(server.requestCount == 9)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [1, 3])
    func limitsTheConnectionsOfAllOrigins(wire: Wire, limit: Int) async throws {
        let gates = (0...limit).map { _ in Gate() }
        let behavior = TestServer.Behavior.scripts(Self.scripts(gates))
        let server = try await TestServer.start(tls: wire.tls, behavior: behavior)
        let monitor = ExchangeGate(count: 10)
        let session = wire.session(resolver: ScriptedResolver()) {
            $0.pool.connectionsTotal = limit
            $0.timeouts.poolWait = nil
            $0.eventMonitors = [monitor]
        }
        let tasks = try (0..<10).map { number in
            let message = try RequestMessage(url(number, of: server, wire))
            return Form.allCases[number % 3].start(message, on: session)
        }
        await monitor.gate.wait()
        await server.waitForRequests(atLeast: limit)
        await Wire.yieldToOthers()
        #expect(server.acceptedConnections == limit)
        #expect(server.requestCount == limit)
        // When one request completes, its connection gives way to exactly one connection of another origin.
        gates[0].open()
        await server.waitForRequests(atLeast: limit + 1)
        await server.waitForOpenConnections(limit)
        await Wire.yieldToOthers()
        #expect(server.acceptedConnections == limit + 1)
        #expect(server.requestCount == limit + 1)
        for gate in gates { gate.open() }
        for task in tasks { #expect(await task.value.code == nil) }
        #expect(server.acceptedConnections == 10)
        #expect(Set(server.requests.compactMap { $0["Host"] }).count == 10)
        try await assertNothingLeft(session)
        await server.waitForOpenConnections(0)
        await server.stop()
    }

    /// Origins have no reserved share: one may get fewer connections than its limit when all are in use.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func reservesNoConnectionsForAnOrigin(wire: Wire) async throws {
        let gates = (0..<4).map { _ in Gate() }
        let behavior = TestServer.Behavior.scripts(Self.scripts(gates))
        let server = try await TestServer.start(tls: wire.tls, behavior: behavior)
        let monitor = ExchangeGate(count: 4)
        let session = wire.session(resolver: ScriptedResolver()) {
            $0.pool.connectionsTotal = 3
            $0.pool.connectionsPerOrigin = 2
            $0.timeouts.poolWait = nil
            $0.eventMonitors = [monitor]
        }
        let numbers = [0, 0, 1, 1]
        let tasks = try numbers.map { number in
            Form.direct.start(try RequestMessage(url(number, of: server, wire)), on: session)
        }
        await monitor.gate.wait()
        await server.waitForRequests(atLeast: 3)
        await Wire.yieldToOthers()
        #expect(server.acceptedConnections == 3)
        for gate in gates { gate.open() }
        for task in tasks { #expect(await task.value.code == nil) }
        #expect(server.requestCount == 4)
        try await assertNothingLeft(session)
        await server.stop()
    }

    /// A waiting origin gets a connection, however many requests wait at an origin that holds all connections.
    @Test(.timeLimit(.minutes(5)))
    func servesAWaitingOriginBesideABusyOne() async throws {
        let server = try await TestServer.start(behavior: .handler { _ in .text("hi") })
        let session = Wire.plain.session(resolver: ScriptedResolver()) {
            $0.pool.connectionsTotal = 2
            $0.timeouts.poolWait = nil
        }
        let busy = url(0, of: server, .plain)
        let other = url(1, of: server, .plain)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { while !Task.isCancelled { _ = try? await session.get(busy) } }
            }
            await server.waitForRequests(atLeast: 100)
            try await session.get(other).validate()
            group.cancelAll()
        }
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func queuesARequestAboveTheConcurrencyLimit(form: Form) async throws {
        let release = Gate()
        let behavior = TestServer.Behavior.handler { _ in
            await release.wait()
            return .text("hi")
        }
        let configuration = Wire.plain.configured { $0.timeouts.poolWait = nil }
        try await Wire.plain.with(behavior, configuration: configuration) { server, session in
            let message = try RequestMessage(server.url("/"))
            let tasks = (0..<257).map { _ in form.start(message, on: session) }
            while session.requestCounts.waiting == 0 { await Task.yield() }
            await server.waitForRequests(atLeast: 8)
            await Wire.yieldToOthers()
            let counts = session.requestCounts
            #expect(counts.inFlight == 256)
            #expect(counts.waiting == 1)
            release.open()
            for task in tasks { #expect(await task.value.code == nil) }
            #expect(server.requestCount == 257)
            #expect(server.acceptedConnections == 8)
        }
    }
}
