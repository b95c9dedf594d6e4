import Apus
import ApusCore
import ApusEngine
import ApusTestServer
import ApusTestSupport
import Foundation
import HTTPTypes
import Testing

/// A suspended upload holds its stream back, and no other stream of the connection.
@Suite(.timeLimit(.minutes(5))) struct HTTP2SuspendedUploadTests {
    /// The window of `/held` is opened by the test.
    private static let options = HTTP2Server.Options(holdsWindow: { $0.path == "/held" })
    /// The window of a stream in the first SETTINGS.
    private static let window = 65_535
    private static let size = 200_000

    private static func body(isStream: Bool) -> RequestBody {
        guard isStream else { return .bytes(Data(count: size)) }
        let half = String(repeating: "x", count: size / 2)
        return .replayable { AsyncStream.texts(half, half) }
    }

    /// Starts an upload, and suspends it when the window of its stream is full.
    private static func suspendedUpload(
        of body: RequestBody,
        options: RequestOptions = .none,
        to server: HTTP2Server,
        in session: Session
    ) async throws -> (DataRequest, DataTask<String>, HTTP2ServerStream) {
        let upload = session.upload(body, to: server.url("/held"), options: options)
        let task = upload.serializingString()
        let stream = try await server.stream(for: "/held")
        await stream.waitForBytes(window)
        upload.suspend()
        return (upload, task, stream)
    }

    @Test(arguments: Wire.allCases, [false, true])
    func sendsNothingIntoAnOpenWindow(wire: Wire, isStream: Bool) async throws {
        try await wire.withHTTP2(Self.options) { server, session in
            let body = Self.body(isStream: isStream)
            let (upload, task, stream) = try await Self.suspendedUpload(of: body, to: server, in: session)
            stream.openWindow(by: Self.size)
            // Its response follows the open window on the same connection.
            try await session.get(server.url("/")).validate()
            #expect(stream.progress.value.body.count == Self.window)
            #expect(upload.uploadProgress.completed == Int64(Self.window))
            upload.resume()
            let text = try await task.value
            #expect(text == "hi")
            #expect(upload.uploadProgress.completed == Int64(Self.size))
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func doesNotBeginAfterA100(wire: Wire) async throws {
        let (mayContinue, hasContinued) = (Gate(), Gate())
        try await wire.withHTTP2(
            configure: { $0.timeouts.expectContinue = .seconds(60) },
            responder: { stream in
                guard stream.request.path == "/expecting" else {
                    await hasContinued.wait()
                    return await stream.respond()
                }
                await mayContinue.wait()
                stream.head(100)
                hasContinued.open()
                await HTTP2Server.ok(stream)
            }
        ) { server, session in
            let openingCount = LockedValue(0)
            let body = RequestBody.replayable { () -> AsyncStream<BodyChunk> in
                _ = openingCount.increased(by: 1)
                return AsyncStream.texts("one", "two")
            }
            let url = server.url("/expecting")
            let upload = session.upload(body, to: url, fields: [.expect: "100-continue"])
            let task = upload.serializingString()
            let stream = try await server.stream(for: "/expecting")
            upload.suspend()
            mayContinue.open()
            try await session.get(server.url("/")).validate()
            #expect(openingCount.value == 0)
            upload.resume()
            let text = try await task.value
            #expect(text == "hi")
            #expect(openingCount.value == 1)
            #expect(stream.progress.value.body.count == 6)
        }
    }

    /// The limits of other requests pass while it is suspended.
    @Test(arguments: Wire.allCases)
    func hasNoIdleLimit(wire: Wire) async throws {
        try await wire.withHTTP2(
            Self.options,
            responder: { stream in
                if stream.request.path != "/silent" { await HTTP2Server.ok(stream) }
            }
        ) { server, session in
            let limits: RequestOptions = [RequestTimeouts(idleRead: .seconds(1), idleWrite: .seconds(1))]
            let (upload, task, stream) = try await Self.suspendedUpload(
                of: Self.body(isStream: false),
                options: limits,
                to: server,
                in: session
            )
            for _ in 0..<2 {
                let error = await #expect(throws: ApusError.self) {
                    try await session.get(server.url("/silent"), options: limits)
                }
                #expect(error?.code == .readTimeout)
            }
            #expect(upload.state == .suspended)
            stream.openWindow(by: Self.size)
            upload.resume()
            let text = try await task.value
            #expect(text == "hi")
        }
    }

    @Test(arguments: Wire.allCases, [false, true])
    func resetsItsStreamAloneWhenItIsCancelled(wire: Wire, isStream: Bool) async throws {
        try await wire.withHTTP2(Self.options) { server, session in
            let body = Self.body(isStream: isStream)
            let (upload, task, stream) = try await Self.suspendedUpload(of: body, to: server, in: session)
            upload.cancel()
            #expect(await task.response.error?.code == .cancelled)
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }
}
