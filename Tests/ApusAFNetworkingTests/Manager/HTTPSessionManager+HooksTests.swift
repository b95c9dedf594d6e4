internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPSessionManagerHooksTests {
    /// Responds to the first request with a redirect, and to the others with JSON.
    private static func redirecting() -> TestManager {
        TestManager { request in
            request.target.path == "/v1/x"
                ? MockResponse(status: .found, fields: [.location: "/y", .contentType: "application/json"], body: "{}")
                : MockResponse(fields: TestManager.json, body: "{}")
        }
    }

    // MARK: Redirects

    /// Parity: AFN-block-redirect
    @Test func followsARedirectAsTheBlockDecides() async throws {
        let test = Self.redirecting()
        let seen = LockedList<String>()
        test.manager.setTaskWillPerformHTTPRedirectionBlock { task, response, request in
            seen.append("\(task.originalRequest.target.path) \(response.status.code) \(request.target.path)")
            var request = request
            request.fields[.userAgent] = "redirected"
            return request
        }
        #expect(try await test.manager.get("x").response.status == .ok)
        #expect(seen.all == ["/v1/x 302 /y"])
        #expect(test.transport.requests.map(\.target.path) == ["/v1/x", "/y"])
        #expect(test.transport.requests.last?.fields[.userAgent] == "redirected")
        try await assertNothingLeft(test.manager.session)
    }

    /// Parity: AFN-block-redirect
    @Test func returnsARedirectThatTheBlockRejects() async throws {
        let test = Self.redirecting()
        test.manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _ in nil }
        let error = await failure { () throws(ApusError) in try await test.manager.get("x") }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status == .found)
        #expect(test.transport.requests.count == 1)
        // Without a block the redirect is followed again.
        test.manager.setTaskWillPerformHTTPRedirectionBlock(nil)
        #expect(try await test.manager.get("x").response.status == .ok)
        try await assertNothingLeft(test.manager.session)
    }

    /// Without a block the manager follows its configuration.
    @Test func usesTheRedirectHandlerOfTheConfigurationWithoutABlock() async throws {
        var configuration = SessionConfiguration()
        configuration.redirectHandler = .modify { request, _, _ in
            var request = request
            request.fields[.userAgent] = "configured"
            return request
        }
        let test = TestManager(configuration: configuration) { request in
            request.target.path == "/v1/x"
                ? MockResponse(status: .found, fields: [.location: "/y"])
                : MockResponse(fields: TestManager.json, body: "{}")
        }
        #expect(try await test.manager.get("x").response.status == .ok)
        #expect(test.transport.requests.last?.fields[.userAgent] == "configured")
        test.manager.setTaskWillPerformHTTPRedirectionBlock { _, _, request in
            var request = request
            request.fields[.userAgent] = "block"
            return request
        }
        #expect(try await test.manager.get("x").response.status == .ok)
        #expect(test.transport.requests.last?.fields[.userAgent] == "block")
        try await assertNothingLeft(test.manager.session)
    }

    // MARK: Challenges

    private struct Refusal: Error {}

    /// The replies of a credential source to a challenge, and the resulting errors.
    private enum ChallengeReply: CaseIterable {
        case credential, wrongCredential, nothing, error

        func credential(_ query: CredentialQuery) throws -> Credential? {
            switch self {
            case .credential: .user("ada", password: "secret")
            case .wrongCredential: query.previousFailureCount == 0 ? .user("ada", password: "wrong") : nil
            case .nothing: nil
            case .error: throw Refusal()
            }
        }

        var code: ApusError.Code? {
            switch self {
            case .credential: nil
            case .wrongCredential, .nothing: .unacceptableStatus
            case .error: .middlewareFailed
            }
        }
    }

    /// Parity: AFN-block-challenge, AFN-block-task-challenge
    @Test(arguments: ChallengeReply.allCases)
    private func handlesChallengesAsConfigured(reply: ChallengeReply) async throws {
        let queries = LockedList<String>()
        var configuration = SessionConfiguration()
        configuration.credentials = CredentialSource { query in
            queries.append("\(query.challenge.scheme) \(query.target.path) \(query.previousFailureCount)")
            return try reply.credential(query)
        }
        try await TestServer.with { [configuration] server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")), configuration: configuration)
            let error = await failure { () throws(ApusError) in try await manager.get("basic-auth/ada/secret") }
            #expect(error?.code == reply.code)
            if reply == .error { #expect(error?.underlying is Refusal) }
            try await assertNothingLeft(manager.session)
        }
        let expected = ["Basic /basic-auth/ada/secret 0", "Basic /basic-auth/ada/secret 1"]
        #expect(queries.all == Array(expected.prefix(reply == .wrongCredential ? 2 : 1)))
    }

    // MARK: Metrics and completion

    /// Parity: AFN-task-metrics, AFN-block-complete, AFN-block-metrics
    @Test func reportsMetricsAndTheEndBeforeTheCompletion() async throws {
        let test = TestManager()
        let seen = LockedList<String>()
        test.manager.setTaskDidFinishCollectingMetricsBlock { _, metrics in
            seen.append("exchanges: \(metrics.exchanges.count)")
        }
        test.manager.setTaskDidCompleteBlock { task, error in seen.append("over: \(task.state), \(error == nil)") }
        let result = await callResult { success, failure in
            test.manager.get(
                "x",
                success: { task, object in
                    seen.append("completion")
                    success(task, object)
                },
                failure: failure
            )
        }
        #expect(result.error == nil)
        #expect(seen.all == ["exchanges: 1", "over: completed, true", "completion"])
    }

    /// Parity: AFN-block-complete
    @Test func reportsTheErrorOfATaskThatNeverBegan() async throws {
        let test = TestManager()
        let codes = LockedList<ApusError.Code?>()
        test.manager.setTaskDidCompleteBlock { codes.append($1?.code) }
        let result = await callResult { success, failure in
            let task = test.manager.dataTask(withHTTPMethod: .get, urlString: "x", success: success, failure: failure)
            task?.cancel()
            return task
        }
        #expect(result.error?.code == .cancelled)
        #expect(codes.all == [.cancelled])
    }

    // MARK: Data tasks

    /// Parity: AFN-block-response
    @Test func cancelsATaskWhoseResponseIsRejected() async throws {
        let test = TestManager { _ in
            MockResponse(status: .accepted, chunks: [BodyChunk("a"), BodyChunk("b")])
        }
        let seen = LockedList<Int>()
        test.manager.setDataTaskDidReceiveResponseBlock { _, response in
            seen.append(response.status.code)
            return .cancel
        }
        let error = await failure { () throws(ApusError) in try await test.manager.get("x") }
        #expect(error?.code == .cancelled)
        #expect(error?.response?.status == .accepted)
        #expect(seen.all == [202])
        test.manager.setDataTaskDidReceiveResponseBlock { _, _ in .allow }
        let result = try await test.manager.get("x", serializer: AFHTTPResponseSerializer())
        #expect(result.object == Data("ab".utf8))
        try await assertNothingLeft(test.manager.session)
    }

    /// Parity: AFN-block-data
    @Test(arguments: [["{}"], ["[", "1,", "2]"], []])
    func reportsEachPieceOfABody(pieces: [String]) async throws {
        let test = TestManager { _ in
            MockResponse(fields: TestManager.json, chunks: pieces.map { BodyChunk($0) })
        }
        let seen = LockedList<String>()
        test.manager.setDataTaskDidReceiveDataBlock { seen.append(String(decoding: $1, as: UTF8.self)) }
        _ = try await test.manager.get("x")
        #expect(seen.all == pieces)
        try await assertNothingLeft(test.manager.session)
    }

    /// Parity: AFN-block-response
    @Test(arguments: [HandlerExecution.concurrent, .eventLoop])
    func callsTheResponseBlockWhereUserCodeRuns(handlerExecution: HandlerExecution) async throws {
        var configuration = SessionConfiguration()
        configuration.handlerExecution = handlerExecution
        try await TestServer.with { [configuration] server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")), configuration: configuration)
            let seen = LockedList<Int>()
            manager.setDataTaskDidReceiveResponseBlock { task, response in
                seen.append(response.status.code)
                return task.originalRequest.target.path == "/status/204" ? .cancel : .allow
            }
            _ = try await manager.get("get")
            let error = await failure { () throws(ApusError) in try await manager.get("status/204") }
            #expect(error?.code == .cancelled)
            #expect(seen.all == [200, 204])
            try await assertNothingLeft(manager.session)
        }
    }

    /// Parity: AFN-block-become-download
    @Test func doesNotCallTheResponseBlockForDownloads() async throws {
        let test = TestManager()
        test.manager.setDataTaskDidReceiveResponseBlock { _, _ in .cancel }
        let (file, _) = try await test.manager.download(for: try RequestMessage("http://h/x"))
        try FileManager.default.removeItem(at: file)
    }

    @Test func doesNotApplyALaterBlockToARunningTask() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let call = Task { try await test.manager.get("x").response.status }
        await barrier.reached()
        test.manager.setDataTaskDidReceiveResponseBlock { _, _ in .cancel }
        barrier.open()
        #expect(try await call.value == .ok)
        let error = await failure { () throws(ApusError) in try await test.manager.get("x") }
        #expect(error?.code == .cancelled)
    }

    // MARK: Files

    /// Parity: AFN-block-download-finished
    @Test func prefersTheManagersDownloadBlock() async throws {
        let test = TestManager()
        let file = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let seen = LockedList<String>()
        test.manager.setDownloadTaskDidFinishDownloadingBlock { task, suggested in
            seen.append("\(task.kind) \(suggested.lastPathComponent)")
            return file
        }
        let (url, _) = try await test.manager.download(
            for: try RequestMessage("http://h/a/report.pdf"),
            destination: { _, _ in
                seen.append("the task's")
                return URL(filePath: "/nowhere")
            }
        )
        #expect(url == file)
        #expect(seen.all == ["download report.pdf"])
    }

    /// Parity: AFN-block-download-finished
    @Test func fallsBackToTheTasksDestination() async throws {
        let test = TestManager()
        let file = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        test.manager.setDownloadTaskDidFinishDownloadingBlock { _, _ in nil }
        let (url, _) = try await test.manager.download(
            for: try RequestMessage("http://h/x"),
            destination: { _, _ in file }
        )
        #expect(url == file)
    }

    /// A transport that loses the connection after sending the body, and sends it in pieces the second time.
    private struct LosingTransport: Transport {
        let count = LockedList<Int>()
        let notified: @Sendable (_ changes: Int) async -> Void

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            count.append(1)
            if count.all.count == 1 {
                record.noteSent(10)
                await notified(1)
                throw ApusError(.connectionClosed, "it went away")
            }
            record.noteSent(4)
            await notified(2)
            record.noteSent(10)
            await notified(3)
            record.close(at: context.time.now)
            return ResponseMessage(status: .ok, fields: TestManager.json, body: .empty, record: record)
        }
    }

    /// Parity: AFN-block-sent
    @Test func reportsNoNegativeProgressOfARetriedUpload() async throws {
        let changes = LockedList<Int64>()
        let reported = [Deferred<Void>(), Deferred<Void>(), Deferred<Void>()]
        let transport = LosingTransport { await reported[$0 - 1].value }
        var configuration = SessionConfiguration()
        configuration.interceptor = Interceptor(retriers: [Retrier { _, _ in .retry }])
        let manager = HTTPSessionManager(baseURL: TestManager.base, configuration: configuration, transport: transport)
        manager.completionQueue = DispatchQueue(label: "test.completion")
        manager.setTaskDidSendBodyDataBlock { _, change, _, _ in
            changes.append(change)
            if reported.indices.contains(changes.all.count - 1) { reported[changes.all.count - 1].fulfill(()) }
        }
        let request = try RequestMessage("http://h/x", method: .put)
        let ended = await outcome { (completion: @escaping HTTPSessionManager.Completion<any Sendable>) in
            manager.uploadTask(with: request, from: Data(count: 10), completionHandler: completion)
        }
        #expect(ended.error == nil)
        #expect(changes.all == [10, 4, 6])
        try await assertNothingLeft(manager.session)
    }

    /// Parity: AFN-task-progress-object, AFN-block-sent, AFN-block-download-wrote
    @Test func reportsSentAndReceivedBytes() async throws {
        try await TestServer.with { server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            let sent = LockedList<Int64>()
            let written = LockedList<Int64>()
            let totals = LockedList<Int64?>()
            manager.setTaskDidSendBodyDataBlock { _, change, _, total in
                sent.append(change)
                totals.append(total)
            }
            manager.setDownloadTaskDidWriteDataBlock { _, change, _, total in
                written.append(change)
                totals.append(total)
            }
            let request = try RequestMessage(server.url("/post"), method: .post)
            let content = { @Sendable in RequestBody.bytes(Data(count: 300_000)) }
            _ = try await manager.upload(for: request, content: content, serializer: AFJSONResponseSerializer())
            let (file, _) = try await manager.download(for: try RequestMessage(server.url("/bytes/200000")))
            try FileManager.default.removeItem(at: file)
            #expect(sent.all.reduce(0, +) == 300_000)
            #expect(written.all.reduce(0, +) == 200_000)
            #expect(Set(totals.all) == [300_000, 200_000])
            try await assertNothingLeft(manager.session)
        }
    }
}
