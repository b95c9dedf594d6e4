import Apus
import ApusCore
import ApusEngine
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// Prepared connections, the shutdown of a session and the limits of its pool, over HTTP/2.
@Suite(.timeLimit(.minutes(5))) struct HTTP2SessionTests {
    // MARK: Preparation

    /// One connection serves any number of requests, so no more are prepared.
    @Test(arguments: Wire.allCases, [1, 3])
    func preparesOneConnection(wire: Wire, count: Int) async throws {
        try await wire.withHTTP2 { server, session in
            #expect(try await session.prepare(server.url("/"), count: count) == 1)
            await server.wait { $0.acceptedCount >= 1 }
            #expect(server.requests.isEmpty)
            #expect(session.liveCounts["connections"] == 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        let response = try await session.get(server.url("/"))
                        let exchange = try #require(response.metrics.exchanges.first)
                        #expect(exchange.isReused)
                        #expect(exchange.connectBegin == nil && exchange.tlsBegin == nil)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await session.prepare(server.url("/other"), count: count) == 1)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The preface and SETTINGS are sent before the first request.
    @Test(arguments: Wire.allCases)
    func beginsAPreparedConnection(wire: Wire) async throws {
        try await wire.withHTTP2 { server, session in
            try await session.prepare(server.url("/"))
            await server.waitForFrame { $0.kind == .settings && $0.isAcknowledgement }
            #expect(server.faults == [])
            try await session.post(server.url("/"), body: .string("x")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: [["http/1.1"], []])
    func preparesSeveralConnectionsIfTheServerChoosesHTTP1(offered: [String]) async throws {
        var tls = TestTLS.localhost
        tls.applicationProtocols = offered
        try await TestServer.with(tls: tls) { server in
            let session = Session(configuration: Wire.tls.configuration)
            #expect(try await session.prepare(server.url("/"), count: 3) == 3)
            #expect(session.liveCounts["connections"] == 3)
            try await assertNothingLeft(session)
        }
    }

    // MARK: Shutdown

    /// Runs a test with three requests that the server has received and not answered.
    private func withRequestsInFlight(
        _ wire: Wire,
        _ form: Form,
        _ body: (HTTP2Server, Session, [Task<Result<Data, ApusError>, Never>], Gate) async throws -> Void
    ) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            responder: { stream in
                await release.wait()
                await stream.respond()
            }
        ) { server, session in
            let message = try RequestMessage(server.url("/"))
            let tasks = (0..<3).map { _ in form.start(message, on: session) }
            await server.waitForRequests(atLeast: 3)
            try await body(server, session, tasks, release)
        }
    }

    @Test(arguments: Wire.allCases, Form.allCases)
    func letsRequestsInFlightComplete(wire: Wire, form: Form) async throws {
        try await withRequestsInFlight(wire, form) { server, session, tasks, release in
            async let shutdown: Void = session.shutdown()
            // The session rejects new requests as soon as the shutdown has begun.
            var refusal: ApusError.Code?
            while refusal == nil {
                let probe = session.request("http://127.0.0.1:1/")
                refusal = await probe.serializingData().result.code
                if refusal == .connectFailed { refusal = nil }
            }
            #expect(refusal == .sessionShutDown)
            release.open()
            for task in tasks {
                let data = try await task.value.get()
                #expect(data == Data("hi".utf8))
            }
            await shutdown
            await server.waitForOpenConnections(0)
            #expect(server.frames.contains { $0.kind == .goAway && $0.code == .noError })
            #expect(!server.frames.contains { $0.kind == .reset })
        }
    }

    @Test(arguments: Wire.allCases, Form.allCases)
    func cancelsRequestsInFlightAtOnceWithoutAGracePeriod(wire: Wire, form: Form) async throws {
        try await withRequestsInFlight(wire, form) { server, session, tasks, _ in
            await session.shutdown(within: .zero)
            for task in tasks { #expect(await task.value.code == .sessionShutDown) }
            await server.waitForOpenConnections(0)
            #expect(server.frames.contains { $0.kind == .goAway })
        }
    }

    @Test(arguments: Wire.allCases)
    func endsAnUnreadStream(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                stream.head()
                while await stream.send([UInt8](repeating: 0, count: 16 << 10)) {}
            }
        ) { server, session in
            let response = try await session.stream(server.url("/"))
            await session.shutdown(within: .zero)
            let error = await #expect(throws: ApusError.self) {
                for try await _ in response.body {}
            }
            #expect(error?.code == .sessionShutDown)
            await server.waitForOpenConnections(0)
        }
    }

    // MARK: Pool

    @Test(arguments: Wire.allCases)
    func closesAConnectionAfterTheIdleTimeout(wire: Wire) async throws {
        try await wire.withHTTP2(configure: { $0.pool.idleTimeout = .milliseconds(50) }) { server, session in
            try await session.get(server.url("/")).validate()
            await server.waitForOpenConnections(0)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(arguments: Wire.allCases, [1, 2, 5])
    func closesAConnectionAfterItsLastUse(wire: Wire, uses: Int) async throws {
        try await wire.withHTTP2(configure: { $0.pool.usesPerConnection = uses }) { server, session in
            for _ in 0..<5 { try await session.get(server.url("/")).validate() }
            #expect(server.acceptedConnections == (5 + uses - 1) / uses)
            #expect(server.requests.count == 5)
        }
    }

    /// A connection finishes its streams although it is too old for another one.
    @Test(arguments: Wire.allCases)
    func doesNotReuseAConnectionAboveTheMaximumAge(wire: Wire) async throws {
        try await wire.withHTTP2(configure: { $0.pool.maximumAge = .zero }) { server, session in
            for _ in 0..<3 { try await session.get(server.url("/")).validate() }
            #expect(server.acceptedConnections == 3)
        }
    }
}
