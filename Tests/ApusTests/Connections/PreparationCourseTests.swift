import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import Testing

/// Connections that a session opens in advance, against a server.
@Suite(.timeLimit(.minutes(5))) struct PreparationCourseTests {
    @Test(arguments: Wire.allCases, [1, 3])
    func serveTheNextRequests(wire: Wire, count: Int) async throws {
        try await wire.with { server, session in
            #expect(try await session.prepare(server.url("/"), count: count) == count)
            await server.waitForAcceptedConnections(atLeast: count)
            #expect(server.requestCount == 0)
            for _ in 0..<2 {
                let exchange = try #require(try await session.get(server.url("/get")).metrics.exchanges.first)
                #expect(exchange.isReused)
                #expect(exchange.connectBegin == nil && exchange.tlsBegin == nil)
                #expect(exchange.tlsVersion == nil || wire == .tls)
            }
            #expect(server.acceptedConnections == count)
            #expect(session.liveCounts["connections"] == count)
            // They are ready already.
            #expect(try await session.prepare(server.url("/other"), count: count) == count)
            #expect(server.acceptedConnections == count)
        }
    }

    @Test(arguments: Wire.allCases)
    func serveRequestsThatAreSentAtOnce(wire: Wire) async throws {
        try await wire.with { server, session in
            try await session.prepare(server.url("/"), count: 4)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await session.get(server.url("/get")).validate() } }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections <= 4)
            #expect(server.requestCount == 4)
        }
    }

    @Test(arguments: Wire.allCases)
    func staysWithinTheLimits(wire: Wire) async throws {
        try await wire.with(configure: { $0.pool.connectionsPerOrigin = 2 }) { server, session in
            let counts = [
                try await session.prepare(server.url("/"), count: .max),
                try await session.prepare(server.url("/"), count: 0),
            ]
            #expect(counts == [2, 2])
        }
        try await wire.with(configure: { $0.pool.connectionsTotal = 3 }) { server, session in
            let count = try await session.prepare(server.url("/"), count: 100)
            #expect(count == 3)
            #expect(session.liveCounts["connections"] == 3)
        }
    }

    @Test func opensNothingForACountOfZero() async throws {
        try await Wire.plain.with { server, session in
            #expect(try await session.prepare(server.url("/"), count: 0) == 0)
            #expect(session.liveCounts["connections"] == nil)
            try await session.get(server.url("/get")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func failsIfTheOriginRefusesConnections() async throws {
        let server = try await TestServer.start()
        let url = server.url("/")
        await server.stop()
        let session = Session()
        let error = await #expect(throws: ApusError.self) { try await session.prepare(url, count: 3) }
        #expect(error?.code == .connectFailed)
        #expect(error?.url == url)
        #expect(session.liveCounts["connections"] == nil)
        try await assertNothingLeft(session)
    }

    /// The certificate is checked as for a request.
    @Test func failsIfTheCertificateIsNotTrusted() async throws {
        try await TestServer.with(tls: .localhost) { server in
            let session = Session()
            let error = await #expect(throws: ApusError.self) { try await session.prepare(server.url("/")) }
            #expect(error?.code == .certificateRejected)
            try await assertNothingLeft(session)
        }
    }

    // MARK: Shutdown and cancellation

    @Test(arguments: Wire.allCases)
    func endsWithTheSession(wire: Wire) async throws {
        let gate = Gate()
        let resolver = ScriptedResolver(after: gate)
        let server = try await TestServer.start(tls: wire.tls)
        let session = wire.session(resolver: resolver)
        let url = wire.named(server)
        let preparation = Task { await Self.outcome(of: url, on: session) }
        await resolver.hasBegun.wait()
        await session.shutdown()
        #expect(await preparation.value.code == .sessionShutDown)
        gate.open()
        try await assertNothingLeft(session)
        #expect(server.acceptedConnections == 0)
        await server.stop()
    }

    @Test(arguments: Wire.allCases)
    func goesOnWhenItsCallerIsCancelled(wire: Wire) async throws {
        let gate = Gate()
        let resolver = ScriptedResolver(after: gate)
        let server = try await TestServer.start(tls: wire.tls)
        let session = wire.session(resolver: resolver)
        let url = wire.named(server)
        let preparation = Task { await Self.outcome(of: url, on: session) }
        await resolver.hasBegun.wait()
        preparation.cancel()
        #expect(await preparation.value.code == .cancelled)
        gate.open()
        // The next one waits for the attempt that was begun.
        #expect(try await session.prepare(url) == 1)
        try await session.get(url).validate()
        #expect(server.acceptedConnections == 1)
        try await assertNothingLeft(session)
        await server.waitForOpenConnections(0)
        await server.stop()
    }

    private static func outcome(of url: String, on session: Session) async -> Result<Int, ApusError> {
        do throws(ApusError) {
            return .success(try await session.prepare(url))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Uses

    @Test(arguments: Wire.allCases, [1, 2, 5])
    func closesAConnectionAfterItsLastUse(wire: Wire, uses: Int) async throws {
        try await wire.with(configure: { $0.pool.usesPerConnection = uses }) { server, session in
            // A prepared connection has not been used yet.
            try await session.prepare(server.url("/"))
            for _ in 0..<5 { try await session.get(server.url("/get")).validate() }
            #expect(server.acceptedConnections == (5 + uses - 1) / uses)
            #expect(server.requestCount == 5)
        }
    }
}
