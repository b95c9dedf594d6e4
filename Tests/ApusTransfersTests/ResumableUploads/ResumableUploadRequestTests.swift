internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

/// The fields of the requests of an upload, the adapters that change them, and the bytes that they send.
@Suite(.timeLimit(.minutes(5))) struct ResumableUploadRequestTests: UploadScripts {
    private static let bytes = TestServer.pattern(count: 100_000)
    private static let body = RequestBody.bytes(Data(bytes))

    // MARK: Content types

    /// That of a part is the one of the draft.
    @Test(arguments: [true, false]) func addsNoContentType(isFile: Bool) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(Data(Self.bytes), to: "movie.mp4")
        let gate = Gate()
        try await with([Self.cut(after: 40_000, gate), Self.completing(at: 40_000)]) { server, session in
            let url = server.url("/files")
            let upload =
                isFile
                ? session.uploadResumably(file, to: url, policy: .init(scale: .zero))
                : session.uploadResumably(Self.body, to: url, policy: .init(scale: .zero))
            open(gate, withStateOf: upload)
            let text = try await upload.response().string()
            #expect(text == "done")
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(server.requests.map { $0["Content-Type"] } == [nil, nil, "application/partial-upload"])
        }
    }

    @Test func addsNoContentTypeToAServerWithoutSupport() async throws {
        try await with([[.expectHead, .expectBody, Self.response(200), .silence]]) { server, session in
            let body = RequestBody.string("{}")
            _ = try await session.uploadResumably(body, to: server.url("/files"), policy: .init(scale: .zero))
                .response()
            #expect(server.requests.map { $0["Content-Type"] } == [nil])
        }
    }

    // MARK: Adapters

    /// Returns a configuration whose adapter gives each request a number, as one that adds a token would.
    private static func numbering(_ configuration: inout Session.Configuration) {
        let count = LockedValue(0)
        configuration.interceptor = Interceptor(adapters: [
            Adapter.synchronous { request, _ in
                request.fields[.authorization] = "Bearer \(count.increased(by: 1))"
            }
        ])
    }

    @Test func runsTheAdaptersForEachRequest() async throws {
        let gate = Gate()
        let scripts = [Self.cut(after: 40_000, gate), Self.completing(at: 40_000)]
        try await with(scripts, configure: Self.numbering) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: .init(scale: .zero))
            open(gate, withStateOf: upload)
            _ = try await upload.response()
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(server.requests.map { $0["Authorization"] } == ["Bearer 1", "Bearer 2", "Bearer 3"])
        }
    }

    @Test func runsTheAdaptersForARemoval() async throws {
        let scripts: [Script] = [
            [.expectHead, Self.announcement("/uploads/1", "Upload-Limit: max-size=99999\r\n"), .silence],
            [.expectHead, Self.response(204), .silence],
        ]
        try await with(scripts, configure: Self.numbering) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: .init(scale: .zero))
            #expect(await failure { try await upload.response() }?.code == .invalidRequest)
            #expect(server.requests.map(\.method) == ["POST", "DELETE"])
            #expect(server.requests.map { $0["Authorization"] } == ["Bearer 1", "Bearer 2"])
        }
    }

    // MARK: Offsets

    /// The connection is lost after the server has announced its resource and taken so many bytes.
    @Test(arguments: [0, 1, 16_384, 65_536, 99_999, 100_000]) func goesOnAfterACutAtAnyOffset(count: Int) async throws {
        let gate = Gate()
        try await with([Self.cut(after: count, gate), Self.completing(at: count)]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: .init(scale: .zero))
            open(gate, withStateOf: upload)
            let text = try await upload.response().string()
            #expect(text == "done")
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            let last = try #require(server.requests.last)
            #expect(last["Upload-Offset"] == "\(count)")
            #expect(last["Upload-Complete"] == "?1")
            #expect(last["Content-Length"] == "\(100_000 - count)")
            #expect(last.body == Array(Self.bytes[count...]))
            #expect(upload.uploadProgress.isFinished)
            #expect(upload.state == nil)
        }
    }

    /// The server has stored fewer bytes than it has taken.
    @Test(arguments: [0, 1, 39_999]) func sendsTheBytesThatTheServerHasLost(offset: Int) async throws {
        let gate = Gate()
        try await with([Self.cut(after: 40_000, gate), Self.completing(at: offset)]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: .init(scale: .zero))
            open(gate, withStateOf: upload)
            _ = try await upload.response()
            #expect(server.requests.last?.body == Array(Self.bytes[offset...]))
        }
    }

    // MARK: Files that shrink

    /// The file ends while it is sent. Nothing is sent again.
    @Test func failsIfTheFileIsTruncatedWhileItIsSent() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        // More bytes than the buffers of both sides can hold.
        let size = 32 << 20
        let file = try folder.write(Data(), to: "movie")
        try folder.truncate("movie", to: UInt64(size))
        let (hasBegun, mayRead) = (Gate(), Gate())
        let script: Script = [
            .expectHead, Self.announcement(), .expectBytes(1), .signal(hasBegun), .wait(mayRead),
            .expectBytes(size - 1), .silence,
        ]
        try await with([script]) { server, session in
            let upload = session.uploadResumably(file, to: server.url("/files"), policy: .init(scale: .zero)).resume()
            await hasBegun.wait()
            try folder.truncate("movie", to: 1 << 20)
            mayRead.open()
            let error = await failure { try await upload.response() }
            #expect(error?.code == .fileChanged)
            #expect(error?.fileURL?.lastPathComponent == "movie")
            #expect(server.requests.map(\.method) == ["POST"])
        }
    }

    /// The file has become shorter when its rest is to be sent.
    @Test(arguments: [0, 50_000, 99_999]) func failsIfTheFileIsTruncatedBetweenTwoRequests(length: Int) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(Data(Self.bytes), to: "movie")
        let (isReceived, gate) = (Gate(), Gate())
        let first: Script = [
            .expectHead, Self.announcement(), .expectBytes(100_000), .signal(isReceived), .wait(gate), .reset,
        ]
        try await with([first, Self.completing(at: 40_000)]) { server, session in
            let upload = session.uploadResumably(file, to: server.url("/files"), policy: .init(scale: .zero))
            open(gate, withStateOf: upload) {
                await isReceived.wait()
                try? folder.truncate("movie", to: UInt64(length))
            }
            #expect(await failure { try await upload.response() }?.code == .fileChanged)
            // The head of the next part may be sent before the file is opened.
            #expect(server.requests.map(\.method).starts(with: ["POST", "HEAD"]))
            #expect(server.requests.dropFirst(2).allSatisfy { $0.body.isEmpty })
        }
    }
}
