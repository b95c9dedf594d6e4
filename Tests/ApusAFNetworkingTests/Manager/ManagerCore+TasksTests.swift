internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

/// Downloads, uploads and serializers of tasks.
@Suite(.timeLimit(.minutes(5))) struct ManagerCoreTasksTests {
    // MARK: Downloads

    /// Parity: AFN-task-download
    @Test func movesADownloadToItsDestination() async throws {
        let folder = try TemporaryFolder()
        let test = TestManager { _ in
            MockResponse(fields: [.contentDisposition: "attachment; filename=\"a.txt\""], body: "content")
        }
        let seen = LockedList<String>()
        let request = try RequestMessage("http://h/x")
        let ended = await outcome { completion in
            test.manager.downloadTask(
                with: request,
                destination: { suggested, response in
                    seen.append("\(suggested.lastPathComponent) \(response.status.code)")
                    return folder.url.appending(path: suggested.lastPathComponent)
                },
                completionHandler: completion
            )
        }
        #expect(seen.all == ["a.txt 200"])
        #expect(ended.error == nil)
        #expect(ended.response?.status == .ok)
        #expect(ended.object == folder.url.appending(path: "a.txt"))
        #expect(try folder.names == ["a.txt"])
        try await assertNothingLeft(test.manager.session)
    }

    /// AFNetworking keeps the file of a rejected response, so an error page is stored in place of the content.
    /// Parity: AFN-download-status
    @Test func deletesTheFileOfARejectedDownload() async throws {
        let folder = try TemporaryFolder()
        let test = TestManager { _ in
            MockResponse(status: .forbidden, fields: TestManager.json, body: #"{"why":"no"}"#)
        }
        let request = try RequestMessage("http://h/x")
        let ended = await outcome { completion in
            test.manager.downloadTask(
                with: request,
                destination: { _, _ in folder.url.appending(path: "f") },
                completionHandler: completion
            )
        }
        #expect(ended.error?.code == .unacceptableStatus)
        #expect(ended.error?.data == Data(#"{"why":"no"}"#.utf8))
        #expect(ended.object == nil)
        #expect(try folder.names.isEmpty)
    }

    /// AFNetworking reports this only with a notification, and calls the completion handler with a success.
    /// Parity: AFN-notification-move, AFN-download-move
    @Test func reportsAFileThatCannotBeMoved() async throws {
        let folder = try TemporaryFolder()
        let test = TestManager()
        let file = folder.url.appending(path: "f")
        try Data("old".utf8).write(to: file)
        let request = try RequestMessage("http://h/x")
        let make = { (completion: @escaping HTTPSessionManager.Completion<URL>) in
            test.manager.downloadTask(
                with: request,
                destination: { _, _ in file },
                completionHandler: completion
            )
        }
        let reported = Deferred<ApusError?>()
        let task = make { reported.fulfill($3) }
        let failed = PostedNotification(.AFURLSessionDownloadTaskDidFailToMoveFile, about: task)
        let moved = PostedNotification(.AFURLSessionDownloadTaskDidMoveFileSuccessfully, about: task)
        task.resume()
        #expect(await reported.value?.code == .fileExists)
        #expect((await failed.userInfo[AFNetworkingKeys.error] as? ApusError)?.code == .fileExists)
        #expect(moved.count == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        #expect(try folder.names == ["f"])
    }

    /// Parity: AFN-notification-move
    @Test func replacesAFileIfAllowed() async throws {
        let folder = try TemporaryFolder()
        let test = TestManager { _ in MockResponse(body: "new") }
        let file = folder.url.appending(path: "sub/f")
        for options in [DownloadDestination.Options.createIntermediateDirectories, .removePreviousFile] {
            let reported = Deferred<(URL?, ApusError?)>()
            let task = test.manager.downloadTask(
                with: try RequestMessage("http://h/x"),
                destination: { _, _ in file },
                fileOptions: options
            ) { reported.fulfill(($2, $3)) }
            let moved = PostedNotification(.AFURLSessionDownloadTaskDidMoveFileSuccessfully, about: task)
            let ended = PostedNotification(.AFNetworkingTaskDidComplete, about: task)
            task.resume()
            #expect(await reported.value.1 == nil)
            _ = await moved.userInfo
            #expect(await ended.userInfo[AFNetworkingKeys.assetPath] as? URL == file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    }

    @Test func reportsTheErrorOfADestination() async throws {
        struct Nowhere: Error {}
        let test = TestManager()
        let request = try RequestMessage("http://h/x")
        let error = await failure { () throws(ApusError) in
            try await test.manager.download(for: request, destination: { _, _ in throw Nowhere() })
        }
        #expect(error?.underlying is Nowhere)
    }

    @Test func deletesTheFileOfAnInterruptedDownload() async throws {
        let folder = try TemporaryFolder()
        let behavior = TestServer.Behavior.handler { _ in
            var response = TestResponse(body: .pattern(count: 100_000))
            response.abortsAfterBodyBytes = 50_000
            return response
        }
        try await TestServer.with(behavior: behavior) { server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            let request = try RequestMessage(server.url("/x"))
            let error = await failure { () throws(ApusError) in
                try await manager.download(for: request, destination: { _, _ in folder.url.appending(path: "f") })
            }
            #expect(error != nil)
            #expect(try folder.names.isEmpty)
            try await assertNothingLeft(manager.session)
        }
    }

    // MARK: Uploads

    /// Parity: AFN-task-upload-file
    @Test func sendsAFile() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.with { server in
            let file = folder.url.appending(path: "f")
            try Data(repeating: 0x61, count: 70_000).write(to: file)
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            let request = try RequestMessage(server.url("/put"), method: .put)
            let ended = await outcome { completion in
                manager.uploadTask(with: request, fromFile: file, completionHandler: completion)
            }
            #expect(ended.error == nil)
            #expect((ended.object as? JSONValue)?["method"] == "PUT")
            #expect(ended.task.uploadProgress.completedUnitCount == 70_000)
            #expect(manager.uploadProgress(for: ended.task).fractionCompleted == 1)
            #expect(server.requests.first?.body.count == 70_000)
            try await assertNothingLeft(manager.session)
        }
    }

    @Test func reportsAMissingFile() async throws {
        let test = TestManager()
        let request = try RequestMessage("http://h/x", method: .put)
        let ended = await outcome { completion in
            test.manager.uploadTask(
                with: request,
                fromFile: URL(filePath: "/nowhere/at/all"),
                completionHandler: completion
            )
        }
        #expect(ended.error?.code == .fileUnreadable)
        #expect(test.transport.requests.isEmpty)
    }

    /// Parity: AFN-task-upload-data, AFN-task-upload-stream
    @Test func sendsBytesAndStreams() async throws {
        try await TestServer.with { server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            var request = try RequestMessage(server.url("/post"), method: .post)
            let data = request
            let first = await outcome { completion in
                manager.uploadTask(with: data, from: Data("abc".utf8), completionHandler: completion)
            }
            request.body = .replayable {
                AsyncStream<BodyChunk> { stream in
                    stream.yield(BodyChunk("de"))
                    stream.finish()
                }
            }
            let streamed = request
            let second = await outcome { completion in
                manager.uploadTask(withStreamedRequest: streamed, completionHandler: completion)
            }
            #expect(first.error == nil && second.error == nil)
            #expect(first.task.kind == .upload && second.task.kind == .upload)
            #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["abc", "de"])
            try await assertNothingLeft(manager.session)
        }
    }

    // MARK: Serializers

    /// Parity: AFN-task-data, AFN-response-error-parsed
    @Test func passesTheParsedObjectWithTheError() async throws {
        let test = TestManager { _ in
            MockResponse(status: .conflict, fields: TestManager.json, body: #"{"why":"taken"}"#)
        }
        let request = try RequestMessage("http://h/x")
        let ended = await outcome { test.manager.dataTask(with: request, completionHandler: $0) }
        #expect(ended.object as? JSONValue == ["why": "taken"])
        #expect(ended.error?.code == .unacceptableStatus)
        #expect(ended.error?.url == "http://h/x")
        #expect(ended.error?.method == .get)
        #expect(ended.error?.exchanges.count == 1)
        #expect(ended.response?.status == .conflict)
    }

    @Test func usesTheSerializerAtTheTasksCreation() async throws {
        let test = TestManager()
        let request = try RequestMessage("http://h/x")
        let ended = await outcome { completion in
            let task = test.manager.dataTask(with: request, completionHandler: completion)
            test.manager.responseSerializer = AFXMLDocumentResponseSerializer()
            return task
        }
        #expect(ended.object as? JSONValue == ["name": "swift"])
    }

    @Test func reportsTheErrorOfTheTransport() async throws {
        let test = TestManager { _ in throw ApusError(.connectFailed, "nobody there") }
        let request = try RequestMessage("http://h/x")
        let ended = await outcome { test.manager.dataTask(with: request, completionHandler: $0) }
        #expect(ended.error?.code == .connectFailed)
        #expect(ended.task.error?.code == .connectFailed)
        #expect(ended.response == nil && ended.object == nil)
    }
}
