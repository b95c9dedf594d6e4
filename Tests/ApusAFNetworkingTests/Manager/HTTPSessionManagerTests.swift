internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

/// The settings of a manager.
@Suite(.timeLimit(.minutes(5))) struct HTTPSessionManagerTests {
    /// Accepts only HTML, and counts its bytes.
    private struct PageSerializer: AFURLResponseSerialization {
        func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<Int> {
            AFSerializedResponse(response.headerFields[.contentType] == "text/html" ? data.count : nil)
        }
    }

    // MARK: Serializers in place

    /// Parity: AFN-manager-defaults, AFN-response-any-type
    @Test func changesItsResponseSerializerInPlace() async throws {
        let fields: HTTPFields = [.contentType: "text/html"]
        let test = TestManager { _ in MockResponse(status: .notFound, fields: fields, body: "[1]") }
        test.manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]
        test.manager.responseSerializer.acceptableStatusCodes?.insert(404)
        #expect(test.manager.responseSerializer is AFJSONResponseSerializer)
        #expect(try await test.manager.get("x").object as? JSONValue == [1])
        test.manager.responseSerializer.acceptableContentTypes = nil
        #expect(test.manager.responseSerializer.acceptableContentTypes == nil)
    }

    @Test func changesItsRequestSerializerInPlace() async throws {
        let test = TestManager()
        try test.manager.requestSerializer.setValue("blue", forHTTPHeaderField: "X-Tag")
        test.manager.requestSerializer.httpMethodsEncodingParametersInURI.insert(.put)
        _ = try await test.manager.put("x", parameters: ["a": 1])
        #expect(test.request?.target.path == "/v1/x?a=1")
        #expect(test.request?.fields[try #require(HTTPField.Name("X-Tag"))] == "blue")
    }

    /// A serializer with a custom result is an element of a compound.
    @Test func acceptsAnySerializerInACompound() async throws {
        let test = TestManager { _ in MockResponse(fields: [.contentType: "text/html"], body: "<p>") }
        test.manager.responseSerializer = AFCompoundResponseSerializer([PageSerializer()])
        #expect(try await test.manager.get("x").object as? Int == 3)
    }

    // MARK: Changes by several threads

    /// Parity: AFN-request-concurrent
    @Test func losesNoChangeOfTheRequestSerializer() throws {
        let manager = HTTPSessionManager()
        let names = (0..<400).map { "X-Tag-\($0)" }
        DispatchQueue.concurrentPerform(iterations: names.count) { index in
            try? manager.updateRequestSerializer { try $0.setValue("set", forHTTPHeaderField: names[index]) }
        }
        let serializer = manager.requestSerializer
        #expect(names.allSatisfy { serializer.value(forHTTPHeaderField: $0) == "set" })
    }

    @Test func losesNoChangeOfTheResponseSerializer() {
        let manager = HTTPSessionManager()
        DispatchQueue.concurrentPerform(iterations: 400) { index in
            manager.updateResponseSerializer { $0.acceptableStatusCodes?.insert(400 + index) }
        }
        #expect(manager.responseSerializer.acceptableStatusCodes?.count == 500)
    }

    /// A change may read the manager, since it runs outside the lock.
    @Test func startsAChangeAgainAfterAnotherOne() {
        let manager = HTTPSessionManager()
        let runs = LockedList<Int>()
        manager.updateRequestSerializer { serializer in
            runs.append(runs.count)
            if runs.count == 1 { manager.requestSerializer = AFJSONRequestSerializer() }
            serializer.deadline = .seconds(1)
        }
        #expect(runs.all == [0, 1])
        #expect(manager.requestSerializer is AFJSONRequestSerializer)
        #expect(manager.requestSerializer.deadline == .seconds(1))
    }

    @Test func changesNothingIfTheChangeThrows() {
        let manager = HTTPSessionManager()
        #expect(throws: CustomError.self) {
            try manager.updateRequestSerializer { serializer in
                serializer.deadline = .seconds(1)
                throw CustomError()
            }
        }
        #expect(manager.requestSerializer.deadline == nil)
    }

    // MARK: Parameters

    /// Parity: AFN-json-request-array
    @Test func sendsAnArray() async throws {
        let test = TestManager()
        test.manager.requestSerializer = AFJSONRequestSerializer()
        _ = try await test.manager.post("x", parameters: [1, "a", nil])
        #expect(try await test.request?.text == #"[1,"a",null]"#)
    }

    private struct Registration: Encodable {
        let name: String
        let tags: [String]
    }

    @Test(arguments: HTTPSessionManagerClosuresTests.methods)
    func sendsAnyEncodableValue(method: HTTPRequest.Method) async throws {
        let test = TestManager()
        test.manager.requestSerializer.httpMethodsEncodingParametersInURI = Set(HTTPSessionManagerClosuresTests.methods)
        let value = Registration(name: "Ada", tags: ["x"])
        let (manager, serializer) = (test.manager, AFHTTPResponseSerializer())
        switch method {
        case .get:
            _ = try await manager.get("x", parameters: value)
            _ = try await manager.get("x", parameters: value, serializer: serializer)
            _ = await callResult { manager.get("x", parameters: value, success: $0, failure: $1) }
        case .head:
            _ = try await manager.head("x", parameters: value)
            _ = await callResult { success, failure in
                manager.head("x", parameters: value, success: { success($0, nil) }, failure: failure)
            }
        case .post:
            _ = try await manager.post("x", parameters: value)
            _ = try await manager.post("x", parameters: value, serializer: serializer)
            _ = await callResult { manager.post("x", parameters: value, success: $0, failure: $1) }
        case .put:
            _ = try await manager.put("x", parameters: value)
            _ = try await manager.put("x", parameters: value, serializer: serializer)
            _ = await callResult { manager.put("x", parameters: value, success: $0, failure: $1) }
        case .patch:
            _ = try await manager.patch("x", parameters: value)
            _ = try await manager.patch("x", parameters: value, serializer: serializer)
            _ = await callResult { manager.patch("x", parameters: value, success: $0, failure: $1) }
        default:
            _ = try await manager.delete("x", parameters: value)
            _ = try await manager.delete("x", parameters: value, serializer: serializer)
            _ = await callResult { manager.delete("x", parameters: value, success: $0, failure: $1) }
        }
        let requests = test.transport.requests
        #expect(requests.count == (method == .head ? 2 : 3))
        #expect(requests.allSatisfy { $0.method == method && $0.target.path == "/v1/x?name=Ada&tags%5B%5D=x" })
    }

    @Test func sendsAFormWithAnyEncodableValue() async throws {
        let test = TestManager()
        let value = Registration(name: "Ada", tags: ["x"])
        let (manager, serializer) = (test.manager, AFHTTPResponseSerializer())
        let last = Data("last".utf8)
        _ = try await manager.post("x", parameters: value) { $0.appendPart(withForm: last, name: "l") }
        _ = try await manager.post("x", parameters: value, serializer: serializer) { form in
            form.appendPart(withForm: last, name: "l")
        }
        _ = await callResult { success, failure in
            manager.post(
                "x",
                parameters: value,
                constructingBodyWith: { $0.appendPart(withForm: last, name: "l") },
                success: success,
                failure: failure
            )
        }
        #expect(test.transport.requests.count == 3)
        for request in test.transport.requests {
            let text = try await request.text
            #expect(text.contains("name=\"tags[]\"\r\n\r\nx\r\n") && text.contains("name=\"l\"\r\n\r\nlast\r\n"))
        }
    }

    @Test func failsIfAValueCannotBeSent() async throws {
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws { throw CustomError() }
        }
        let test = TestManager()
        let result = await callResult { test.manager.post("x", parameters: Failing(), success: $0, failure: $1) }
        #expect(result.error?.code == .parameterEncodingFailed)
        #expect(result.task == nil)
        let object: [String: Any] = ["a": ["b": 1, "c": "d"]]
        _ = try await test.manager.get("x", parameters: AFParameters(foundationObject: object))
        #expect(test.request?.target.path == "/v1/x?a%5Bb%5D=1&a%5Bc%5D=d")
    }

    // MARK: Options

    /// Parity: AFN-request-cookies
    @Test func handlesCookiesAsTheRequestSerializerAndTheCallDecide() async throws {
        let test = TestManager.settingCookies()
        _ = try await test.manager.get("login")
        func cookie() -> String? { test.transport.requests.last?.fields[.cookie] }
        _ = try await test.manager.get("x")
        #expect(cookie() == "sid=1")
        _ = try await test.manager.get("x", options: [CookieHandling.off])
        #expect(cookie() == nil)
        test.manager.requestSerializer.httpShouldHandleCookies = false
        _ = try await test.manager.post("x")
        #expect(cookie() == nil)
        _ = try await test.manager.post("x", options: [CookieHandling.automatic])
        #expect(cookie() == "sid=1")
        test.manager.requestSerializer.httpShouldHandleCookies = nil
        _ = await callResult { test.manager.put("x", options: [CookieHandling.off], success: $0, failure: $1) }
        #expect(cookie() == nil)
    }

    /// Parity: AFN-request-options
    @Test(arguments: HTTPSessionManagerClosuresTests.methods, [true, false])
    func followsNoRedirectIfTheCallSaysSo(method: HTTPRequest.Method, isAsync: Bool) async throws {
        let test = TestManager { request in
            request.target.path == "/v1/x"
                ? MockResponse(status: .temporaryRedirect, fields: [.location: "/y"]) : MockResponse()
        }
        test.manager.responseSerializer.acceptableStatusCodes = [307]
        let options: RequestOptions = [RedirectPolicy.refuse]
        let manager = test.manager
        switch (method, isAsync) {
        case (.get, true): _ = try await manager.get("x", options: options)
        case (.get, false): _ = await callResult { manager.get("x", options: options, success: $0, failure: $1) }
        case (.head, true): _ = try await manager.head("x", options: options)
        case (.head, false):
            _ = await callResult { success, failure in
                manager.head("x", options: options, success: { success($0, nil) }, failure: failure)
            }
        case (.post, true): _ = try await manager.post("x", options: options)
        case (.post, false): _ = await callResult { manager.post("x", options: options, success: $0, failure: $1) }
        case (.put, true): _ = try await manager.put("x", options: options)
        case (.put, false): _ = await callResult { manager.put("x", options: options, success: $0, failure: $1) }
        case (.patch, true): _ = try await manager.patch("x", options: options)
        case (.patch, false): _ = await callResult { manager.patch("x", options: options, success: $0, failure: $1) }
        case (_, true): _ = try await manager.delete("x", options: options)
        case (_, false): _ = await callResult { manager.delete("x", options: options, success: $0, failure: $1) }
        }
        #expect(test.transport.requests.map(\.target.path) == ["/v1/x"])
    }

    /// Parity: AFN-http-timeout
    @Test func keepsTheOtherTimeoutsOfTheConfiguration() async throws {
        let test = TestManager()
        test.manager.requestSerializer.timeoutInterval = .seconds(4)
        test.manager.requestSerializer.options[RequestTimeouts.self] = RequestTimeouts(poolWait: .seconds(7))
        _ = try await test.manager.get("x")
        let timeouts = try #require(test.request?.options[RequestTimeouts.self])
        #expect(timeouts == RequestTimeouts(idleRead: .seconds(4), idleWrite: .seconds(4), poolWait: .seconds(7)))
    }

    // MARK: Typed closures

    /// Parity: AFN-http-typed
    @Test func passesTheTypeOfTheSerializer() async throws {
        let test = TestManager { _ in MockResponse(fields: [.contentType: "text/html"], body: "<p>") }
        let (manager, serializer) = (test.manager, PageSerializer())
        typealias Call = (@escaping HTTPSessionManager.TypedSuccess<Int>, @escaping HTTPSessionManager.Failure) ->
            SessionTask?
        let calls: [Call] = [
            { manager.get("x", serializer: serializer, success: $0, failure: $1) },
            { manager.post("x", parameters: ["a": 1], serializer: serializer, success: $0, failure: $1) },
            { manager.put("x", serializer: serializer, success: $0, failure: $1) },
            { manager.patch("x", serializer: serializer, success: $0, failure: $1) },
            { manager.delete("x", serializer: serializer, success: $0, failure: $1) },
            { success, failure in
                manager.post(
                    "x",
                    serializer: serializer,
                    constructingBodyWith: { $0.appendPart(withForm: Data(), name: "a") },
                    success: success,
                    failure: failure
                )
            },
            { success, failure in
                let task = manager.dataTask(
                    withHTTPMethod: .options,
                    urlString: "x",
                    serializer: serializer,
                    success: success,
                    failure: failure
                )
                task?.resume()
                return task
            },
        ]
        for call in calls {
            let count = Deferred<Int?>()
            _ = call({ count.fulfill($1) }, { _, _ in count.fulfill(nil) })
            #expect(await count.value == 3)
        }
        let methods = test.transport.requests.map(\.method)
        #expect(methods == [.get, .post, .put, .patch, .delete, .post, .options])
        try await assertNothingLeft(manager.session)
    }

    /// Parity: AFN-http-typed
    @Test func passesTheErrorToATypedCall() async throws {
        let test = TestManager { _ in MockResponse(status: .notFound, fields: TestManager.json, body: "{}") }
        let code = Deferred<ApusError.Code?>()
        test.manager.get("x", serializer: AFJSONResponseSerializer()) { _, object in
            code.fulfill(nil)
        } failure: { _, error in
            code.fulfill(error.code)
        }
        #expect(await code.value == .unacceptableStatus)
        let unmade = Deferred<Bool>()
        test.manager.get("\u{1}", serializer: AFJSONResponseSerializer(), success: nil) { task, _ in
            unmade.fulfill(task == nil)
        }
        #expect(await unmade.value)
    }
}
