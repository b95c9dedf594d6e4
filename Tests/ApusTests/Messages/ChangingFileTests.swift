import Apus
import ApusTestServer
import ApusTestSupport
import Foundation
import HTTPTypes
import Testing

/// A file may change while it is sent, or between two attempts.
@Suite(.timeLimit(.minutes(5))) struct ChangingFileTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    /// More bytes than the buffers of both sides can hold.
    private static let size = 32 << 20

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeFile() throws -> URL {
        let file = try folder.write(Data(), to: "file")
        try folder.truncate("file", to: UInt64(Self.size))
        return file
    }

    // MARK: While it is sent

    /// Changes a file after its first byte has arrived, and returns the result of the request. The server reads no
    /// further until then.
    private func outcome(
        of change: (URL) throws -> Void,
        wire: Wire,
        then check: (TestServer, Session) async throws -> Void = { _, _ in }
    ) async throws -> Result<Data, ApusError> {
        let file = try makeFile()
        let (hasBegun, mayRead) = (Gate(), Gate())
        let script: Script = [
            .expectHead, .expectBytes(1), .signal(hasBegun), .wait(mayRead), .expectBytes(Self.size - 1),
            .send(Self.okResponse), .expectHead, .send(Self.okResponse), .silence,
        ]
        return try await wire.with(.script(script)) { server, session in
            let message = try RequestMessage(server.url("/"), method: .put, body: .file(file))
            let upload = Form.handle.start(message, on: session)
            await hasBegun.wait()
            try change(file)
            mayRead.open()
            let outcome = await upload.value
            try await check(server, session)
            return outcome
        }
    }

    @Test(arguments: Wire.allCases)
    func failsIfItShrinks(wire: Wire) async throws {
        let outcome = try await outcome(of: { _ in try folder.truncate("file", to: 0) }, wire: wire)
        #expect(outcome.code == .fileChanged)
        #expect(outcome.error?.detail.contains("before its declared length") == true)
        #expect(outcome.error?.fileURL?.lastPathComponent == "file")
    }

    @Test(arguments: Wire.allCases)
    func keepsItsFirstLengthIfItGrows(wire: Wire) async throws {
        let outcome = try await outcome(
            of: { _ in try folder.truncate("file", to: UInt64(2 * Self.size)) },
            wire: wire,
            then: { server, session in
                // The next request follows the declared number of bytes.
                let text = try await session.get(server.url("/")).string()
                #expect(text == "hi")
                #expect(server.requests.map(\.method) == ["PUT", "GET"])
                #expect(server.requests.first?["Content-Length"] == "\(Self.size)")
                #expect(server.acceptedConnections == 1)
            }
        )
        #expect(outcome.code == nil)
    }

    @Test(arguments: Wire.allCases)
    func arrivesIfItIsRemoved(wire: Wire) async throws {
        let outcome = try await outcome(of: { try FileManager.default.removeItem(at: $0) }, wire: wire)
        #expect(outcome.code == nil)
    }

    @Test(arguments: Wire.allCases)
    func resetsItsStreamIfItShrinks(wire: Wire) async throws {
        let file = try makeFile()
        let options = HTTP2Server.Options(holdsWindow: { $0.path == "/file" })
        try await wire.withHTTP2(options) { server, session in
            let message = try RequestMessage(server.url("/file"), method: .put, body: .file(file))
            let upload = Form.handle.start(message, on: session)
            let stream = try await server.stream(for: "/file")
            await stream.waitForBytes(1)
            try folder.truncate("file", to: 0)
            stream.openWindow(by: 8 << 20)
            #expect(await upload.value.code == .fileChanged)
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Between two attempts

    /// Sends a file to a server that changes it, and that responds to the first attempt with 503. `upload` makes its
    /// request anew for each attempt.
    private func retry(
        _ file: URL,
        wire: Wire,
        byUpload: Bool,
        after change: @escaping @Sendable () -> Void
    ) async throws -> DataResponse<String> {
        let attempts = Tally()
        let behavior = TestServer.Behavior.handler { request in
            guard attempts.countUp() == 1 else { return .text(request.bodyText) }
            change()
            return TestResponse(status: 503)
        }
        return try await wire.with(behavior) { server, session in
            let url = server.url("/")
            let request =
                if byUpload {
                    session.upload(file, to: url, method: .put)
                } else {
                    try session.request(url, method: .put, body: .file(file))
                }
            request.interceptor(RetryPolicy(retryLimit: 1, scale: .zero))
            let response = await request.serializingString().response
            #expect(request.retryCount == 1)
            return response
        }
    }

    @Test(arguments: Wire.allCases, [false, true])
    func failsIfItIsGone(wire: Wire, byUpload: Bool) async throws {
        let file = try folder.write("first", to: "file")
        let response = try await retry(file, wire: wire, byUpload: byUpload) {
            try? FileManager.default.removeItem(at: file)
        }
        #expect(response.error?.code == .fileUnreadable)
        #expect(response.error?.fileURL?.lastPathComponent == "file")
    }

    @Test(arguments: Wire.allCases)
    func failsIfItHasChanged(wire: Wire) async throws {
        let file = try folder.write("first", to: "file")
        let response = try await retry(file, wire: wire, byUpload: false) { try? Data("changed".utf8).write(to: file) }
        #expect(response.error?.code == .fileChanged)
        #expect(response.error?.fileURL?.lastPathComponent == "file")
    }

    @Test(arguments: Wire.allCases)
    func isSentAsItIsByUpload(wire: Wire) async throws {
        let file = try folder.write("first", to: "file")
        let response = try await retry(file, wire: wire, byUpload: true) { try? Data("changed".utf8).write(to: file) }
        #expect(response.value == "changed")
    }
}
