internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusParameters

/// Sends forms with each kind of request.
@Suite(.timeLimit(.minutes(5))) struct SessionMultipartTests {
    private static let large = 700_000
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    /// A form with a part of each kind.
    private func form(knowsItsLength: Bool = true) throws -> MultipartFormData {
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        try form.append(file(), withName: "file", fileName: "a.bin")
        let length = knowsItsLength ? Int64(6) : nil
        try form.append(withLength: length, name: "stream", mimeType: "a/b") { chunks(["str", "eam"]) }
        return form
    }

    private func file() throws -> URL {
        try scratch.write(Data(TestServer.pattern(count: Self.large)), to: "large")
    }

    private static let contents = [
        Data("Ada".utf8), Data(TestServer.pattern(count: large)), Data("stream".utf8),
    ]

    private func boundary(_ type: String?) throws -> String {
        let type = try #require(type)
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        return String(type.dropFirst("multipart/form-data; boundary=".count))
    }

    private func expectArrival(of request: TestRequest?) throws {
        let request = try #require(request)
        let read = try ReadMultipart(Data(request.body), boundary: boundary(request["Content-Type"]))
        #expect(read.parts.map(\.content) == Self.contents)
    }

    /// Parity: AF-multipart-type
    @Test func overridesTheContentTypeField() async throws {
        let (session, transport) = mocked()
        let form = try form()
        let fields: HTTPFields = [.contentType: "text/plain", .from: "swift@example.org"]
        let upload = session.upload(multipartFormData: form, to: "http://h/", fields: RequestFields(fields))
        #expect(try await upload.validate().serializingData().value == form.encode())
        let response = try await session.post("http://h/", multipart: form, fields: RequestFields(fields))
        #expect(try await response.data == form.encode())
        for request in transport.requests {
            #expect(request.method == .post)
            #expect(request.fields[.contentType] == form.contentType)
            #expect(request.fields[.from] == "swift@example.org")
            #expect(request.body.length == form.contentLength)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func runsTheModifierBeforeTheBodyIsSet() async throws {
        let (session, transport) = mocked()
        let upload = session.upload(multipartFormData: MultipartFormData(), to: "http://h/", method: .patch) {
            request in
            #expect(request.method == .patch)
            #expect(request.body.isNone)
            request.method = .put
        }
        _ = try await upload.serializingData().value
        #expect(transport.requests.first?.method == .put)
    }

    /// Parity: AF-multipart-threshold
    @Test func respectsTheMemoryThreshold() async throws {
        let (session, transport) = mocked()
        var form = MultipartFormData()
        form.append("x", withName: "y")
        for threshold in [0, 1_000] {
            let upload = session.upload(
                multipartFormData: form,
                to: "http://h/",
                encodingMemoryThreshold: threshold
            )
            _ = try await upload.serializingData().value
            _ = try await session.post("http://h/", multipart: form, encodingMemoryThreshold: threshold)
        }
        #expect(transport.requests.map(\.body.isInMemory) == [false, false, true, true])
    }

    /// Parity: AF-multipart-upload-closure
    @Test func isBuiltWhenTheRequestStarts() async throws {
        let (session, transport) = mocked()
        let request = session.upload(
            multipartFormData: { [scratch] form in
                form.append("Ada", withName: "name")
                try form.append(scratch.url("later"), withName: "file")
            },
            to: "http://h/"
        )
        try scratch.write(Data("there now".utf8), to: "later")
        let data = try await request.validate().serializingData().value
        let read = try ReadMultipart(data, boundary: boundary(transport.requests.first?.fields[.contentType]))
        #expect(read.parts.map(\.content) == [Data("Ada".utf8), Data("there now".utf8)])
    }

    @Test func reportsErrorsToTheCaller() async throws {
        struct Mine: Error {}
        let (session, transport) = mocked()
        let missing = session.upload(
            multipartFormData: { [scratch] form in try form.append(scratch.url("missing"), withName: "photo") },
            to: "http://h/"
        )
        let error = await missing.serializingData().response.error
        #expect(error?.code == .fileUnreadable)
        #expect(error?.detail.hasPrefix("the part 'photo': ") == true)
        let own = session.upload(multipartFormData: { _ in throw Mine() }, to: "http://h/")
        #expect(await own.serializingData().response.error?.underlying is Mine)

        var form = try MultipartFormData(boundary: "b")
        form.append("--b", withName: "x")
        let refused = session.upload(multipartFormData: form, to: "http://h/")
        #expect(await refused.serializingData().response.error?.code == .multipartEncodingFailed)
        #expect(
            await failure { try await session.post("http://h/", multipart: form) }?.code == .multipartEncodingFailed
        )
        #expect(transport.requests.isEmpty)
    }

    @Test func sendsAReadOnceStreamOnlyOnce() async throws {
        let (session, transport) = mocked()
        var form = MultipartFormData()
        try form.append(chunks(["a"]), withLength: 1, name: "stream")
        _ = try await session.post("http://h/", multipart: form).validate()
        let secondFailure = await failure { try await session.post("http://h/", multipart: form) }
        #expect(secondFailure?.code == .bodyNotReplayable)
        #expect(transport.requests.count == 1)
    }

    // MARK: Wire format

    /// Parity: AF-multipart-length, AF-multipart-temporary-file, AF-multipart-upload, AFN-multipart-length
    @Test(arguments: [true, false]) func arrives(knowsItsLength: Bool) async throws {
        let form = try form(knowsItsLength: knowsItsLength)
        try await withServer { server, session in
            _ = try await session.upload(multipartFormData: form, to: server.url("/upload")).validate()
                .serializingData().value
            try await session.post(server.url("/upload"), multipart: form).validate()
            for request in server.requests {
                try expectArrival(of: request)
                #expect(request["Content-Length"] == form.contentLength.map(String.init))
                #expect(request["Transfer-Encoding"] == (knowsItsLength ? nil : "chunked"))
            }
            #expect(server.requestCount == 2)
        }
    }

    /// Parity: AF-multipart-again, AFN-multipart-again
    @Test(arguments: [307, 308]) func isResentAfterARedirect(status: Int) async throws {
        let form = try form()
        let moving: @Sendable (TestRequest) async -> TestResponse = { request in
            request.path == "/" ? TestResponse(status: status, fields: [("Location", "/there")]) : .text("here")
        }
        try await withServer(.handler(moving)) { server, session in
            let response = try await session.post(server.url("/"), multipart: form).validate()
            #expect(try response.string() == "here")
            #expect(server.requests.map(\.path) == ["/", "/there"])
            for request in server.requests { try expectArrival(of: request) }
        }
    }

    @Test func isNotResentIfItIsReadOnce() async throws {
        let moving = TestServer.Behavior.handler { _ in
            TestResponse(status: 307, fields: [("Location", "/there")])
        }
        var form = MultipartFormData()
        try form.append(chunks(["a"]), withLength: 1, name: "stream")
        try await withServer(moving) { server, session in
            let error = await failure { try await session.post(server.url("/"), multipart: form) }
            #expect(error?.code == .bodyNotReplayable)
            #expect(error?.detail.contains("the redirect to \(server.url("/there"))") == true)
            #expect(server.requestCount == 1)
        }
    }

    /// Parity: AF-error-multipart
    @Test func namesThePartThatFailsTheRequest() async throws {
        var form = try form()
        try form.append(withLength: 9, name: "short") { chunks(["a"]) }
        try await withServer { server, session in
            let error = await failure { try await session.post(server.url("/upload"), multipart: form) }
            #expect(error?.code == .multipartEncodingFailed)
            #expect(error?.detail == "the part 'short': its stream declared 9 bytes, but 8 of them are missing")
            #expect(error?.url == server.url("/upload"))
            try scratch.write(Data(), to: "large")
            let changed = await failure { try await session.post(server.url("/upload"), multipart: form) }
            #expect(changed?.code == .fileChanged)
            #expect(changed?.detail.hasPrefix("the part 'file': ") == true)
        }
    }

    @Test func arrivesInPackets() async throws {
        let form = try form()
        try await withServer { server, session in
            let body = try form.makeBody().throttled(packetSize: 100_000, delay: .milliseconds(1))
            try await session.post(server.url("/upload"), fields: [.contentType: form.contentType], body: body)
                .validate()
            try expectArrival(of: server.requests.first)
        }
    }
}
