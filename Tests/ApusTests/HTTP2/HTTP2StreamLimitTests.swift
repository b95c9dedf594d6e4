import Apus
import ApusTestServer
import Foundation
import Testing

/// The number of concurrent requests on a connection stays within the limits of both sides. The server records a fault
/// if a client exceeds a limit that it has acknowledged.
@Suite(.timeLimit(.minutes(5))) struct HTTP2StreamLimitTests {
    /// Sends requests for `/0`, `/1` … at the same time, and checks that each gets its response.
    private static func send(_ count: Int, to server: HTTP2Server, _ session: Session) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    let response = try await session.get(server.url("/\(number)"))
                    #expect(try response.string() == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
    }

    private static let path: HTTP2Server.Responder = { stream in await stream.respond(stream.request.path) }

    /// Responds to `/first` at once, and to others when the gate is open.
    private static func holding(_ release: Gate) -> HTTP2Server.Responder {
        { stream in
            if stream.request.path != "/first" { await release.wait() }
            await stream.respond(stream.request.path)
        }
    }

    /// Each connection refuses the request, since it was sent before the limit of 0 was known.
    @Test(arguments: Wire.allCases)
    func endsIfTheServerAllowsNoStreams(wire: Wire) async throws {
        try await wire.withHTTP2(HTTP2Server.Options(settings: [.concurrentStreams(0)])) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            #expect(error?.code == .streamReset)
            #expect(server.requests.isEmpty)
            #expect(server.refusedCount == 4)
        }
    }

    @Test(arguments: Wire.allCases, [true, false])
    func opensASecondConnectionAtTheLimit(wire: Wire, isOwnLimit: Bool) async throws {
        let release = Gate()
        let settings: [HTTP2ServerSetting] = isOwnLimit ? [] : [.concurrentStreams(2)]
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: settings),
            configure: { if isOwnLimit { $0.http2.concurrentStreams = 2 } },
            responder: Self.holding(release)
        ) { server, session in
            // The limit of the server is known afterwards.
            try await session.get(server.url("/first")).validate()
            async let responses: Void = Self.send(4, to: server, session)
            await server.waitForRequests(atLeast: 5)
            #expect(server.requests.dropFirst().map(\.connection).sorted() == [1, 1, 2, 2])
            release.open()
            try await responses
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(arguments: Wire.allCases, [1, 3])
    func queuesRequestsIfNoConnectionIsAllowed(wire: Wire, limit: Int) async throws {
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.concurrentStreams(UInt32(limit))]),
            configure: { $0.pool.connectionsPerOrigin = 1 },
            responder: Self.path
        ) { server, session in
            try await session.get(server.url("/first")).validate()
            try await Self.send(30, to: server, session)
            #expect(server.acceptedConnections == 1)
            #expect(server.refusedCount == 0)
            #expect(server.requests.count == 31)
        }
    }

    /// Requests that are sent before SETTINGS arrive may exceed the limit. The server refuses them.
    @Test(arguments: Wire.allCases)
    func resendsRequestsThatExceedAnUnknownLimit(wire: Wire) async throws {
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.concurrentStreams(1)]),
            configure: { $0.pool.connectionsPerOrigin = 1 },
            responder: Self.path
        ) { server, session in
            try await Self.send(10, to: server, session)
            #expect(server.acceptedConnections == 1)
            #expect(server.requests.count == 10)
        }
    }

    /// Streams that are open continue. No other one begins until the number is below the new limit.
    @Test(arguments: Wire.allCases)
    func obeysALimitThatIsLowered(wire: Wire) async throws {
        let gates = [Gate(), Gate(), Gate()]
        try await wire.withHTTP2(
            configure: { $0.pool.connectionsPerOrigin = 1 },
            responder: { stream in
                let number = Int(stream.request.path.dropFirst()) ?? 0
                if gates.indices.contains(number) { await gates[number].wait() }
                await stream.respond(stream.request.path)
            }
        ) { server, session in
            async let responses: Void = Self.send(3, to: server, session)
            await server.waitForRequests(atLeast: 3)
            let connection = try #require(server.connections.first)
            connection.change([.concurrentStreams(1)])
            await server.wait { log in log.frames.count { $0.kind == .settings && $0.isAcknowledgement } == 2 }
            async let later = session.get(server.url("/4"))
            async let last = session.get(server.url("/5"))
            await Wire.yieldToOthers()
            for gate in gates { gate.open() }
            try await responses
            let texts = try await [later.string(), last.string()]
            #expect(texts == ["/4", "/5"])
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func usesALimitThatIsRaised(wire: Wire) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.concurrentStreams(1)]),
            configure: { $0.pool.connectionsPerOrigin = 1 },
            responder: Self.holding(release)
        ) { server, session in
            try await session.get(server.url("/first")).validate()
            async let responses: Void = Self.send(5, to: server, session)
            await server.waitForRequests(atLeast: 2)
            let connection = try #require(server.connections.first)
            connection.change([.concurrentStreams(10)])
            // All five are open at the same time.
            await server.waitForRequests(atLeast: 6)
            release.open()
            try await responses
            #expect(server.acceptedConnections == 1)
        }
    }
}
