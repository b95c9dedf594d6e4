internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestSupport
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

/// The requests that all serializers create: plain, with a form, and with their body written to a file.
@Suite(.timeLimit(.minutes(5)))
struct AFHTTPRequestSerializationRequestsTests {
    private let serializer = AFHTTPRequestSerializer()

    // MARK: Plain requests

    @Test(arguments: everyRequestSerializer)
    func acceptURLsOfAllKinds(serializer: any AFHTTPRequestSerialization) throws {
        let url = try #require(URL(string: "https://api.example.org/users?x=1"))
        for request in [
            try serializer.request(withMethod: .head, urlString: url),
            try serializer.request(withMethod: .head, urlString: url.absoluteString),
        ] {
            #expect(request.target.uri == url.absoluteString)
            #expect(request.method == .head)
        }
    }

    @Test(arguments: ["", "users/1", "ftp://h/", "http://", "http://h/\r\nX: y", "http://h:99999/"])
    func rejectInvalidURLs(url: String) async throws {
        #expect(try await refusal { try serializer.request(withMethod: .get, urlString: url) }.code == .invalidURL)
        let error = try await refusal {
            try serializer.multipartFormRequest(withMethod: .post, urlString: url) { _ in }
        }
        #expect(error.code == .invalidURL)
    }

    /// A URL type that throws an error.
    private struct FailingURL: URLConvertible {
        func asURL() throws -> URL { throw CustomError() }
    }

    @Test func reportTheErrorOfACustomURL() async throws {
        let error = try await refusal { try serializer.request(withMethod: .get, urlString: FailingURL()) }
        #expect(error.code == .requestBuildingFailed)
        #expect(error.underlying is CustomError)
    }

    // MARK: Forms with files

    private func form(
        _ parameters: Parameters? = nil,
        method: HTTPRequest.Method = .post,
        by serializer: any AFHTTPRequestSerialization = AFHTTPRequestSerializer(),
        _ build: (inout AFMultipartFormData) throws -> Void = { _ in }
    ) throws -> RequestMessage {
        try serializer.multipartFormRequest(
            withMethod: method,
            urlString: "http://h/p",
            parameters: parameters,
            constructingBodyWith: build
        )
    }

    /// Parity: AFN-multipart-parameters
    @Test(arguments: everyRequestSerializer)
    func putParametersBeforeTheOtherParts(serializer: any AFHTTPRequestSerialization) async throws {
        var serializer = serializer
        serializer.httpRequestHeaders[.from] = "ada@example.org"
        let request = try form(["b": nil, "a": ["x"], "c": .data(Data("raw".utf8))], by: serializer) { form in
            form.appendPart(withForm: Data("last".utf8), name: "a")
        }
        let boundary = try #require(request.fields[.contentType]?.split(separator: "boundary=").last)
        #expect(request.fields[values: .contentType] == ["multipart/form-data; boundary=\(boundary)"])
        #expect(request.fields[.from] == "ada@example.org")
        #expect(request.target.path == "/p")
        #expect(request.method == .post)
        let parts = [("a[]", "x"), ("b", ""), ("c", "raw"), ("a", "last")].map { name, content in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(content)\r\n"
        }
        #expect(try await request.text == parts.joined() + "--\(boundary)--\r\n")
        #expect(request.body.length == Int64(try await request.content.count))
    }

    /// Parity: AFN-request-encoding
    @Test func writeParametersInTheEncodingOfTheSerializer() async throws {
        var serializer = serializer
        serializer.stringEncoding = .isoLatin1
        let request = try form(["é": "ü", "b": nil, "c": .data(Data("raw".utf8))], by: serializer)
        let boundary = try #require(request.fields[.contentType]?.split(separator: "boundary=").last)
        let content = try await request.content
        let disposition = "Content-Disposition: form-data; name="
        var expected = Data("--\(boundary)\r\n\(disposition)\"b\"\r\n\r\n\r\n".utf8)
        expected += Data("--\(boundary)\r\n\(disposition)\"c\"\r\n\r\nraw\r\n".utf8)
        let type = "Content-Type: text/plain; charset=iso-8859-1"
        expected += Data("--\(boundary)\r\n\(disposition)\"é\"\r\n\(type)\r\n\r\n".utf8)
        expected += Data([0xFC]) + Data("\r\n--\(boundary)--\r\n".utf8)
        #expect(content == expected)
        serializer.stringEncoding = .ascii
        let error = try await refusal { try form(["name": "é"], by: serializer) }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.contains("'name'") && error.detail.contains("us-ascii"))
    }

    @Test func acceptAnyEncodableValue() async throws {
        struct User: Encodable {
            let name: String
            let tags: [String]
        }
        let request = try serializer.multipartFormRequest(
            withMethod: .post,
            urlString: "http://h/p",
            parameters: User(name: "Ada", tags: ["x"])
        ) { _ in }
        let text = try await request.text
        #expect(text.contains("name=\"name\"\r\n\r\nAda\r\n"))
        #expect(text.contains("name=\"tags[]\"\r\n\r\nx\r\n"))
    }

    @Test(arguments: [HTTPRequest.Method.put, .patch, .delete])
    func canHaveOtherMethods(method: HTTPRequest.Method) throws {
        let request = try form(["a": 1], method: method)
        #expect(request.method == method)
        #expect(request.target.path == "/p")
        #expect(!request.body.isNone)
    }

    /// Parity: AFN-multipart-get
    @Test(arguments: [HTTPRequest.Method.get, .head])
    func rejectMethodsWithoutABody(method: HTTPRequest.Method) async throws {
        let error = try await refusal { try form(["a": 1], method: method) }
        #expect(error.code == .multipartEncodingFailed)
    }

    /// Parity: AFN-multipart-no-parts
    @Test(arguments: everyRequestSerializer)
    func areUnchangedWithoutAPart(serializer: any AFHTTPRequestSerialization) throws {
        let plain = try serializer.request(withMethod: .post, urlString: "http://h/p")
        for parameters in [nil, [:], ["a": []]] as [Parameters?] {
            let request = try form(parameters, by: serializer)
            #expect(request.fields == plain.fields)
            #expect(request.body.isNone == plain.body.isNone)
            #expect(request.body.length == 0)
        }
    }

    @Test func replaceTheContentTypeOfTheSerializer() throws {
        var serializer = serializer
        serializer.httpRequestHeaders[.contentType] = "text/plain"
        let request = try form(["a": 1], by: serializer)
        #expect(request.fields[values: .contentType].count == 1)
        #expect(request.fields[.contentType]?.hasPrefix("multipart/form-data; ") == true)
    }

    @Test func reportErrorsOfAPart() async throws {
        let thrown = try await refusal { try form { _ in throw CustomError() } }
        #expect(thrown.code == .multipartEncodingFailed)
        #expect(thrown.underlying is CustomError)
        #expect(thrown.method == .post)

        let missing = try await refusal {
            try form { try $0.appendPart(withFileURL: URL(filePath: "/nowhere/at/all"), name: "f") }
        }
        #expect(missing.code == .fileUnreadable)
        #expect(missing.detail.contains("the part 'f'"))
        #expect(try await refusal { try form(["a": .number(.nan)]) }.code == .parameterEncodingFailed)
    }

    // MARK: Bodies in files

    private func write(_ request: RequestMessage, to file: URL) async throws -> RequestMessage {
        try await serializer.request(withMultipartFormRequest: request, writingStreamContentsToFile: file)
    }

    /// Parity: AFN-multipart-to-file
    @Test func areWrittenToAFile() async throws {
        let scratch = try TemporaryFolder()
        let portrait = try scratch.write(String(repeating: "portrait", count: 20_000), to: "portrait.png")
        let request = try form(["name": "Ada"]) { try $0.appendPart(withFileURL: portrait, name: "portrait") }
        let target = try scratch.write("what was there", to: "form")
        let written = try await write(request, to: target)
        #expect(try await Data(contentsOf: target) == request.content)
        #expect(written.body.isNone)
        #expect(written.fields == request.fields)
        #expect(written.target == request.target)
        #expect(try scratch.names == ["form", "portrait.png"])
    }

    /// Returns the request without its body, and the error that the handler gets on its queue.
    private func writeInBackground(
        _ request: RequestMessage,
        to file: URL
    ) async -> (written: RequestMessage, error: ApusError?) {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test.handler")
        queue.setSpecific(key: key, value: true)
        let error = Deferred<ApusError?>()
        let written = serializer.request(
            withMultipartFormRequest: request,
            writingStreamContentsToFile: file,
            queue: queue
        ) { failure in
            if DispatchQueue.getSpecific(key: key) != true { Issue.record("the handler runs on another queue") }
            error.fulfill(failure)
        }
        return (written, await error.value)
    }

    /// Parity: AFN-multipart-to-file
    @Test func areWrittenToAFileInTheBackground() async throws {
        let scratch = try TemporaryFolder()
        let request = try form(["name": "Ada"])
        let target = scratch.url.appending(path: "form")
        let outcome = await writeInBackground(request, to: target)
        #expect(outcome.error == nil)
        #expect(outcome.written.body.isNone)
        #expect(outcome.written.fields == request.fields)
        #expect(try await Data(contentsOf: target) == request.content)
        let failed = await writeInBackground(request, to: scratch.url.appending(path: "nowhere/form"))
        #expect(failed.error?.code == .fileUnwritable)
        #expect(failed.written.body.isNone)
        let none = await writeInBackground(try RequestMessage("http://h/", method: .post), to: target)
        #expect(none.error?.code == .invalidRequest)
        #expect(try scratch.names == ["form"])
    }

    @Test func areWrittenEvenIfTheyAreNotForms() async throws {
        let scratch = try TemporaryFolder()
        let target = scratch.url.appending(path: "form")
        let empty = try serializer.request(withMethod: .post, urlString: "http://h/")
        #expect(try await write(empty, to: target).body.isNone)
        #expect(try Data(contentsOf: target).isEmpty)
        let none = try RequestMessage("http://h/", method: .post)
        let other = scratch.url.appending(path: "other")
        #expect(try await refusal { try await write(none, to: other) }.code == .invalidRequest)
        #expect(try scratch.names == ["form"])
    }

    /// Returns a stream of texts that ends with an error.
    private func failing(_ texts: [String], _ failure: any Error) -> AsyncThrowingStream<BodyChunk, any Error> {
        AsyncThrowingStream { stream in
            for text in texts { stream.yield(BodyChunk(text)) }
            stream.finish(throwing: failure)
        }
    }

    /// Parity: AFN-multipart-to-file
    @Test func leaveNoFileIfTheyFail() async throws {
        let scratch = try TemporaryFolder()
        let target = try scratch.write("what was there", to: "form")
        var request = try RequestMessage("http://h/", method: .post)
        request.body = .once(failing(["some"], CustomError()))
        let error = try await refusal { try await write(request, to: target) }
        #expect(error.code == .requestBodyFailed)
        #expect(error.underlying is CustomError)

        let long = try form { form in
            let stream = failing(["more"], CancellationError())
            try form.appendPart(withStream: stream, name: "s", fileName: "f", length: 3, mimeType: "text/plain")
        }
        #expect(try await refusal { try await write(long, to: target) }.code == .multipartEncodingFailed)
        #expect(try String(contentsOf: target, encoding: .utf8) == "what was there")
        #expect(try scratch.names == ["form"])
    }

    @Test func remainUsableIfTheFileCannotBeCreated() async throws {
        let scratch = try TemporaryFolder()
        var request = try RequestMessage("http://h/", method: .post)
        request.body = .once(AsyncStream(unfolding: { BodyChunk?.none }))
        let nowhere = scratch.url.appending(path: "nowhere/form")
        #expect(try await refusal { try await write(request, to: nowhere) }.code == .fileUnwritable)
        #expect(request.body.isReplayable)
        #expect(try await write(request, to: scratch.url.appending(path: "form")).body.isNone)
        let secondTry = try await refusal { try await write(request, to: scratch.url.appending(path: "again")) }
        #expect(secondTry.code == .bodyNotReplayable)
        #expect(try scratch.names == ["form"])
    }

    @Test func areCancelledWithTheirTask() async throws {
        let scratch = try TemporaryFolder()
        let target = scratch.url.appending(path: "form")
        let request = try form(["a": "b"])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await write(request, to: target)
        }
        #expect(try await refusal { try await task.value }.code == .cancelled)
        #expect(try scratch.names.isEmpty)
    }
}
