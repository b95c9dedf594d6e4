internal import Apus
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

/// Tests the uploads of a queue, and the trust and the segments of its transfers, with a session and a server on
/// loopback.
@Suite(.timeLimit(.minutes(5))) struct SessionTransferPerformerUploadTests {
    private static let announcement: Step = .send(
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\nLocation: /uploads/1\r\n\r\n"
    )
    private static let completing: Script = [
        .expectHead, .send("HTTP/1.1 204 X\r\nUpload-Offset: 4\r\nUpload-Complete: ?0\r\n\r\n"), .expectHead,
        .expectBody, response(200, body: "done"), .silence,
    ]

    private static func response(_ status: Int, body: String = "") -> Step {
        .send("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Calls `work` with a server, a folder with a file, and a session.
    private func with(
        _ behavior: TestServer.Behavior,
        tls: TestTLS? = nil,
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ work: (TestServer, URL, Session) async throws -> Void
    ) async throws {
        try await TestServer.with(tls: tls, behavior: behavior) { server in
            try await inFolder { folder in
                try makeFile(folder.appending(path: "file"), "0123456789")
                var configuration = Session.Configuration()
                configuration.proxy = .none
                configure(&configuration)
                let session = Session(configuration: configuration)
                do {
                    try await work(server, folder, session)
                } catch {
                    await session.shutdown(within: .zero)
                    throw error
                }
                try await assertNothingLeft(session)
            }
        }
    }

    /// Runs the queue in a folder, and returns its events, without the reports of progress.
    private func events(of session: Session, in folder: URL) async throws -> [String] {
        let stream = try await run(session, folder)
        // The queue is released now, so the stream ends.
        var names: [String] = []
        for await event in stream { if let name = event.name { names.append(name) } }
        return names
    }

    private func run(_ session: Session, _ folder: URL) async throws -> AsyncStream<TransferEvent> {
        let queue = try queue(session, folder)
        let events = queue.events
        try await queue.run()
        return events
    }

    private func queue(_ session: Session, _ folder: URL) throws -> TransferQueue {
        var configuration = TransferQueue.Configuration()
        configuration.retryDelay = .zero
        return try TransferQueue(folder: folder, session: session, configuration: configuration)
    }

    private func upload(
        _ folder: URL,
        to url: String,
        method: HTTPRequest.Method = .put,
        resumption: ResumableUpload.InteropVersion? = nil
    ) throws -> Transfer {
        try Transfer(
            uploading: folder.appending(path: "file"),
            to: url,
            method: method,
            id: TransferID(rawValue: "a"),
            fields: ["X-Tag": "1", "Content-Type": "text/plain"],
            resumption: resumption
        )
    }

    private func state(at url: String) -> ResumableUpload.State { RecordSamples.state(at: url) }

    // MARK: Plain uploads

    @Test(arguments: [HTTPRequest.Method.put, .post, .patch]) func sendsAFile(method: HTTPRequest.Method) async throws {
        try await with(.handler { .text("stored \($0.path)", status: 201) }) { server, folder, session in
            let jobs = folder.appending(path: "queue")
            try await queue(session, jobs).add(upload(folder, to: server.url("/a"), method: method))
            #expect(try await events(of: session, in: jobs) == ["started a", "uploaded a 201"])
            let transfers = try await queue(session, jobs).transfers
            #expect(transfers.first?.response?.body == Data("stored /a".utf8))
            let request = try #require(server.requests.first)
            #expect(request.method == method.rawValue && request.bodyText == "0123456789")
            #expect(request["X-Tag"] == "1" && request["Content-Type"] == "text/plain")
            #expect(try await events(of: session, in: jobs) == [])
            #expect(server.requestCount == 1)
            // Nothing stands beside the file.
            #expect(try names(in: folder) == ["file", "queue"])
        }
    }

    @Test func reportsItsProgressBeforeItsEnd() async throws {
        try await with(.handler { _ in .text("ok") }) { server, folder, session in
            let performer = SessionTransferPerformer(session: session)
            let last = LockedValue<TransferProgress?>(nil)
            let response = try await performer.upload(
                upload(folder, to: server.url("/a")),
                resumingWith: nil,
                keeping: { _ in },
                progress: { last.value = $0 }
            )
            #expect(response.status == 200)
            #expect(last.value?.completed == 10 && last.value?.total == 10)
        }
    }

    @Test func keepsTheBeginningOfALongBody() async throws {
        let long = TestServer.pattern(count: 100_000)
        try await with(.handler { _ in TestResponse(body: .bytes(long)) }) { server, folder, session in
            let jobs = folder.appending(path: "queue")
            try await queue(session, jobs).add(upload(folder, to: server.url("/a")))
            _ = try await events(of: session, in: jobs)
            let transfers = try await queue(session, jobs).transfers
            let response = try #require(transfers.first?.response)
            #expect(response.body == Data(long.prefix(TransferResponse.bodyLimitBytes)))
            #expect(response.isTruncated)
        }
    }

    /// The rest of the body takes no memory.
    @Test func keepsOnlyTheBeginningInMemory() async throws {
        let long = TestServer.pattern(count: 1_000_000)
        try await with(.handler { _ in TestResponse(body: .bytes(long)) }) { server, _, session in
            let response = try await session.get(server.url("/a"), options: [KeptBeginning(byteCount: 7)])
            #expect(response.data == Data(long.prefix(7)))
        }
    }

    /// The server may have received it, also if the session has a retry policy.
    @Test func isNotRepeatedByTheSession() async throws {
        let scripts: [Script] = [
            [.expectHead, .expectBody, .close], [.expectHead, .expectBody, Self.response(200), .silence],
        ]
        let configure: (inout Session.Configuration) -> Void = { $0.interceptor = RetryPolicy(scale: .zero) }
        try await with(.scripts(scripts), configure: configure) { server, folder, session in
            let jobs = folder.appending(path: "queue")
            let transfer = try Transfer(
                uploading: folder.appending(path: "file"),
                to: server.url("/a"),
                id: TransferID(rawValue: "a"),
                beginsAnew: .ifUnsent
            )
            try await queue(session, jobs).add(transfer)
            #expect(try await events(of: session, in: jobs) == ["started a", "failed a connectionClosed"])
            #expect(server.requestCount == 1)
        }
    }

    @Test func failsIfTheServerRefuses() async throws {
        try await with(.handler { _ in .text("no", status: 409) }) { server, folder, session in
            let jobs = folder.appending(path: "queue")
            try await queue(session, jobs).add(upload(folder, to: server.url("/a")))
            #expect(try await events(of: session, in: jobs) == ["started a", "failed a unacceptableStatus"])
            let transfers = try await queue(session, jobs).transfers
            #expect(transfers.first?.failure?.text.contains("409") == true)
        }
    }

    @Test(arguments: [nil, ResumableUpload.InteropVersion.v6])
    func failsIfTheFileHasChanged(resumption: ResumableUpload.InteropVersion?) async throws {
        try await with(.handler { _ in .text("ok") }) { server, folder, session in
            let jobs = folder.appending(path: "queue")
            try await queue(session, jobs).add(upload(folder, to: server.url("/a"), resumption: resumption))
            try makeFile(folder.appending(path: "file"), "another file")
            #expect(try await events(of: session, in: jobs) == ["started a", "failed a fileChanged"])
            try FileManager.default.removeItem(at: folder.appending(path: "file"))
            try await queue(session, jobs).resume(TransferID(rawValue: "a"))
            #expect(try await events(of: session, in: jobs) == ["started a", "failed a fileUnreadable"])
            #expect(server.requestCount == 0)
        }
    }

    // MARK: Resumable uploads

    /// The first queue is dropped while its upload is under way, and its files are as a kill would leave them.
    @Test func continuesWhereTheServerHasIt() async throws {
        let scripts: [Script] = [[.expectHead, Self.announcement, .silence], Self.completing]
        try await with(.scripts(scripts)) { server, folder, session in
            let (jobs, copy) = (folder.appending(path: "queue"), folder.appending(path: "copy"))
            do {
                let queue = try queue(session, jobs)
                try await queue.add(upload(folder, to: server.url("/files"), method: .post, resumption: .v6))
                let run = Task { try await queue.run() }
                while try await queue.transfers.first?.confirmedByteCount == nil { await Task.yield() }
                try FileManager.default.copyItem(at: jobs, to: copy)
                run.cancel()
                _ = await run.result
            }
            #expect(try await events(of: session, in: copy) == ["started a", "uploaded a 200"])
            let transfers = try await queue(session, copy).transfers
            #expect(transfers.first?.response?.body == Data("done".utf8))
            let requests = server.requests
            #expect(requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(requests.map(\.target) == ["/files", "/uploads/1", "/uploads/1"])
            #expect(requests.map { $0["X-Tag"] } == ["1", "1", "1"])
            #expect(requests.last?.bodyText == "456789")
        }
    }

    @Test func beginsAnewIfTheServerHasLostIt() async throws {
        let script: Script = [
            .expectHead, Self.response(404), .expectHead, .expectBody, Self.response(201, body: "new"), .silence,
        ]
        try await with(.scripts([script])) { server, folder, session in
            let performer = SessionTransferPerformer(session: session)
            let kept = LockedList<ResumableUpload.State?>()
            let response = try await performer.upload(
                upload(folder, to: server.url("/files"), resumption: .v6),
                resumingWith: state(at: server.url("/uploads/1")),
                keeping: { kept.append($0) },
                progress: { _ in }
            )
            #expect(response.status == 201)
            #expect(kept.all.last == .some(nil))
            #expect(server.requests.map(\.method) == ["HEAD", "PUT"])
            #expect(server.requests.last?.bodyText == "0123456789")
        }
    }

    /// The server may have completed it, so only a transfer that is resumed begins anew.
    @Test func failsIfTheServerHasLostAPOST() async throws {
        try await with(.scripts([[.expectHead, Self.response(410), .silence]])) { server, folder, session in
            let performer = SessionTransferPerformer(session: session)
            let kept = LockedList<ResumableUpload.State?>()
            let error = await failure {
                try await performer.upload(
                    upload(folder, to: server.url("/files"), method: .post, resumption: .v6),
                    resumingWith: state(at: server.url("/uploads/1")),
                    keeping: { kept.append($0) },
                    progress: { _ in }
                )
            }
            #expect(error?.code == .unacceptableStatus && error?.responseCode == 410)
            #expect(kept.all.last == .some(nil))
            #expect(server.requests.map(\.method) == ["HEAD"])
        }
    }

    @Test func endsIfItsStateCantBeRecorded() async throws {
        let scripts: [Script] = [[.expectHead, Self.announcement, .silence]]
        try await with(.scripts(scripts)) { server, folder, session in
            let performer = SessionTransferPerformer(session: session)
            let error = await failure {
                try await performer.upload(
                    upload(folder, to: server.url("/files"), method: .post, resumption: .v6),
                    resumingWith: nil,
                    keeping: { _ throws(ApusError) in throw ApusError(.fileUnwritable, "the log is full") },
                    progress: { _ in }
                )
            }
            #expect(error?.code == .fileUnwritable)
        }
    }

    @Test func asksTheServerToRemoveItsPart() async throws {
        try await with(.scripts([[.expectHead, Self.response(200), .silence]])) { server, folder, session in
            let performer = SessionTransferPerformer(session: session)
            let body = try RequestBody.file(folder.appending(path: "file"))
            let state = ResumableUpload.State(
                resource: server.url("/uploads/1"),
                length: 10,
                offset: 4,
                expiry: nil,
                interopVersion: .v6,
                file: ResumableUpload.State.file(of: body)
            )
            let transfer = try upload(folder, to: server.url("/files"), resumption: .v6)
            await performer.withdraw(transfer, state)
            #expect(server.requests.map(\.method) == ["DELETE"])
            #expect(server.requests.map(\.target) == ["/uploads/1"])
            #expect(server.requests.first?["X-Tag"] == "1")
            // The part of another download would be beside it.
            try makeFile(folder.appending(path: "file.part"), "rest")
            await performer.discard(transfer)
            #expect(try names(in: folder) == ["file", "file.part"])
        }
    }

    @Test func removesThePartOfAMissingFile() async throws {
        try await with(.scripts([[.expectHead, Self.response(200), .silence]])) { server, folder, session in
            let transfer = try upload(folder, to: server.url("/files"), resumption: .v6)
            try FileManager.default.removeItem(at: folder.appending(path: "file"))
            await SessionTransferPerformer(session: session).withdraw(transfer, state(at: server.url("/uploads/1")))
            #expect(server.requests.map(\.method) == ["DELETE"])
        }
    }

    @Test func endsIfTheServerDoesNotAnswerTheRemoval() async throws {
        let clock = ManualClock()
        let configure: (inout Session.Configuration) -> Void = { configuration in
            configuration.time = clock
            configuration.timeouts.idleRead = nil
        }
        try await with(.scripts([[.expectHead, .silence]]), configure: configure) { server, folder, session in
            let performer = SessionTransferPerformer(session: session)
            let transfer = try upload(folder, to: server.url("/files"), resumption: .v6)
            let (state, isOver) = (state(at: server.url("/uploads/1")), LockedValue(false))
            let task = Task {
                await performer.withdraw(transfer, state)
                isOver.value = true
            }
            while !isOver.value {
                if server.requestCount == 1, clock.sleeperCount > 0 { clock.advance(by: QueueLimits.withdrawalTime) }
                await Task.yield()
            }
            await task.value
            #expect(server.requests.map(\.method) == ["DELETE"])
        }
    }

    // MARK: Users of URLs

    private static func withUser(_ url: String) -> String { url.replacing("://", with: "://ada:sesame@") }

    @Test func sendsTheUserOfItsURLToTheUploadResource() async throws {
        let removal: [Step] = [.expectHead, Self.response(200), .silence]
        let script = Script(steps: Array(Self.completing.steps.dropLast()) + removal)
        try await with(.scripts([script])) { server, folder, session in
            let performer = SessionTransferPerformer(session: session)
            let transfer = try upload(folder, to: Self.withUser(server.url("/files")), resumption: .v6)
            let state = state(at: server.url("/uploads/1"))
            let kept = LockedList<ResumableUpload.State?>()
            let response = try await performer.upload(
                transfer,
                resumingWith: state,
                keeping: { kept.append($0) },
                progress: { _ in }
            )
            #expect(response.status == 200)
            await performer.withdraw(transfer, state)
            let field = "Basic " + Data("ada:sesame".utf8).base64EncodedString()
            #expect(server.requests.map(\.method) == ["HEAD", "PATCH", "DELETE"])
            #expect(server.requests.map { $0["Authorization"] } == [field, field, field])
            // The state has neither of them.
            #expect(kept.all.allSatisfy { $0?.resource == state.resource })
        }
    }

    @Test(arguments: [
        ("http://h.example/a", "http://h.example/b", true), ("http://h.example/a", "https://h.example/b", true),
        ("https://h.example/a", "http://h.example/b", false), ("http://h.example/a", "http://h.example:81/b", false),
        ("https://h.example/a", "https://other.example/b", false),
    ])
    func addsTheUserForTheSameServerOnly(url: String, resource: String, isAdded: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("0123456789", to: "file")
        let transfer = try Transfer(uploading: file, to: Self.withUser(url))
        let state = state(at: resource)
        let found = state.withUser(of: transfer)
        #expect(found.resource == (isAdded ? Self.withUser(resource) : resource))
        #expect(found.withoutUser == state)
    }

    // MARK: Trust and segments

    enum Trust: CaseIterable, Sendable {
        case session, anchored, pinned, wronglyPinned, damaged
    }

    private func trust(_ kind: Trust) throws -> TransferTrust? {
        let certificates = try ServerCertificate.certificates(pem: TestTLS.localhost.certificateChainPEM)
        let pins = certificates.prefix(1).map { PublicKeyPin(certificate: $0) }
        let other = try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        return switch kind {
        case .session: nil
        case .anchored: try TransferTrust(anchors: TestTLS.authorityPEM)
        case .pinned: try TransferTrust(pins: [other] + pins, anchors: TestTLS.authorityPEM)
        case .wronglyPinned: try TransferTrust(pins: [other], anchors: TestTLS.authorityPEM)
        case .damaged: .damaged
        }
    }

    /// The trust is read from the disk.
    @Test(arguments: Trust.allCases, [true, false])
    func trustsItsOwnServers(kind: Trust, isUpload: Bool) async throws {
        try await with(.handler { _ in .text("ok") }, tls: .localhost) { server, folder, session in
            let (jobs, id) = (folder.appending(path: "queue"), TransferID(rawValue: "a"))
            let trust = try trust(kind)
            let file = folder.appending(path: isUpload ? "file" : "new")
            let transfer =
                try isUpload
                ? Transfer(uploading: file, to: server.url("/a"), id: id, trust: trust)
                : Transfer(server.url("/a"), to: file, id: id, trust: trust)
            try await queue(session, jobs).add(transfer)
            let last =
                switch kind {
                case .session, .wronglyPinned: "failed a certificateRejected"
                case .anchored, .pinned: isUpload ? "uploaded a 200" : "finished a"
                case .damaged: "failed a invalidConfiguration"
                }
            #expect(try await events(of: session, in: jobs) == ["started a", last])
            let isTrusted = kind == .anchored || kind == .pinned
            #expect(server.requestCount == (isTrusted ? 1 : 0))
            if kind == .damaged { #expect(server.acceptedConnections == 0) }
        }
    }

    /// Responds with the requested range.
    private static func respond(to request: TestRequest, _ content: [UInt8]) -> TestResponse {
        let words = request["range"]?.dropFirst("bytes=".count).split(separator: "-") ?? []
        let bounds = words.compactMap { Int($0) }
        guard let start = bounds.first, start < content.count else { return TestResponse(body: .bytes(content)) }
        let end = bounds.count > 1 ? min(bounds[1], content.count - 1) : content.count - 1
        return TestResponse(
            status: 206,
            fields: [("ETag", "\"1\""), ("Content-Range", "bytes \(start)-\(end)/\(content.count)")],
            body: .bytes(Array(content[start...end]))
        )
    }

    @Test func keepsItsSegments() async throws {
        let content = TestServer.pattern(count: 300_000)
        try await with(.handler { Self.respond(to: $0, content) }) { server, folder, session in
            let (jobs, file) = (folder.appending(path: "queue"), folder.appending(path: "new"))
            let transfer = try Transfer(
                server.url("/a"),
                to: file,
                id: TransferID(rawValue: "a"),
                segments: DownloadSegments(3, minimumBytes: 50_000)
            )
            try await queue(session, jobs).add(transfer)
            #expect(try await events(of: session, in: jobs) == ["started a", "finished a"])
            #expect(try Data(contentsOf: file) == Data(content))
            #expect(server.requests.first?["range"] == "bytes=0-")
            #expect(server.requestCount > 1)
        }
    }
}
