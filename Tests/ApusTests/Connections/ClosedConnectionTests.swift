import Apus
import ApusTestServer
import Foundation
import Testing

@Suite struct ClosedConnectionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let script: Script
        let code: ApusError.Code

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "before the head", script: [.expectHead, .close], code: .connectionClosed),
        Case(name: "before the head, reset", script: [.expectHead, .reset], code: .connectionClosed),
        Case(
            name: "inside the status line",
            script: [.expectHead, .send("HTTP/1.1 2"), .close],
            code: .connectionClosed
        ),
        Case(
            name: "inside the fields",
            script: [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Le"), .close],
            code: .connectionClosed
        ),
        Case(
            name: "after the head",
            script: [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), .close],
            code: .connectionClosed
        ),
        Case(
            name: "inside a body with length",
            script: [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .close],
            code: .connectionClosed
        ),
        Case(
            name: "inside a body with length, reset",
            script: [
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .pause(.milliseconds(20)),
                .reset,
            ],
            code: .connectionClosed
        ),
        Case(
            name: "inside a chunk",
            script: [.expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), .close],
            code: .connectionClosed
        ),
        Case(
            name: "between chunks",
            script: [
                .expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .close,
            ],
            code: .connectionClosed
        ),
        Case(
            name: "inside the trailers",
            script: [.expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n"), .close],
            code: .connectionClosed
        ),
    ]

    /// Parity: AF-stage-transport
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, cases)
    func failsInThePhaseReceive(wire: Wire, fault: Case) async throws {
        let outcome = try await wire.outcome(of: fault.script)
        #expect(outcome.code == fault.code)
        #expect(outcome.error?.phase == .receive)
        #expect(outcome.error?.url != nil)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func acceptsABodyThatEndsWithTheConnection(wire: Wire) async throws {
        let script: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\n\r\nhello"), .close]
        let outcome = try await wire.outcome(of: script)
        #expect(try outcome.get().data == Data("hello".utf8))
    }

    @Test(.timeLimit(.minutes(5)))
    func rejectsABodyUntilCloseWithoutCloseNotify() async throws {
        let script: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\n\r\nhello"), .abruptClose]
        let error = try #require(try await Wire.tls.outcome(of: script).error)
        #expect(error.code == .connectionClosed)
        #expect(
            error.detail == "the server closed the connection without the end of TLS (close_notify), "
                + "so the body may be incomplete"
        )
        #expect(!error.debugDescription.contains("uncleanShutdown"))
    }

    @Test(.timeLimit(.minutes(5)))
    func acceptsACompleteBodyWithoutCloseNotify() async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"), .abruptClose,
        ]
        let outcome = try await Wire.tls.outcome(of: script)
        #expect(try outcome.get().data == Data("hello".utf8))
    }

    @Test(.timeLimit(.minutes(5)))
    func reportsARefusedConnection() async throws {
        let server = try await TestServer.start()
        let url = server.url("/")
        await server.stop()
        let session = Session()
        let error = await #expect(throws: ApusError.self) { try await session.get(url) }
        #expect(error?.code == .connectFailed)
        #expect(error?.description.contains("Connection refused") == true)
        await session.shutdown()
    }
}
