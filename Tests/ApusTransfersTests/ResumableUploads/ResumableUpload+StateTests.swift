internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

/// Uploads that are cancelled, and continued by another program.
@Suite(.timeLimit(.minutes(5))) struct ResumableUploadStateTests {
    private typealias State = ResumableUpload.State

    private static let policy = ResumableUpload.Policy(retryLimit: 3, scale: .zero)
    private static let announcement =
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\n"
        + "Location: /uploads/1?key=secret\r\nUpload-Limit: max-age=3600\r\n\r\n"
    private static let hanging: Script = [.expectHead, .send(announcement), .silence]

    private func state(resource: String = "https://h/uploads/1", length: Int64 = 10, offset: Int64 = 5) -> State {
        State(
            resource: resource,
            length: length,
            offset: offset,
            expiry: nil,
            interopVersion: .v6,
            file: nil
        )
    }

    private func with(_ scripts: [Script], _ work: (TestServer, Session) async throws -> Void) async throws {
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            var configuration = Session.Configuration()
            configuration.proxy = .none
            configuration.timeouts.connect = .seconds(60)
            let session = Session(configuration: configuration)
            do {
                try await work(server, session)
            } catch {
                await session.shutdown(within: .zero)
                throw error
            }
            try await assertNothingLeft(session)
        }
    }

    /// Cancels an upload when it knows its resource.
    private func cancelWithState(_ upload: ResumableUpload, discarding: Bool = false) async -> ApusError? {
        let states = upload.states()
        Task { for await _ in states { upload.cancel(discarding: discarding) } }
        return await failure { try await upload.response() }
    }

    @Test func anotherProcessContinuesAFile() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write("0123456789", to: "movie")
        let completing: Script = [
            .expectHead, .send("HTTP/1.1 204 X\r\nUpload-Offset: 4\r\nUpload-Complete: ?0\r\n\r\n"), .expectHead,
            .expectBody, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .silence,
        ]
        try await with([Self.hanging, completing]) { server, session in
            let first = session.uploadResumably(file, to: server.url("/files"), policy: Self.policy)
            #expect(await cancelWithState(first)?.code == .cancelled)
            let data = try JSONEncoder().encode(try #require(first.state))
            let state = try JSONDecoder().decode(State.self, from: data)
            #expect(state == first.state)
            #expect(state.resource == server.url("/uploads/1?key=secret"))
            #expect(state.fileURL?.path == file.path)
            #expect(state.length == 10)
            #expect(state.expiry != nil)
            let second = session.uploadResumably(
                resumingWith: state,
                fields: [.authorization: "Bearer x"],
                policy: Self.policy
            )
            #expect(second.state == state)
            #expect(try await second.response().string() == "done")
            let requests = server.requests
            #expect(requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(requests[2].bodyText == "456789")
            #expect(requests.map { $0["Authorization"] } == [nil, "Bearer x", "Bearer x"])
        }
    }

    @Test func failsIfTheFileHasChangedSince() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write("0123456789", to: "movie")
        try await with([Self.hanging]) { server, session in
            let first = session.uploadResumably(file, to: server.url("/files"), policy: Self.policy)
            _ = await cancelWithState(first)
            let state = try #require(first.state)
            try folder.write("01234567890", to: "movie")
            let second = session.uploadResumably(resumingWith: state, policy: Self.policy)
            #expect(await failure { try await second.response() }?.code == .fileChanged)
            // The state stays, for a program that restores the file.
            #expect(second.state == state)
            #expect(server.requestCount == 1)
        }
    }

    @Test func removesTheUploadIfTheCallerWantsThat() async throws {
        let removal: Script = [.expectHead, .send("HTTP/1.1 204 X\r\n\r\n"), .silence]
        try await with([Self.hanging, removal]) { server, session in
            let upload = session.uploadResumably(.string("0123456789"), to: server.url("/files"), policy: Self.policy)
            #expect(await cancelWithState(upload, discarding: true)?.code == .cancelled)
            #expect(upload.state == nil)
            #expect(server.requests.map(\.method) == ["POST", "DELETE"])
            #expect(server.requests.map(\.target).last == "/uploads/1?key=secret")
        }
    }

    @Test func removesTheUploadOfAnotherProcess() async throws {
        let removal: Script = [.expectHead, .send("HTTP/1.1 204 X\r\n\r\n"), .silence]
        try await with([removal]) { server, session in
            let state = state(resource: server.url("/uploads/1"))
            let upload = session.uploadResumably(resumingWith: state, body: .string("0123456789"), policy: Self.policy)
            upload.cancel(discarding: true)
            #expect(await failure { try await upload.response() }?.code == .cancelled)
            #expect(server.requests.map(\.method) == ["DELETE"])
        }
    }

    @Test func cancelsWithItsTask() async throws {
        let gate = Gate()
        try await with([[.expectHead, .signal(gate), .silence]]) { server, session in
            let upload = session.uploadResumably(.string("0123456789"), to: server.url("/files"), policy: Self.policy)
            let task = Task { await failure { try await upload.response() } }
            await gate.wait()
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(server.requestCount == 1)
        }
    }

    @Test func sendsNothingIfItIsCancelledFirst() async throws {
        let test = TestSession()
        let upload = test.session.uploadResumably(.string("text"), to: "https://h/files")
        upload.cancel()
        #expect(await failure { try await upload.response() }?.code == .cancelled)
        #expect(test.requestCount == 0)
        for await _ in upload.states() { Issue.record("there is no state") }
    }

    @Test func ignoresACancellationAfterItsEnd() async throws {
        let test = TestSession()
        let upload = test.session.uploadResumably(.string("text"), to: "https://h/files")
        for _ in 0..<2 {
            #expect(try await upload.response().string() == "ok")
            upload.cancel(discarding: true)
        }
        #expect(test.requestCount == 1)
    }

    @Test func rejectsAStateThatCantBeContinued() async throws {
        let test = TestSession()
        let body = RequestBody.string("0123456789")
        let cases: [(State, RequestBody?, ApusError.Code)] = [
            (state(), nil, .invalidRequest), (state(), .string("short"), .invalidRequest),
            (state(offset: 11), body, .invalidRequest), (state(offset: -1), body, .invalidRequest),
            (state(length: -1, offset: 0), body, .invalidRequest), (state(resource: "/uploads/1"), body, .invalidURL),
            (state(resource: "ftp://h/1"), body, .invalidURL),
        ]
        for (state, body, code) in cases {
            let upload = test.session.uploadResumably(resumingWith: state, body: body)
            #expect(await failure { try await upload.response() }?.code == code)
        }
        #expect(test.requestCount == 0)
    }

    @Test func forgetsTheReadersThatHaveLeft() {
        let test = TestSession()
        let upload = test.session.uploadResumably(.string("text"), to: "https://h/files")
        for _ in 0..<10 { _ = upload.states() }
        let count = upload.status.withLock { $0.watchers.count }
        #expect(count == 0)
    }

    @Test func showsNoSecrets() {
        let state = state(resource: "https://h/uploads/secret")
        for text in ["\(state)", String(reflecting: state)] { #expect(!text.contains("secret")) }
        var dumped = ""
        dump(state, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
