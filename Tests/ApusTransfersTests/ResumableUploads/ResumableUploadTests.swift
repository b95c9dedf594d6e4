internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

/// Uploads to a server that cuts connections, announces resources, and contradicts itself.
@Suite(.timeLimit(.minutes(5))) struct ResumableUploadTests: UploadScripts {
    private static let policy = ResumableUpload.Policy(retryLimit: 3, scale: .zero)
    private static let bytes = TestServer.pattern(count: 100_000)
    private static let body = RequestBody.bytes(Data(bytes))
    private static let lost: Set<ApusError.Code> = [.connectionClosed, .sendFailed]

    // MARK: Interruptions

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch]) func goesOnAfterACut(
        method: HTTPRequest.Method
    ) async throws {
        let gate = Gate()
        let scripts = [Self.cut(after: 40_000, gate), Self.completing(at: 40_000)]
        // A retry would send all bytes again.
        try await with(scripts, configure: { $0.interceptor = RetryPolicy(scale: .zero) }) { server, session in
            let upload = session.uploadResumably(
                Self.body,
                to: server.url("/files"),
                method: method,
                fields: [.contentType: "video/mp4", .authorization: "Bearer x", "If-None-Match": "*"],
                policy: Self.policy
            )
            open(gate, withStateOf: upload)
            let response = try await upload.response()
            #expect(try response.string() == "done")
            #expect(response.request.method == .patch)
            #expect(upload.uploadProgress.completed == 100_000)
            #expect(upload.uploadProgress.total == 100_000)
            #expect(upload.state == nil)
            let requests = server.requests
            #expect(requests.map(\.method) == [method.rawValue, "HEAD", "PATCH"])
            #expect(requests.map(\.target) == ["/files", "/uploads/1", "/uploads/1"])
            #expect(requests.map { $0["Upload-Draft-Interop-Version"] } == ["6", "6", "6"])
            #expect(requests.map { $0["Upload-Complete"] } == ["?1", nil, "?1"])
            #expect(requests.map { $0["Upload-Length"] } == ["100000", nil, nil])
            #expect(requests.map { $0["Upload-Offset"] } == [nil, nil, "40000"])
            #expect(requests.map { $0["Content-Type"] } == ["video/mp4", nil, "application/partial-upload"])
            #expect(requests.map { $0["Content-Length"] } == ["100000", nil, "60000"])
            #expect(requests.map { $0["Authorization"] } == ["Bearer x", "Bearer x", "Bearer x"])
            #expect(requests.map { $0["If-None-Match"] } == ["*", nil, nil])
            #expect(requests[2].body == Array(Self.bytes[40_000...]))
        }
    }

    @Test func goesOnAfterSeveralCuts() async throws {
        let gate = Gate()
        let scripts: [Script] = [
            Self.cut(after: 10_000, gate),
            [.expectHead, Self.offset(10_000), .expectHead, .expectBytes(20_000), .reset],
            [.expectHead, .reset],
            [.expectHead, Self.response(503, "Connection: close\r\n"), .close],
            Self.completing(at: 30_000),
        ]
        try await with(scripts) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            let text = try await upload.response().string()
            #expect(text == "done")
            #expect(server.requests.last?.body == Array(Self.bytes[30_000...]))
        }
    }

    @Test func reportsTheProgressFromTheOffsetOn() async throws {
        let gate = Gate()
        try await with([Self.cut(after: 40_000, gate), Self.completing(at: 40_000)]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            let reports = upload.uploadProgress(bufferingPolicy: .unbounded)
            open(gate, withStateOf: upload)
            _ = try await upload.response()
            var completed: [Int64] = []
            for await report in reports { completed.append(report.completed) }
            #expect(completed.first == 0)
            #expect(completed.last == 100_000)
            // The server has confirmed fewer bytes than the socket took.
            let resumed = try #require(completed.firstIndex(of: 40_000))
            #expect(completed[resumed...] == completed[resumed...].sorted()[...])
        }
    }

    @Test func sendsAFile() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(Data(Self.bytes), to: "movie")
        let gate = Gate()
        try await with([Self.cut(after: 40_000, gate), Self.completing(at: 40_000)]) { server, session in
            let upload = session.uploadResumably(file, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            let text = try await upload.response().string()
            #expect(text == "done")
            #expect(server.requests.last?.body == Array(Self.bytes[40_000...]))
        }
    }

    @Test func failsIfTheFileChanges() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(Data(Self.bytes), to: "movie")
        let (isReceived, gate) = (Gate(), Gate())
        let first: Script = [
            .expectHead, Self.announcement(), .expectBytes(40_000), .signal(isReceived), .wait(gate), .reset,
        ]
        try await with([first, Self.completing(at: 40_000)]) { server, session in
            let upload = session.uploadResumably(file, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload) {
                // The file was read in one piece.
                await isReceived.wait()
                try? Data("another movie".utf8).write(to: file)
            }
            #expect(await failure { try await upload.response() }?.code == .fileChanged)
            // The head of the next part may be sent before the file is opened.
            #expect(server.requests.map(\.method).starts(with: ["POST", "HEAD"]))
            #expect(server.requests.dropFirst(2).allSatisfy { $0.body.isEmpty })
        }
    }

    @Test func endsIfTheServerHasEverything() async throws {
        let gate = Gate()
        let complete: Script = [.expectHead, Self.offset(100_000, "Upload-Complete: ?1\r\nETag: \"7\"\r\n"), .silence]
        try await with([Self.cut(after: 100_000, gate), complete]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            let response = try await upload.response()
            #expect(response.request.method == .head)
            #expect(response.fields[.eTag] == "\"7\"")
            #expect(upload.uploadProgress.isFinished)
        }
    }

    // MARK: Servers without support

    @Test(arguments: [200, 201, 400, 413, 503]) func sendsAPlainUploadToAServerWithoutSupport(status: Int) async throws
    {
        let script: Script = [.expectHead, .expectBody, Self.response(status, body: "answer"), .silence]
        try await with([script]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            let response = try await upload.response()
            #expect(response.statusCode == status)
            #expect(try response.string() == "answer")
            #expect(upload.state == nil)
            let request = try #require(server.requests.first)
            #expect(request.body == Self.bytes)
            #expect(request["Content-Length"] == "100000")
            #expect(server.requestCount == 1)
        }
    }

    @Test func failsWithoutSupport() async throws {
        try await with([[.expectHead, .expectBytes(10), .reset]]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            let error = try #require(await failure { try await upload.response() })
            #expect(Self.lost.contains(error.code))
            #expect(server.requestCount == 1)
        }
    }

    @Test func repeatsAnIdempotentUploadWithoutSupport() async throws {
        let scripts: [Script] = [
            [.expectHead, .expectBytes(10), .reset], [.expectHead, .expectBody, Self.response(201), .silence],
        ]
        try await with(scripts, configure: { $0.interceptor = RetryPolicy(scale: .zero) }) { server, session in
            let upload = session.uploadResumably(
                Self.body,
                to: server.url("/files"),
                method: .put,
                policy: Self.policy
            )
            let status = try await upload.response().statusCode
            #expect(status == 201)
            #expect(server.requests.map(\.bodyByteCount).last == 100_000)
            #expect(server.requestCount == 2)
        }
    }

    /// The server counts the bytes that it receives.
    @Test func compressesNoBody() async throws {
        let script: Script = [.expectHead, .expectBody, Self.response(200), .silence]
        try await with([script], configure: { $0.middleware = [RequestCompressor(.gzip)] }) { server, session in
            let upload = session.uploadResumably(
                Self.body,
                to: server.url("/files"),
                options: [RequestCompression.gzip],
                policy: Self.policy
            )
            _ = try await upload.response()
            let request = try #require(server.requests.first)
            #expect(request["Content-Encoding"] == nil)
            #expect(request.bodyByteCount == 100_000)
        }
    }

    // MARK: Limits and faults

    @Test func stopsIfTheServerAcceptsFewerBytes() async throws {
        let scripts: [Script] = [
            [.expectHead, Self.announcement("/uploads/1", "Upload-Limit: max-size=99999\r\n"), .silence],
            [.expectHead, Self.response(204), .silence],
        ]
        try await with(scripts) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            let error = await failure { try await upload.response() }
            #expect(error?.code == .invalidRequest)
            #expect(error?.detail.contains("99999") == true)
            #expect(server.requests.map(\.method) == ["POST", "DELETE"])
            #expect(server.requests.last?.target == "/uploads/1")
            #expect(upload.state == nil)
        }
    }

    @Test func sendsPartsIfTheServerAsksForThem() async throws {
        let part: Script = [
            .expectHead, .expectBody, Self.response(413, "Upload-Limit: max-append-size=40000\r\n"),
            .expectHead, .expectBody, Self.response(201, "Location: /uploads/1\r\nUpload-Complete: ?0\r\n"),
            .expectHead, .expectBody, Self.response(204, "Upload-Complete: ?0\r\n"),
            .expectHead, .expectBody, Self.response(200, "Upload-Complete: ?1\r\n", body: "done"), .silence,
        ]
        try await with([part]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            let text = try await upload.response().string()
            #expect(text == "done")
            let requests = server.requests
            #expect(requests.map(\.method) == ["POST", "POST", "PATCH", "PATCH"])
            #expect(requests.map(\.bodyByteCount) == [100_000, 40_000, 40_000, 20_000])
            #expect(requests.map { $0["Upload-Complete"] } == ["?1", "?0", "?0", "?1"])
            #expect(requests.map { $0["Upload-Length"] } == ["100000", "100000", nil, nil])
            #expect(requests.map { $0["Upload-Offset"] } == [nil, nil, "40000", "80000"])
            #expect(requests[1...].flatMap(\.body) == Self.bytes)
        }
    }

    @Test(arguments: ["100001", "39999", "x"]) func rejectsAnImpossibleOffset(text: String) async throws {
        let gate = Gate()
        let scripts: [Script] = [
            Self.cut(after: 50_000, gate),
            [.expectHead, Self.offset(40_000), .expectHead, .expectBytes(10), .reset],
            [.expectHead, Self.response(204, "Upload-Offset: \(text)\r\n"), .expectHead, Self.response(204), .silence],
        ]
        try await with(scripts) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            #expect(await failure { try await upload.response() }?.code == .malformedResponse)
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD", "DELETE"])
        }
    }

    @Test func sendsNoCredentialsToAnotherOrigin() async throws {
        try await TestServer.with(behavior: .endpoints) { other in
            let seen = Gate()
            let announcement = Self.announcement("\(other.origin)/uploads/1")
            let script: Script = [.expectHead, announcement, .expectBytes(100_000), .wait(seen), .reset]
            var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "seen"), latency: .zero)
            monitor.requestDidReceiveInformational = { _, _ in seen.open() }
            try await with([script], configure: { $0.eventMonitors = [monitor] }) { server, session in
                let upload = session.uploadResumably(
                    Self.body,
                    to: server.url("/files"),
                    fields: [.authorization: "Bearer x"],
                    policy: Self.policy
                )
                let error = await failure { try await upload.response() }
                #expect(error?.code == .malformedResponse)
                #expect(error?.detail.contains(other.origin) == true)
                #expect(upload.state == nil)
                #expect(other.acceptedConnections == 0)
            }
        }
    }

    @Test func followsTheResourceWithinItsOrigin() async throws {
        let gate = Gate()
        let moved: Script = [
            .expectHead, Self.response(308, "Location: /uploads/2\r\n"), .expectHead, Self.offset(40_000), .expectHead,
            .expectBody, Self.response(200, body: "done"), .silence,
        ]
        try await with([Self.cut(after: 40_000, gate), moved]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            let text = try await upload.response().string()
            #expect(text == "done")
            #expect(server.requests.map(\.target) == ["/files", "/uploads/1", "/uploads/2", "/uploads/2"])
        }
    }

    @Test func resolvesTheResourceAfterARedirect() async throws {
        let gate = Gate()
        let redirected: Script = [
            .expectHead, .expectBody, Self.response(307, "Location: /new/files\r\n"), .expectHead,
            Self.announcement("uploads/1"), .expectBytes(40_000), .wait(gate), .reset,
        ]
        try await with([redirected, Self.completing(at: 40_000)]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            let text = try await upload.response().string()
            #expect(text == "done")
            #expect(server.requests.map(\.target) == ["/files", "/new/files", "/new/uploads/1", "/new/uploads/1"])
        }
    }

    /// The response of the incomplete upload is a success. The caller must not take it for that of the complete one.
    @Test func failsIfTheServerAsksForTooLongAPause() async throws {
        let fields = "Upload-Complete: ?0\r\nLocation: /uploads/1\r\nRetry-After: 3600\r\n"
        try await with([[.expectHead, .expectBody, Self.response(200, fields), .silence]]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            let error = await failure { try await upload.response() }
            #expect(error?.code == .unacceptableStatus)
            #expect(upload.state?.resource == server.url("/uploads/1"))
            #expect(server.requestCount == 1)
        }
    }

    @Test func failsIfTheServerHasLostTheUpload() async throws {
        let gate = Gate()
        try await with([Self.cut(after: 10, gate), [.expectHead, Self.response(404), .silence]]) { server, session in
            let upload = session.uploadResumably(Self.body, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            let error = await failure { try await upload.response() }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.responseCode == 404)
            #expect(error?.method == .head)
        }
    }

    // MARK: Bodies that can't be resumed

    @Test func rejectsABodyThatCantBeReadFromAnyByte() async throws {
        let chunks = AsyncStream<BodyChunk> { $0.finish() }
        try await with([.responding(with: "")]) { server, session in
            let bodies: [RequestBody] = [
                .once(length: 5, chunks), .replayable { chunks }, Self.body.withTrailers(["X-End": "1"]),
            ]
            for body in bodies {
                let upload = session.uploadResumably(body, to: server.url("/files"), policy: Self.policy)
                #expect(await failure { try await upload.response() }?.code == .bodyNotReplayable)
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func sendsAStreamFromItsOffset() async throws {
        let gate = Gate()
        let data = Data(Self.bytes)
        let body = RequestBody.replayable(length: 100_000) {
            AsyncStream<BodyChunk> { stream in
                for start in stride(from: 0, to: data.count, by: 30_000) {
                    stream.yield(BodyChunk(data[start..<min(start + 30_000, data.count)]))
                }
                stream.finish()
            }
        }
        try await with([Self.cut(after: 40_000, gate), Self.completing(at: 40_000)]) { server, session in
            let upload = session.uploadResumably(body, to: server.url("/files"), policy: Self.policy)
            open(gate, withStateOf: upload)
            let text = try await upload.response().string()
            #expect(text == "done")
            #expect(server.requests.last?.body == Array(Self.bytes[40_000...]))
        }
    }

    @Test func sendsAnEmptyBody() async throws {
        try await with([[.expectHead, .expectBody, Self.response(201), .silence]]) { server, session in
            let upload = session.uploadResumably(RequestBody.none, to: server.url("/files"), policy: Self.policy)
            let status = try await upload.response().statusCode
            #expect(status == 201)
            #expect(server.requests.first?["Content-Length"] == "0")
            #expect(server.requests.first?["Upload-Length"] == "0")
        }
    }
}
