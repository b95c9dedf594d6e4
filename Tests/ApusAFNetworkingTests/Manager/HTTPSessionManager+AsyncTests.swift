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

@Suite(.timeLimit(.minutes(5))) struct HTTPSessionManagerAsyncTests {
    private typealias ObjectResponse = HTTPSessionManager.ObjectResponse<any Sendable>

    private static func call(
        _ method: HTTPRequest.Method,
        _ manager: HTTPSessionManager
    ) async throws(ApusError) -> ObjectResponse {
        let parameters: Parameters = ["a": 1]
        let headers: RequestFields = [.userAgent: "mine"]
        switch method {
        case .get: return try await manager.get("x", parameters: parameters, headers: headers)
        case .head: return (nil, try await manager.head("x", parameters: parameters, headers: headers))
        case .post: return try await manager.post("x", parameters: parameters, headers: headers)
        case .put: return try await manager.put("x", parameters: parameters, headers: headers)
        case .patch: return try await manager.patch("x", parameters: parameters, headers: headers)
        default: return try await manager.delete("x", parameters: parameters, headers: headers)
        }
    }

    private static func typed(_ method: HTTPRequest.Method, _ manager: HTTPSessionManager) async throws -> Data? {
        let serializer = AFHTTPResponseSerializer()
        return switch method {
        case .get: try await manager.get("x", serializer: serializer).object
        case .post: try await manager.post("x", serializer: serializer).object
        case .put: try await manager.put("x", serializer: serializer).object
        case .patch: try await manager.patch("x", serializer: serializer).object
        default: try await manager.delete("x", serializer: serializer).object
        }
    }

    /// Parity: AFN-http-get, AFN-http-head, AFN-http-post, AFN-http-put, AFN-http-patch, AFN-http-delete
    @Test(arguments: HTTPSessionManagerClosuresTests.methods)
    func sendsMethodParametersAndFields(method: HTTPRequest.Method) async throws {
        let test = TestManager()
        let result = try await Self.call(method, test.manager)
        #expect(result.response.status == .ok)
        if method != .head { #expect(result.object as? JSONValue == ["name": "swift"]) }
        let request = try #require(test.request)
        #expect(request.method == method)
        #expect(request.fields[.userAgent] == "mine")
        #expect(request.target.path == ([.get, .head, .delete].contains(method) ? "/v1/x?a=1" : "/v1/x"))
        try await assertNothingLeft(test.manager.session)
    }

    @Test(arguments: HTTPSessionManagerClosuresTests.methods)
    func throwsWithTheBodyOfARejectedResponse(method: HTTPRequest.Method) async throws {
        let test = TestManager { _ in MockResponse(status: .badRequest, fields: TestManager.json, body: "[1]") }
        let error = await failure { () throws(ApusError) in try await Self.call(method, test.manager) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.data == Data("[1]".utf8))
        #expect(error?.exchanges.count == 1)
        try await assertNothingLeft(test.manager.session)
    }

    @Test(arguments: HTTPSessionManagerClosuresTests.methods.filter { $0 != .head })
    func returnsTheObjectOfTheSerializer(method: HTTPRequest.Method) async throws {
        let test = TestManager { _ in MockResponse(fields: [.contentType: "text/html"], body: "<p>") }
        #expect(try await Self.typed(method, test.manager) == Data("<p>".utf8))
        #expect(test.request?.method == method)
    }

    @Test(.timeLimit(.minutes(1))) func needsNoCompletionQueue() async throws {
        let test = TestManager()
        let queue = DispatchQueue(label: "test.stuck", attributes: .initiallyInactive)
        test.manager.completionQueue = queue
        let result = Deferred<JSONValue?>()
        let call = Task { result.fulfill(try await test.manager.get("x").object as? JSONValue) }
        #expect(await eventually { result.present != nil })
        // Runs work that is still queued, so that the test ends.
        queue.activate()
        _ = try await call.value
        #expect(result.present == ["name": "swift"])
    }

    /// Parity: AFN-http-headers
    @Test func takesFieldsAsStrings() async throws {
        let test = TestManager()
        _ = try await test.manager.put("x", headers: ["X-Tag": "blue"])
        _ = try await test.manager.put("x", headers: [.authorization(bearerToken: "t")])
        let requests = test.transport.requests
        #expect(requests.first?.fields.first { $0.name.rawName == "X-Tag" }?.value == "blue")
        #expect(requests.last?.fields[.authorization] == "Bearer t")
        let error = await failure { () throws(ApusError) in
            try await test.manager.put("x", headers: ["no token": "blue"])
        }
        #expect(error?.code == .invalidField)
        #expect(test.transport.requests.count == 2)
    }

    @Test func throwsIfTheRequestCannotBeCreated() async {
        let test = TestManager()
        let error = await failure { () throws(ApusError) in try await test.manager.get("\u{1}") }
        #expect(error?.code == .invalidURL)
    }

    @Test func cancelsTheRequestWithItsTask() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let call = Task { await failure { () throws(ApusError) in try await test.manager.get("x") } }
        await barrier.reached()
        #expect(test.manager.tasks.count == 1)
        call.cancel()
        #expect(await call.value?.code == .cancelled)
        #expect(test.manager.tasks.isEmpty)
        try await assertNothingLeft(test.manager.session)
    }

    @Test func startsNothingInACancelledTask() async throws {
        let test = TestManager()
        let error = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { () throws(ApusError) in try await test.manager.get("x") }
        }.value
        #expect(error?.code == .cancelled)
        #expect(test.transport.requests.isEmpty)
    }

    /// Parity: AFN-http-post-form
    @Test func sendsAForm() async throws {
        try await TestServer.with { server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            let any = try await manager.post("post", parameters: ["a": 1]) { form in
                form.appendPart(withForm: Data("2".utf8), name: "b")
            }
            #expect((any.object as? JSONValue)?["method"] == "POST")
            let typed = try await manager.post("post", serializer: AFHTTPResponseSerializer()) { form in
                form.appendPart(withForm: Data("3".utf8), name: "c")
            }
            #expect(typed.object?.isEmpty == false)
            let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(bodies.first?.contains("name=\"b\"\r\n\r\n2\r\n") == true)
            #expect(bodies.last?.contains("name=\"c\"\r\n\r\n3\r\n") == true)
            try await assertNothingLeft(manager.session)
        }
    }

    /// Parity: AFN-manager-configuration
    @Test func sendsAndReceivesThroughTheEngine() async throws {
        try await TestServer.with { server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
            manager.requestSerializer = AFJSONRequestSerializer()
            let (object, response) = try await manager.put("put", parameters: ["a": [1, 2]])
            #expect(response.status == .ok)
            #expect((object as? JSONValue)?["method"] == "PUT")
            #expect(server.requests.first.map { String(decoding: $0.body, as: UTF8.self) } == #"{"a":[1,2]}"#)
            #expect(try await manager.head("bytes/9").headerFields[.contentLength] == "9")
            let error = await failure { () throws(ApusError) in try await manager.get("status/503") }
            #expect(error?.code == .unacceptableStatus)
            try await assertNothingLeft(manager.session)
        }
    }

    // MARK: Existing requests

    @Test func sendsAnExistingRequest() async throws {
        let test = TestManager()
        let request = try RequestMessage("http://h/x", method: .post)
        let serializer = AFHTTPResponseSerializer()
        let content = { @Sendable in RequestBody.string("abc") }
        _ = try await test.manager.upload(for: request, content: content, serializer: serializer)
        #expect(try await test.manager.data(for: request, serializer: serializer).object?.count == 16)
        #expect(test.transport.requests.map(\.body.length) == [3, 0])
    }

    /// Parity: AFN-task-download
    @Test func movesADownloadToItsDestination() async throws {
        let test = TestManager()
        let file = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let (url, response) = try await test.manager.download(
            for: try RequestMessage("http://h/x"),
            destination: { _, _ in file }
        )
        #expect(url == file)
        #expect(response.status == .ok)
        #expect(try String(contentsOf: file, encoding: .utf8) == #"{"name":"swift"}"#)
    }
}
