import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// A server that responds before it has read the whole body ends the upload, and its response counts.
@Suite(.timeLimit(.minutes(5))) struct EarlyResponseTests {
    /// The behavior of the server after its response.
    enum Ending: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case readsOn
        case stopsReading
        case closes
        case resets

        var testDescription: String { rawValue }

        var step: Step {
            switch self {
            case .readsOn, .stopsReading: .silence
            case .closes: .close
            case .resets: .reset
            }
        }
    }

    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    private static let completing: Script = [.expectHead, .expectBody, .send(okResponse), .silence]
    private static let redirect = "Location: /there\r\n"
    private static let challenge = "WWW-Authenticate: Basic realm=\"r\"\r\n"
    /// More bytes than the buffers of both sides can hold.
    private static let size = 32 << 20
    private static let long = RequestBody.bytes(Data(count: size))

    private static func endless() -> AsyncStream<BodyChunk> {
        let chunk = BodyChunk(Data(count: 64 << 10))
        return AsyncStream<BodyChunk>(unfolding: { chunk })
    }

    /// A server that responds after the first byte of a body.
    private static func early(_ status: Int, _ ending: Ending = .stopsReading, fields: String = "") -> Script {
        let stop: [Step] = ending == .stopsReading ? [.stopReading] : []
        let response = "HTTP/1.1 \(status) Early\r\n\(fields)Content-Length: 5\r\n\r\nearly"
        return Script(steps: [.expectHead, .expectBytes(1)] + stop + [.send(response), ending.step])
    }

    @Test(arguments: Wire.allCases, Ending.allCases)
    func endsTheUpload(wire: Wire, ending: Ending) async throws {
        var bodies = [RequestBody.replayable { Self.endless() }]
        // A server that reads on may have read a finite body before the client sees the response.
        if ending != .readsOn { bodies.append(Self.long) }
        for status in [200, 401, 413] {
            for body in bodies { try await expectResponse(status, to: body, ending, wire: wire) }
        }
        try await expectResponse(413, to: .once(Self.endless()), ending, wire: wire)
    }

    private func expectResponse(_ status: Int, to body: RequestBody, _ ending: Ending, wire: Wire) async throws {
        let scripts: [Script] = [Self.early(status, ending), .responding(with: Self.okResponse)]
        try await wire.with(.scripts(scripts)) { server, session in
            let response = try await session.post(server.url("/"), body: body)
            #expect(response.statusCode == status)
            #expect(try response.string() == "early")
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 2)
        }
    }

    /// A body without a length may be incomplete if its connection is reset. Its status is known nevertheless.
    @Test(arguments: Wire.allCases)
    func keepsTheStatusOfAResponseThatIsCutOff(wire: Wire) async throws {
        let script: Script = [
            .expectHead, .expectBytes(1), .send("HTTP/1.1 413 Content Too Large\r\n\r\nbig"), .reset,
        ]
        let outcome = try await wire.outcome(of: script, method: .post, body: .replayable { Self.endless() })
        let status = (try? outcome.get().statusCode) ?? outcome.error?.responseCode
        #expect(status == 413)
    }

    // MARK: The body is sent again

    @Test(arguments: Wire.allCases)
    func sendsTheWholeBodyAgainAfterARedirect(wire: Wire) async throws {
        let scripts = [Self.early(307, fields: Self.redirect), Self.completing]
        try await wire.with(.scripts(scripts)) { server, session in
            let response = try await session.post(server.url("/"), body: Self.long)
            #expect(try response.string() == "hi")
            #expect(server.requests.map(\.path) == ["/", "/there"])
            #expect(server.requests.last?.bodyByteCount == Self.size)
        }
    }

    @Test(arguments: Wire.allCases)
    func sendsTheWholeBodyAgainAfterAChallenge(wire: Wire) async throws {
        let scripts = [Self.early(401, fields: Self.challenge), Self.completing]
        try await wire.with(.scripts(scripts)) { server, session in
            let request = session.request(server.url("/"), method: .post, body: Self.long)
                .authenticate(username: "ada", password: "secret")
            let text = try await request.serializingString().value
            #expect(text == "hi")
            #expect(request.metrics.exchanges.map(\.cause) == [.first, .challenge])
            #expect(server.requests.map { $0["Authorization"] != nil } == [false, true])
            #expect(server.requests.last?.bodyByteCount == Self.size)
        }
    }

    @Test(arguments: Wire.allCases)
    func sendsTheWholeBodyAgainForARetry(wire: Wire) async throws {
        try await wire.with(.scripts([Self.early(503), Self.completing])) { server, session in
            let request = session.request(server.url("/"), method: .put, body: Self.long)
                .interceptor(RetryPolicy(retryLimit: 1, scale: .zero))
            let text = try await request.serializingString().value
            #expect(text == "hi")
            #expect(request.retryCount == 1)
            #expect(request.uploadProgress.completed == Int64(Self.size) && request.uploadProgress.isFinished)
            #expect(server.requests.last?.bodyByteCount == Self.size)
        }
    }

    // MARK: The body can't be sent again

    /// Parity: AF-fault-stream-again
    @Test(arguments: Wire.allCases, [307, 308])
    func namesTheRedirect(wire: Wire, status: Int) async throws {
        try await wire.with(.script(Self.early(status, fields: Self.redirect))) { server, session in
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/"), body: .once(Self.endless()))
            }
            let cause = "the redirect to \(server.url("/there")) needs the body again, but it can be read only once"
            #expect(error?.code == .bodyNotReplayable)
            #expect(error?.detail.contains(cause) == true)
            #expect(error?.hint == "use RequestBody.replayable")
            #expect(error?.responseCode == status)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Parity: AF-fault-stream-again
    @Test(arguments: Wire.allCases)
    func namesTheChallenge(wire: Wire) async throws {
        try await wire.with(.script(Self.early(401, fields: Self.challenge))) { server, session in
            let request = session.request(server.url("/"), method: .post, body: .once(Self.endless()))
                .authenticate(username: "ada", password: "secret")
            let error = await request.serializingData().response.error
            #expect(error?.code == .bodyNotReplayable)
            #expect(error?.detail.hasPrefix("the challenge of ") == true)
            #expect(error?.responseCode == 401)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Parity: AF-fault-stream-again
    @Test(arguments: Wire.allCases)
    func namesTheRetry(wire: Wire) async throws {
        try await wire.with(.script(Self.early(503))) { server, session in
            let request = session.request(server.url("/"), method: .put, body: .once(Self.endless()))
                .retry(using: Retrier(reconsidering: { $0.retryCount == 0 ? .retry : .doNotRetry }))
            let error = await request.serializingData().response.error
            #expect(error?.code == .bodyNotReplayable)
            #expect(error?.detail.hasPrefix("the retry needs the body again") == true)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// A policy checks whether the body can be sent again, so the first response counts.
    @Test(arguments: Wire.allCases)
    func isNotRetriedByAPolicy(wire: Wire) async throws {
        try await wire.with(.script(Self.early(503))) { server, session in
            let request = session.request(server.url("/"), method: .put, body: .once(Self.endless()))
                .interceptor(RetryPolicy(retryLimit: 1, scale: .zero))
            let text = try await request.serializingString().value
            #expect(text == "early")
            #expect(request.statusCode == 503)
            #expect(server.acceptedConnections == 1)
        }
    }
}
