internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPSessionManagerClosuresTests {
    typealias Success = HTTPSessionManager.Success
    typealias Failure = HTTPSessionManager.Failure

    /// Calls the function for a method.
    private static func call(
        _ method: HTTPRequest.Method,
        _ manager: HTTPSessionManager,
        _ success: @escaping Success,
        _ failure: @escaping Failure
    ) -> SessionTask? {
        let parameters: Parameters = ["a": 1]
        let headers: RequestFields = [.userAgent: "mine"]
        let plain = (parameters, headers)
        switch method {
        case .get: return manager.get("x", parameters: plain.0, headers: plain.1, success: success, failure: failure)
        case .head:
            let withoutObject = { @Sendable task in success(task, nil) }
            return manager.head("x", parameters: plain.0, headers: plain.1, success: withoutObject, failure: failure)
        case .post: return manager.post("x", parameters: plain.0, headers: plain.1, success: success, failure: failure)
        case .put: return manager.put("x", parameters: plain.0, headers: plain.1, success: success, failure: failure)
        case .patch:
            return manager.patch("x", parameters: plain.0, headers: plain.1, success: success, failure: failure)
        default: return manager.delete("x", parameters: plain.0, headers: plain.1, success: success, failure: failure)
        }
    }

    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]

    /// Parity: AFN-http-get, AFN-http-head, AFN-http-post, AFN-http-put, AFN-http-patch, AFN-http-delete
    /// Parity: AFN-http-headers
    @Test(arguments: methods)
    func sendsMethodParametersAndFields(method: HTTPRequest.Method) async throws {
        let test = TestManager()
        let result = await callResult { Self.call(method, test.manager, $0, $1) }
        #expect(result.error == nil)
        #expect(result.task?.response?.status == .ok)
        let request = try #require(test.request)
        #expect(request.method == method)
        let inQuery = [.get, .head, .delete].contains(method)
        #expect(request.target.uri == "https://api.example.org/v1/x" + (inQuery ? "?a=1" : ""))
        #expect(request.body.length == (inQuery ? 0 : 3))
        #expect(request.fields[fields: .userAgent].map(\.value) == ["mine"])
        #expect(request.fields[.contentType] == (inQuery ? nil : "application/x-www-form-urlencoded"))
        try await assertNothingLeft(test.manager.session)
    }

    /// Parity: AFN-manager-configuration, AFN-manager-defaults, AFN-http-resumed
    @Test func passesTheObject() async throws {
        let test = TestManager()
        let result = await callResult { test.manager.get("x", success: $0, failure: $1) }
        #expect(result.object as? JSONValue == ["name": "swift"])
        #expect(result.task?.state == .completed)
        #expect(result.task?.error == nil)
    }

    /// Parity: AFN-http-headers
    @Test func takesFieldsAsStrings() async throws {
        let test = TestManager()
        let tag = "blue"
        let result = await callResult { success, failure in
            test.manager.get("x", headers: ["X-Tag": tag, .accept: "a/b"], success: success, failure: failure)
        }
        #expect(result.error == nil)
        #expect(test.request?.fields.first { $0.name.rawName == "X-Tag" }?.value == "blue")
        #expect(test.request?.fields[.accept] == "a/b")
    }

    /// Parity: AFN-http-unmade
    @Test func failsWithoutATaskIfAFieldIsInvalid() async throws {
        let test = TestManager()
        let headers: RequestFields = ["X-Tag": "a\r\nX-Evil: 1"]
        let result = await callResult {
            test.manager.post("x", headers: headers, success: $0, failure: $1)
        }
        #expect(result.error?.code == .invalidField)
        #expect(result.task == nil)
        let form = await callResult { success, failure in
            test.manager.post(
                "x",
                headers: headers,
                constructingBodyWith: { $0.appendPart(withForm: Data(), name: "a") },
                success: success,
                failure: failure
            )
        }
        #expect(form.error?.code == .invalidField)
        #expect(test.transport.requests.isEmpty)
    }

    /// Parity: AFN-response-error-content
    @Test(arguments: methods)
    func passesTheError(method: HTTPRequest.Method) async throws {
        let test = TestManager { _ in
            MockResponse(status: .notFound, fields: TestManager.json, body: #"{"error":"none"}"#)
        }
        let result = await callResult { Self.call(method, test.manager, $0, $1) }
        #expect(result.error?.code == .unacceptableStatus)
        #expect(result.error?.method == method)
        #expect(result.error?.data.map { String(decoding: $0, as: UTF8.self) } == #"{"error":"none"}"#)
        #expect(result.task?.error?.code == .unacceptableStatus)
        #expect(result.task?.response?.status == .notFound)
    }

    /// Parity: AFN-http-base
    @Test(arguments: [
        ("https://api.example.org/v1", "users", "https://api.example.org/v1/users"),
        ("https://api.example.org/v1/", "users/1?b=2", "https://api.example.org/v1/users/1?b=2"),
        ("https://api.example.org/v1", "/users", "https://api.example.org/users"),
        ("https://api.example.org/v1", "../users", "https://api.example.org/users"),
        ("https://api.example.org/v1", "?b=2", "https://api.example.org/v1/?b=2"),
        ("https://api.example.org/v1", "", "https://api.example.org/v1/"),
        ("https://api.example.org", "users", "https://api.example.org/users"),
        ("https://api.example.org/v1", "https://elsewhere.example/", "https://elsewhere.example/"),
        ("https://api.example.org/v1", "//elsewhere.example/", "https://elsewhere.example/"),
        ("https://api.example.org/v1", "grüße", "https://api.example.org/v1/gr%C3%BC%C3%9Fe"),
        (nil, "http://h/x", "http://h/x"),
    ])
    func resolvesURLs(base: String?, reference: String, expected: String) async throws {
        let test = TestManager(baseURL: base.flatMap { URL(string: $0) })
        _ = await callResult { test.manager.get(reference, success: $0, failure: $1) }
        #expect(test.request?.target.uri == expected)
    }

    @Test func sendsTheCredentialsOfTheBaseURLOnlyToItsOrigin() async throws {
        let test = TestManager(baseURL: URL(string: "https://ada:secret@api.example.org/"))
        _ = await callResult { test.manager.get("x", success: $0, failure: $1) }
        _ = await callResult { test.manager.get("https://elsewhere.example/", success: $0, failure: $1) }
        let fields = test.transport.requests.map { $0.fields[.authorization] }
        #expect(fields == ["Basic YWRhOnNlY3JldA==", nil])
    }

    /// Parity: AFN-http-unmade
    @Test(arguments: [nil, URL(string: "ftp://h/"), URL(string: "relative")])
    func failsAsynchronouslyIfTheRequestCannotBeCreated(base: URL?) async throws {
        let test = TestManager(baseURL: base)
        let returned = LockedList<SessionTask?>()
        let result = await callResult { success, failure in
            let task = test.manager.get("no\u{1}url", success: success, failure: failure)
            returned.append(task)
            return task
        }
        #expect(result.error?.code == .invalidURL)
        #expect(result.task == nil)
        #expect(returned.all.count == 1 && returned.all[0] == nil)
        #expect(test.transport.requests.isEmpty)
    }

    /// Parity: AFN-http-unmade
    @Test func failsIfParametersCannotBeEncoded() async throws {
        let test = TestManager()
        test.manager.requestSerializer = AFJSONRequestSerializer()
        let parameters: Parameters = ["d": .data(Data())]
        let result = await callResult { test.manager.post("x", parameters: parameters, success: $0, failure: $1) }
        #expect(result.error?.code == .parameterEncodingFailed)
        #expect(result.error?.method == .post)
        #expect(result.task == nil)
    }

    /// Parity: AFN-task-suspended, AFN-http-any-method
    @Test func createsASuspendedTaskOfAnyMethod() async throws {
        let test = TestManager()
        let done = Deferred<Void>()
        let task = test.manager.dataTask(
            withHTTPMethod: .init("REPORT") ?? .get,
            urlString: "x",
            success: { _, _ in done.fulfill(()) },
            failure: nil
        )
        #expect(task?.state == .suspended)
        #expect(test.transport.requests.isEmpty)
        task?.resume()
        await done.value
        #expect(test.request?.method.rawValue == "REPORT")
    }

    /// Parity: AFN-http-timeout
    @Test func takesTheDeadlineFromTheRequestSerializer() async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.time = clock
        let barrier = Barrier()
        let test = TestManager(configuration: configuration) { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse()
        }
        test.manager.requestSerializer.deadline = .seconds(3)
        let call = Task { await callResult { test.manager.get("x", success: $0, failure: $1) } }
        await barrier.reached()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        #expect(await call.value.error?.code == .deadlineExceeded)
    }

    // MARK: Completion queues

    /// Parity: AFN-completion-queue, AFN-completion-group
    @Test func callsCompletionsOnTheirQueueAndInTheirGroup() async throws {
        let test = TestManager()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test.other")
        queue.setSpecific(key: key, value: true)
        let group = DispatchGroup()
        test.manager.completionQueue = queue
        test.manager.completionGroup = group
        let seen = LockedList<Bool?>()
        let isCalled = Deferred<Void>()
        test.manager.get("x") { _, _ in
            seen.append(DispatchQueue.getSpecific(key: key))
            isCalled.fulfill(())
        } failure: { _, _ in
        }
        await isCalled.value
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        #expect(seen.all == [true])
        // The same holds for a request that cannot be created.
        test.manager.get("\u{1}", success: nil) { _, _ in seen.append(DispatchQueue.getSpecific(key: key)) }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        #expect(seen.all == [true, true])
    }

    /// A running handler stays in the group, which is left when it returns.
    /// Parity: AFN-completion-group
    @Test func leavesTheGroupAfterTheHandler() async throws {
        let test = TestManager()
        let group = DispatchGroup()
        test.manager.completionGroup = group
        let isEmpty = Deferred<Bool>()
        test.manager.get("x") { _, _ in
            isEmpty.fulfill(group.wait(timeout: .now()) == .success)
        } failure: { _, _ in
        }
        #expect(await isEmpty.value == false)
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        try await assertNothingLeft(test.manager.session)
    }

    /// Parity: AFN-completion-queue
    @Test func callsCompletionsOnTheMainQueueByDefault() async throws {
        let test = TestManager()
        test.manager.completionQueue = nil
        let isMain = Deferred<Bool>()
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        test.manager.get("x") { _, _ in
            isMain.fulfill(DispatchQueue.getSpecific(key: key) == true)
        } failure: { _, _ in
            isMain.fulfill(false)
        }
        #expect(await isMain.value)
    }

    /// Parity: AFN-task-progress, AFN-task-progress-object
    @Test func reportsTheProgressOfTheResponseBody() async throws {
        let test = TestManager { _ in
            MockResponse(
                fields: [.contentType: "application/json", .contentLength: "2"],
                chunks: [BodyChunk("{"), BodyChunk("}")]
            )
        }
        let seen = LockedList<SessionTask.Progress>()
        let result = await callResult { test.manager.get("x", progress: { seen.append($0) }, success: $0, failure: $1) }
        #expect(seen.all.last?.completedUnitCount == 2)
        #expect(seen.all.last?.totalUnitCount == 2)
        #expect(seen.all.last?.fractionCompleted == 1)
        let task = try #require(result.task)
        #expect(test.manager.downloadProgress(for: task).completedUnitCount == 2)
        #expect(task.downloadProgress.isFinished)
    }

    // MARK: Forms with files

    /// Parity: AFN-http-post-form
    @Test func sendsAForm() async throws {
        try await TestServer.with { server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            manager.completionQueue = DispatchQueue(label: "test.completion")
            let seen = LockedList<SessionTask.Progress>()
            let result = await callResult { success, failure in
                manager.post(
                    "post",
                    parameters: ["name": "Ada"],
                    headers: [.contentType: "text/plain", .userAgent: "mine"],
                    constructingBodyWith: { form in form.appendPart(withForm: Data("36".utf8), name: "age") },
                    progress: { seen.append($0) },
                    success: success,
                    failure: failure
                )
            }
            #expect(result.error == nil)
            #expect(result.task?.kind == .upload)
            let request = try #require(server.requests.first)
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.contains("name=\"name\"\r\n\r\nAda\r\n") && body.contains("name=\"age\"\r\n\r\n36\r\n"))
            #expect(
                request.fields.first { $0.0.lowercased() == "content-type" }?.1.hasPrefix("multipart/form-data") == true
            )
            #expect(seen.all.last?.completedUnitCount == Int64(request.body.count))
            try await assertNothingLeft(manager.session)
        }
    }

    @Test func failsWithoutATaskIfAFormCannotBeBuilt() async throws {
        let test = TestManager()
        let result = await callResult { success, failure in
            test.manager.post(
                "x",
                constructingBodyWith: { form in
                    try form.appendPart(
                        withFileData: Data(),
                        name: "f",
                        fileName: "f",
                        mimeType: "text/plain\r\nX-Evil: 1"
                    )
                },
                success: success,
                failure: failure
            )
        }
        #expect(result.error?.code == .multipartEncodingFailed)
        #expect(result.task == nil)
        #expect(test.transport.requests.isEmpty)
    }

    /// AFNetworking builds streamed forms on the main queue, and deadlocks if the main thread waits for them.
    /// Parity: AFN-http-main-queue
    @Test func sendsAFormWithoutTheMainQueue() async throws {
        try await TestServer.with { server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            manager.completionQueue = DispatchQueue(label: "test.completion")
            let outcomes = await MainActor.run { () -> [ApusError.Code?] in
                let isOver = DispatchSemaphore(value: 0)
                let seen = LockedList<ApusError.Code?>()
                manager.post(
                    "post",
                    constructingBodyWith: { form in
                        form.appendPart(withForm: Data(repeating: 0x61, count: 1 << 20), name: "a")
                    },
                    success: { _, _ in
                        seen.append(nil)
                        isOver.signal()
                    },
                    failure: { _, error in
                        seen.append(error.code)
                        isOver.signal()
                    }
                )
                _ = isOver.wait(timeout: .now() + 60)
                return seen.all
            }
            #expect(outcomes == [nil])
            try await assertNothingLeft(manager.session)
        }
    }

    // MARK: Rejected content types

    /// AFNetworking discards the body. Here the error has it, and any set of types can be accepted.
    /// Parity: AFN-response-error-content
    @Test(arguments: ["text/html", "text/plain; charset=utf-8"])
    func rejectsOrAcceptsAnotherContentType(type: String) async throws {
        let test = TestManager { _ in MockResponse(fields: [.contentType: type], body: #"{"a":1}"#) }
        var result = await callResult { test.manager.get("x", success: $0, failure: $1) }
        #expect(result.error?.code == .unacceptableContentType)
        #expect(result.error?.data == Data(#"{"a":1}"#.utf8))
        var serializer = AFJSONResponseSerializer()
        serializer.acceptableContentTypes?.insert("text/*")
        test.manager.responseSerializer = serializer
        result = await callResult { test.manager.get("x", success: $0, failure: $1) }
        #expect(result.object as? JSONValue == ["a": 1])
    }
}
