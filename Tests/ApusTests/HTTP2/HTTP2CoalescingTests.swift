import Apus
import ApusCore
import ApusEngine
import ApusTestServer
import ApusTesting
import Foundation
import NIOCore
import NIOPosix
import Testing

/// Several origins share a connection whose server has a certificate for all of them.
@Suite(.timeLimit(.minutes(5))) struct HTTP2CoalescingTests {
    /// The hosts that the server's certificate names. They are on different event loops.
    private static let hosts = ["localhost"] + (0..<8).map { "\($0).test.localhost" }

    /// Runs a test against a server that all hosts resolve to, and checks that nothing is left.
    private func withServer(
        _ options: HTTP2Server.Options = HTTP2Server.Options(),
        loopCount: Int = 1,
        resolver: any HostResolver = ScriptedResolver(),
        configure: (inout Session.Configuration) -> Void = { _ in },
        responder: @escaping HTTP2Server.Responder = HTTP2Server.ok,
        _ body: (HTTP2Server, Session) async throws -> Void
    ) async throws {
        let server = try await HTTP2Server.start(tls: .localhost, options: options, responder: responder)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loopCount)
        var configuration = Wire.tls.configuration
        configure(&configuration)
        let counters = LiveCounters()
        let engine = SocketTransport(
            configuration: configuration,
            counters: counters,
            group: group,
            resolver: resolver
        )
        let session = Session(configuration: configuration, transport: engine, counters: counters)
        do {
            try await body(server, session)
            try await assertNothingLeft(session)
            await server.waitForOpenConnections(0)
        } catch {
            await session.shutdown(within: .zero)
            await server.stop()
            try? await group.shutdownGracefully()
            throw error
        }
        #expect(server.faults == [])
        await server.stop()
        try await group.shutdownGracefully()
    }

    private func url(_ host: String, _ server: HTTP2Server, _ path: String = "/") throws -> String {
        let port = try #require(server.authority.split(separator: ":").last)
        return "https://\(host):\(port)\(path)"
    }

    // MARK: Coalescing

    @Test(arguments: [1, 4])
    func sharesAConnection(loopCount: Int) async throws {
        try await withServer(loopCount: loopCount) { server, session in
            for round in 0..<2 {
                for (index, host) in Self.hosts.enumerated() {
                    let response = try await session.get(url(host, server))
                    let exchange = try #require(response.metrics.exchanges.first)
                    #expect(exchange.connectionNumber == 1)
                    #expect(exchange.isReused == (round + index > 0))
                    #expect(exchange.resendCount == 0)
                    #expect(server.requests.last?.authority.hasPrefix(host + ":") == true)
                }
            }
            #expect(server.acceptedConnections == 1)
            #expect(session.liveCounts["connections"] == 1)
        }
    }

    /// Requests that wait for the lookup of their host are served too, in any number, and so are cancelled ones.
    @Test(arguments: [1, 4], [1, 256])
    func servesConcurrentRequests(loopCount: Int, connectionsTotal: Int) async throws {
        try await withServer(
            loopCount: loopCount,
            configure: { $0.pool.connectionsTotal = connectionsTotal },
            responder: HTTP2Server.echo
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<200 {
                    let host = Self.hosts[index % Self.hosts.count]
                    let url = try url(host, server)
                    if index.isMultiple(of: 5) {
                        let request = session.request(url)
                        request.resume()
                        request.cancel()
                        group.addTask { _ = await request.serializingData().result }
                    } else {
                        group.addTask {
                            let response = try await session.post(url, body: .string("\(index)"))
                            #expect(try response.string() == "\(index)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    /// A cancelled request ends, even if it has moved to the loop of the connection.
    @Test func cancelsARequestOnAnotherLoop() async throws {
        try await withServer(
            loopCount: 4,
            responder: { stream in
                if stream.request.path == "/" { return await stream.respond() }
                _ = await stream.resetCode()
            }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            for host in Self.hosts {
                let task = Form.direct.start(try RequestMessage(url(host, server, "/\(host)")), on: session)
                _ = try await server.stream(for: "/\(host)")
                task.cancel()
                #expect(await task.value.code == .cancelled)
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Connections of an origin's own

    @Test(arguments: [1, 4])
    func opensAConnectionIfCoalescingIsOff(loopCount: Int) async throws {
        try await withServer(
            loopCount: loopCount,
            configure: { $0.http2.coalescesConnections = false }
        ) { server, session in
            for host in Self.hosts { try await session.get(url(host, server)).validate() }
            #expect(server.acceptedConnections == Self.hosts.count)
        }
    }

    /// Without verified names, a server could answer for any host.
    @Test(arguments: [ServerTrust.Verification.chainOnly, .none])
    func opensAConnectionWithoutVerifiedNames(verification: ServerTrust.Verification) async throws {
        try await withServer(configure: { $0.trust.verification = verification }) { server, session in
            for host in Self.hosts { try await session.get(url(host, server)).validate() }
            #expect(server.acceptedConnections == Self.hosts.count)
        }
    }

    @Test func sharesNoConnectionWithAHostThatTheCertificateDoesNotName() async throws {
        try await withServer { server, session in
            try await session.get(url("localhost", server)).validate()
            let error = await #expect(throws: ApusError.self) {
                try await session.get(url("elsewhere.example", server))
            }
            #expect(error?.code == .certificateRejected)
            #expect(server.requests.count == 1)
        }
    }

    @Test func sharesNoConnectionWithAHostAtAnotherAddress() async throws {
        // No server listens at the second address.
        try await withServer(resolver: HostsByName()) { server, session in
            try await session.get(url("localhost", server)).validate()
            let error = await #expect(throws: ApusError.self) {
                try await session.get(url("far.test.localhost", server))
            }
            #expect(error?.code == .connectFailed)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func opensAConnectionIfTheCoalescedOneHasNoFreeSlot() async throws {
        let release = Gate()
        var options = HTTP2Server.Options()
        options.settings = [.concurrentStreams(1)]
        try await withServer(
            options,
            responder: { stream in
                if stream.request.path == "/slow" { await release.wait() }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            let slow = Form.direct.start(try RequestMessage(url("localhost", server, "/slow")), on: session)
            _ = try await server.stream(for: "/slow")
            for host in ["1.test.localhost", "1.test.localhost", "2.test.localhost"] {
                try await session.get(url(host, server)).validate()
            }
            release.open()
            _ = try await slow.value.get()
            // The one of 1.test.localhost has a slot for 2.test.localhost.
            #expect(server.acceptedConnections == 2)
        }
    }

    /// A request that waits because its origin may open no connection gets the next slot of the coalesced one.
    @Test func servesWaitersWhenTheCoalescedConnectionHasAFreeSlotAgain() async throws {
        let (first, second) = (Gate(), Gate())
        var options = HTTP2Server.Options()
        options.settings = [.concurrentStreams(1)]
        try await withServer(
            options,
            configure: { $0.pool.connectionsPerOrigin = 1 },
            responder: { stream in
                if stream.request.path == "/first" { await first.wait() }
                if stream.request.path == "/second" { await second.wait() }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            try await session.get(url("1.test.localhost", server)).validate()
            let one = Form.direct.start(try RequestMessage(url("localhost", server, "/first")), on: session)
            _ = try await server.stream(for: "/first")
            // It opens the only connection of its origin, and keeps it busy.
            let two = Form.direct.start(try RequestMessage(url("1.test.localhost", server, "/second")), on: session)
            _ = try await server.stream(for: "/second")
            let three = Form.direct.start(try RequestMessage(url("1.test.localhost", server, "/third")), on: session)
            first.open()
            _ = try await one.value.get()
            _ = try await three.value.get()
            second.open()
            _ = try await two.value.get()
            #expect(server.requests.map(\.connection) == [1, 1, 1, 2, 1])
        }
    }

    /// The same if the server allows more streams.
    @Test func servesWaitersWhenTheCoalescedConnectionAllowsMoreStreams() async throws {
        let release = Gate()
        var options = HTTP2Server.Options()
        options.settings = [.concurrentStreams(1)]
        try await withServer(
            options,
            configure: { $0.pool.connectionsPerOrigin = 1 },
            responder: { stream in
                if stream.request.path.hasPrefix("/slow") { await release.wait() }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            try await session.get(url("1.test.localhost", server)).validate()
            let one = Form.direct.start(try RequestMessage(url("localhost", server, "/slow")), on: session)
            _ = try await server.stream(for: "/slow")
            let two = Form.direct.start(try RequestMessage(url("1.test.localhost", server, "/slower")), on: session)
            _ = try await server.stream(for: "/slower")
            let three = Form.direct.start(try RequestMessage(url("1.test.localhost", server, "/third")), on: session)
            try #require(server.connections.first).change([.concurrentStreams(10)])
            _ = try await three.value.get()
            release.open()
            _ = try await one.value.get()
            _ = try await two.value.get()
            #expect(server.requests.map(\.connection) == [1, 1, 1, 2, 1])
        }
    }

    /// A request that needs a new connection does not keep others from the coalesced one.
    @Test func sharesAConnectionWhileARequestNeedsANewOne() async throws {
        let (first, again) = (Gate(), Gate())
        var options = HTTP2Server.Options()
        options.settings = [.concurrentStreams(1)]
        try await withServer(
            options,
            responder: { stream in
                if stream.request.path == "/slow" { await first.wait() }
                if stream.request.path == "/dead" {
                    if stream.request.connection == 2 { return await stream.connection.close() }
                    await again.wait()
                }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            try await session.get(url("1.test.localhost", server)).validate()
            let slow = Form.direct.start(try RequestMessage(url("localhost", server, "/slow")), on: session)
            _ = try await server.stream(for: "/slow")
            try await session.get(url("1.test.localhost", server)).validate()
            first.open()
            _ = try await slow.value.get()
            let dead = Form.direct.start(try RequestMessage(url("1.test.localhost", server, "/dead")), on: session)
            for _ in 0..<3 { try await session.get(url("1.test.localhost", server)).validate() }
            again.open()
            _ = try await dead.value.get()
        }
    }

    /// An origin that meets the full connection again and again is notified once of its end.
    @Test func looksForACoalescedConnectionAgainWhileItHasNoFreeSlot() async throws {
        let release = Gate()
        var options = HTTP2Server.Options()
        options.settings = [.concurrentStreams(1)]
        try await withServer(
            options,
            configure: { $0.pool.usesPerConnection = 3 },
            responder: { stream in
                if stream.request.path == "/slow" { await release.wait() }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            try await session.get(url("1.test.localhost", server)).validate()
            let slow = Form.direct.start(try RequestMessage(url("localhost", server, "/slow")), on: session)
            _ = try await server.stream(for: "/slow")
            for _ in 0..<10 { try await session.get(url("1.test.localhost", server)).validate() }
            release.open()
            _ = try await slow.value.get()
            #expect(server.acceptedConnections == 5)
        }
    }

    /// A request whose connection was dead gets a new one, and not another of the same age.
    @Test func opensAConnectionForARequestWhoseConnectionWasDead() async throws {
        try await withServer(
            responder: { stream in
                guard stream.request.path == "/dead" else { return await stream.respond() }
                if stream.request.connection == 1 { return await stream.connection.close() }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            // A second connection with the same certificate and address.
            try await session.prepare(url("1.test.localhost", server))
            let response = try await session.get(url("localhost", server, "/dead"))
            #expect(response.metrics.exchanges.map(\.resendCount) == [1])
            #expect(server.requests.map(\.connection) == [1, 1, 3])
        }
    }

    @Test func opensAConnectionAfterTheCoalescedOneHasClosed() async throws {
        try await withServer { server, session in
            try await session.get(url("localhost", server)).validate()
            try await session.get(url("1.test.localhost", server)).validate()
            for connection in server.connections { await connection.close() }
            await server.waitForOpenConnections(0)
            try await session.get(url("1.test.localhost", server)).validate()
            try await session.get(url("localhost", server)).validate()
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func opensAConnectionAfterGOAWAY() async throws {
        try await withServer { server, session in
            try await session.get(url("localhost", server)).validate()
            let first = try #require(server.connections.first)
            first.goAway()
            await server.waitForOpenConnections(0)
            try await session.get(url("1.test.localhost", server)).validate()
            #expect(server.requests.map(\.connection) == [1, 2])
        }
    }

    // MARK: The limit of connections

    /// Sharing needs no permit, and a host is looked up once, even if its requests move to the loop of the connection.
    @Test(arguments: [1, 4], [1, 256])
    func looksUpEachHostOnce(loopCount: Int, connectionsTotal: Int) async throws {
        let resolver = HostsByName()
        try await withServer(
            loopCount: loopCount,
            resolver: resolver,
            configure: { $0.pool.connectionsTotal = connectionsTotal }
        ) { server, session in
            for host in Self.hosts {
                let response = try await session.get(url(host, server))
                #expect(response.metrics.exchanges.map(\.connectionNumber) == [1])
            }
            #expect(Self.hosts.map { resolver.lookupCount(of: $0) } == Self.hosts.map { _ in 1 })
            #expect(server.acceptedConnections == 1)
        }
    }

    /// An origin that finds no connection to share gets the place of an idle one.
    @Test(arguments: [1, 4])
    func waitsForAPermitIfItFindsNoConnectionToShare(loopCount: Int) async throws {
        try await withServer(
            loopCount: loopCount,
            resolver: HostsByName(),
            configure: { $0.pool.connectionsTotal = 1 }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            // No server listens at its address.
            let error = await #expect(throws: ApusError.self) {
                try await session.get(url("far.test.localhost", server))
            }
            #expect(error?.code == .connectFailed)
            try await session.get(url("localhost", server)).validate()
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func closesNoConnectionForAHostThatDoesNotExist() async throws {
        try await withServer(
            resolver: HostsByName(),
            configure: { $0.pool.connectionsTotal = 1 }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            let error = await #expect(throws: ApusError.self) {
                try await session.get(url("gone.test.localhost", server))
            }
            #expect(error?.code == .hostNotFound)
            try await session.get(url("localhost", server)).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    /// A lookup for a cancelled request takes no permit from others, and nothing of it is left.
    @Test func leavesThePermitToOthersDuringALookup() async throws {
        let resolver = HostsByName()
        try await withServer(
            resolver: resolver,
            configure: { $0.pool.connectionsTotal = 1 }
        ) { server, session in
            try await session.get(url("localhost", server)).validate()
            let slow = Form.direct.start(try RequestMessage(url("slow.test.localhost", server)), on: session)
            await resolver.slowHasBegun.wait()
            slow.cancel()
            #expect(await slow.value.code == .cancelled)
            for connection in server.connections { await connection.close() }
            await server.waitForOpenConnections(0)
            try await session.get(url("localhost", server)).validate()
            resolver.slowMayEnd.open()
            #expect(server.acceptedConnections == 2)
        }
    }

    // MARK: 421

    /// Refuses requests to hosts below test.localhost on the first connection.
    private static let misdirects: HTTP2Server.Responder = { stream in
        let body = await stream.body()
        let isMisdirected = stream.request.connection == 1 && !stream.request.authority.hasPrefix("localhost")
        await stream.respond(bytes: body, status: isMisdirected ? 421 : 200)
    }

    @Test(arguments: [1, 4])
    func sendsAMisdirectedRequestAgainOnAConnectionOfItsOwn(loopCount: Int) async throws {
        try await withServer(loopCount: loopCount, responder: Self.misdirects) { server, session in
            try await session.get(url("localhost", server)).validate()
            for round in 0..<3 {
                let response = try await session.post(url("1.test.localhost", server), body: .string("once"))
                #expect(response.status == .ok)
                #expect(try response.string() == "once")
                #expect(response.metrics.exchanges.map(\.resendCount) == [round == 0 ? 1 : 0])
                #expect(response.metrics.exchanges.map(\.connectionNumber) != [1])
            }
            #expect(server.requests.map(\.connection) == [1, 1, 2, 2, 2])
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func deliversA421OfItsOwnConnection() async throws {
        try await withServer(responder: { await $0.respond(status: 421) }) { server, session in
            let response = try await session.get(url("1.test.localhost", server))
            #expect(response.status.code == 421)
            #expect(server.requests.count == 1)
        }
    }

    @Test func deliversA421IfTheBodyCannotBeSentAgain() async throws {
        try await withServer(responder: Self.misdirects) { server, session in
            try await session.get(url("localhost", server)).validate()
            let body = RequestBody.once(
                AsyncStream<BodyChunk> { stream in
                    stream.yield(BodyChunk("once"))
                    stream.finish()
                }
            )
            let response = try await session.post(url("1.test.localhost", server), body: body)
            #expect(response.status.code == 421)
            #expect(server.requests.count == 2)
            // The next request gets a connection of its own.
            let next = try await session.post(url("1.test.localhost", server), body: .string("twice"))
            #expect(next.status == .ok)
            #expect(server.requests.map(\.connection) == [1, 1, 2])
        }
    }

    // MARK: Preparation

    /// A caller that prepares a connection wants one of the origin's own.
    @Test func preparesAConnectionOfItsOwn() async throws {
        try await withServer { server, session in
            try await session.get(url("localhost", server)).validate()
            #expect(try await session.prepare(url("1.test.localhost", server)) == 1)
            try await session.get(url("1.test.localhost", server)).validate()
            #expect(server.requests.map(\.connection) == [1, 2])
        }
    }
}
