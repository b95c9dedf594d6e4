import Apus
import ApusTestServer
import Foundation
import Testing

@Suite struct SilenceTests {
    /// Scripts that stop sending at different points.
    static let scripts: [Script] = [
        [.expectHead, .silence],
        [.expectHead, .send("HTTP/1.1 200 O"), .silence],
        [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .silence],
        [.expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), .silence],
        [.expectHead, .send("HTTP/1.1 200 OK\r\n\r\nuntil close"), .silence],
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, 0..<scripts.count)
    func endsInAReadTimeout(wire: Wire, number: Int) async throws {
        let outcome = try await wire.outcome(of: Self.scripts[number]) { $0.timeouts.idleRead = .milliseconds(150) }
        #expect(outcome.code == .readTimeout)
        #expect(outcome.error?.phase == .receive)
        #expect(outcome.error?.isTimeout == true)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotTimeOutOnASlowServer(wire: Wire) async throws {
        let dripping: [Step] = (0..<8).flatMap { _ in [Step.pause(.milliseconds(250)), .send("x")] }
        let script = Script(
            steps: [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")] + dripping + [.silence]
        )
        let outcome = try await wire.outcome(of: script) { $0.timeouts.idleRead = .milliseconds(1_500) }
        #expect(try outcome.get().data.count == 8)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func endsASlowBodyAtTheRequestDeadline(wire: Wire) async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .loop([.send("1\r\nx\r\n"), .pause(.milliseconds(20))]),
        ]
        let outcome = try await wire.outcome(of: script) { $0.timeouts.request = .seconds(1) }
        #expect(outcome.code == .deadlineExceeded)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func endsASlowStreamAtTheRequestDeadline(wire: Wire) async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .loop([.send("1\r\nx\r\n"), .pause(.milliseconds(20))]),
        ]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.streamWithShortDeadline(server.url("/"), shortest: .milliseconds(200))
            let error = await #expect(throws: ApusError.self) {
                for try await _ in response.body {}
            }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func endsAStalledHandshakeInATLSTimeout() async throws {
        var tls = TestTLS.localhost
        tls.handshakeStalls = true
        let server = try await TestServer.start(tls: tls)
        var configuration = Wire.tls.configuration
        configuration.timeouts.tls = .milliseconds(150)
        let session = Session(configuration: configuration)
        let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
        #expect(error?.code == .tlsTimeout)
        #expect(error?.isConnect == true)
        await session.shutdown()
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func endsAnAbortedHandshakeInATLSError() async throws {
        var tls = TestTLS.localhost
        tls.handshakeCloses = true
        let server = try await TestServer.start(tls: tls)
        let session = Session(configuration: Wire.tls.configuration)
        let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
        #expect(error?.code == .tlsFailed)
        await session.shutdown()
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func endsWaitingForAConnectionInAPoolTimeout(wire: Wire) async throws {
        let release = Gate()
        let isBusy = Gate()
        let script: Script = [
            .expectHead, .signal(isBusy), .wait(release), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            .silence,
        ]
        try await wire.with(
            .script(script),
            configure: { $0.pool.connectionsPerOrigin = 1 }
        ) { server, session in
            async let first = session.get(server.url("/"))
            await isBusy.wait()
            let options: RequestOptions = [RequestTimeouts(poolWait: .milliseconds(150))]
            let error = await #expect(throws: ApusError.self) {
                try await session.get(server.url("/"), options: options)
            }
            #expect(error?.code == .poolTimeout)
            #expect(error?.phase == .queue)
            release.open()
            let response = try await first
            #expect(try response.string() == "hi")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func keepsTheTimeoutsOfTheSessionThatARequestDoesNotSet(wire: Wire) async throws {
        try await wire.with(
            .script([.expectHead, .silence]),
            configure: { $0.timeouts.idleRead = .milliseconds(200) }
        ) { server, session in
            let options: RequestOptions = [RequestTimeouts(poolWait: .seconds(60))]
            let error = await #expect(throws: ApusError.self) {
                try await session.get(server.url("/"), options: options)
            }
            #expect(error?.code == .readTimeout)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func endsAStalledUploadInAWriteTimeout(wire: Wire) async throws {
        let outcome = try await wire.outcome(
            of: [.expectHead, .stopReading, .silence],
            method: .post,
            body: .bytes(Data(count: 64 << 20))
        ) { $0.timeouts.idleWrite = .milliseconds(200) }
        #expect(outcome.code == .writeTimeout)
    }
}
