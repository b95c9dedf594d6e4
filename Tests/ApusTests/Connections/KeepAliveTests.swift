import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

@Suite struct KeepAliveTests {
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func reusesOneConnectionForSuccessiveRequests(wire: Wire) async throws {
        try await wire.with { server, session in
            for _ in 0..<10 { try await session.get(server.url("/get")).validate() }
            #expect(server.acceptedConnections == 1)
            let exchange = try #require(try await session.get(server.url("/get")).metrics.exchanges.first)
            #expect(exchange.isReused)
            #expect(exchange.connectBegin == nil)
        }
    }

    static let closing = [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nConnection: keep-alive, CLOSE\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, closing)
    func doesNotReuseAClosingConnection(wire: Wire, responseText: String) async throws {
        try await wire.with(.script(.responding(with: responseText))) { server, session in
            for _ in 0..<3 {
                let response = try await session.get(server.url("/"))
                #expect(try response.string() == "hi")
            }
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func neverTreatsLateBytesAsTheNextResponse(wire: Wire) async throws {
        let isIdle = Gate()
        let isSent = Gate()
        let first: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .wait(isIdle),
            .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"), .signal(isSent), .silence,
        ]
        try await wire.with(.scripts([first, .responding(with: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal")])) {
            server,
            session in
            _ = try await session.get(server.url("/"))
            isIdle.open()
            await isSent.wait()
            await server.waitForOpenConnections(0)
            #expect(try await session.get(server.url("/")).string() == "real")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func resendsARequestWhenAReusedConnectionDies(wire: Wire) async throws {
        let dying: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .expectHead, .close,
        ]
        try await wire.with(.scripts([dying, .responding(with: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nback")])) {
            server,
            session in
            _ = try await session.get(server.url("/"))
            let response = try await session.get(server.url("/"))
            #expect(try response.string() == "back")
            #expect(response.metrics.exchanges.first?.resendCount == 1)
            #expect(server.acceptedConnections == 2)
        }
    }

    /// Other idle connections may be dead too, and a request is resent only once, so it needs a new connection.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func resendsARequestOnANewConnection(wire: Wire) async throws {
        let areOpen = Gate()
        let dying: Script = [
            .expectHead, .wait(areOpen), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .expectHead, .close,
        ]
        let back = Script.responding(with: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nback")
        try await wire.with(.scripts([dying, dying, back])) { server, session in
            async let first = session.get(server.url("/"))
            async let second = session.get(server.url("/"))
            await server.waitForRequests(atLeast: 2)
            areOpen.open()
            _ = try await (first, second)
            #expect(try await session.get(server.url("/")).string() == "back")
            #expect(server.acceptedConnections == 3)
        }
    }

    /// The wait for the second connection has its own timeout.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func resendsARequestHoweverLateItsConnectionDies(wire: Wire) async throws {
        let dying: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .expectHead,
            .pause(.milliseconds(5500)), .close,
        ]
        let scripts = [dying, .responding(with: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nback")]
        try await wire.with(.scripts(scripts), configure: { $0.timeouts.poolWait = .seconds(5) }) { server, session in
            _ = try await session.get(server.url("/"))
            #expect(try await session.get(server.url("/")).string() == "back")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotResendAWrittenPOST(wire: Wire) async throws {
        let dying: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .expectHead, .expectBody, .close,
        ]
        try await wire.with(.script(dying)) { server, session in
            _ = try await session.get(server.url("/"))
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/"), body: .string("once"))
            }
            #expect(error?.code == .connectionClosed)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotResendOnANewConnectionThatClosesAtOnce(wire: Wire) async throws {
        try await wire.with(.script([.expectHead, .close])) { server, session in
            await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func expectsNoBodyInAResponseToHEAD(wire: Wire) async throws {
        let script = Script.responding(with: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        try await wire.with(.script(script)) { server, session in
            for _ in 0..<3 {
                let response = try await session.head(server.url("/"))
                #expect(response.data.isEmpty)
                #expect(response.fields[.contentLength] == "5")
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func opensNoMoreConnectionsThanAllowed(wire: Wire) async throws {
        try await wire.with(configure: { $0.pool.connectionsPerOrigin = 3 }) { server, session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 {
                    group.addTask { try await session.get(server.url("/get")).validate() }
                }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections <= 3)
            #expect(server.requestCount == 60)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func closesAnIdleConnectionOfAnotherOriginIfNeeded() async throws {
        let first = try await TestServer.start()
        let second = try await TestServer.start()
        var configuration = Session.Configuration()
        configuration.pool.connectionsTotal = 1
        let session = Session(configuration: configuration)
        for _ in 0..<3 {
            try await session.get(first.url("/get")).validate()
            try await session.get(second.url("/get")).validate()
        }
        #expect(first.acceptedConnections == 3)
        #expect(second.acceptedConnections == 3)
        await session.shutdown()
        await first.stop()
        await second.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func closesAConnectionAfterTheIdleTimeout() async throws {
        try await Wire.plain.with(configure: { $0.pool.idleTimeout = .milliseconds(50) }) { server, session in
            try await session.get(server.url("/get")).validate()
            await server.waitForOpenConnections(0)
            try await session.get(server.url("/get")).validate()
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func doesNotReuseAConnectionAboveTheMaximumAge() async throws {
        try await Wire.plain.with(configure: { $0.pool.maximumAge = .zero }) { server, session in
            for _ in 0..<3 { try await session.get(server.url("/get")).validate() }
            #expect(server.acceptedConnections == 3)
        }
    }
}
