import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// The timeouts of a long upload are based on progress at the socket.
@Suite struct SendingProgressTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    /// More bytes than the buffers of both sides can hold.
    private static let long = RequestBody.bytes(Data(count: 24 << 20))

    /// A slow connection, on which the send buffer stays full for many times the timeout.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotTimeOutWhileASlowPeerReads(wire: Wire) async throws {
        let slowReads = (0..<16).flatMap { _ in [Step.expectBytes(128 << 10), .pause(.milliseconds(300))] }
        let script = Script(
            steps: [.expectHead] + slowReads + [.expectBytes((24 << 20) - 16 * (128 << 10)), .send(Self.okResponse)]
        )
        let outcome = try await wire.outcome(of: script, method: .post, body: Self.long) {
            $0.timeouts.idleWrite = .milliseconds(1_500)
            $0.timeouts.idleRead = .milliseconds(1_500)
        }
        #expect(outcome.code == nil)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func readsAResponseWhileTheServerDoesNotRead(wire: Wire) async throws {
        let pieces = (0..<8).flatMap { _ in [Step.pause(.milliseconds(250)), .send("1\r\nx\r\n")] }
        let head = Step.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        let script = Script(steps: [.expectHead, .stopReading, head] + pieces + [.send("0\r\n\r\n"), .silence])
        let outcome = try await wire.outcome(of: script, method: .post, body: Self.long) {
            $0.timeouts.idleWrite = .seconds(1)
            $0.timeouts.idleRead = .seconds(1)
        }
        #expect(try outcome.get().string() == "xxxxxxxx")
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func timesOutWritingToASilentPeer(wire: Wire) async throws {
        let outcome = try await wire.outcome(of: [.expectHead, .stopReading, .silence], method: .post, body: Self.long)
        {
            $0.timeouts.idleWrite = .milliseconds(300)
            $0.timeouts.idleRead = nil
        }
        #expect(outcome.code == .writeTimeout)
        #expect(outcome.error?.description.contains("the server accepted no data") == true)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [nil, 2_000_000])
    func timesOutWritingFromASilentSource(wire: Wire, length: Int64?) async throws {
        let (stream, source) = AsyncStream.makeStream(of: BodyChunk.self)
        source.yield(BodyChunk(Data(count: 100_000)))
        let outcome = try await wire.outcome(
            of: [.expectHead, .expectBody, .send(Self.okResponse)],
            method: .post,
            body: .once(length: length, stream)
        ) { $0.timeouts.idleWrite = .milliseconds(300) }
        #expect(outcome.code == .writeTimeout)
        #expect(outcome.error?.description.contains("the request body provided no data") == true)
        source.finish()
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func timesOutReadingAfterTheBodyIsSent(wire: Wire) async throws {
        let outcome = try await wire.outcome(
            of: [.expectHead, .expectBytes(24 << 20), .silence],
            method: .post,
            body: Self.long
        ) { $0.timeouts.idleRead = .milliseconds(300) }
        #expect(outcome.code == .readTimeout)
    }
}
