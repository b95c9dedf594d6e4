internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusParameters

@Suite(.timeLimit(.minutes(5))) struct SessionUploadTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    /// Parity: AF-session-upload
    @Test func sendsBytesFilesAndStreams() async throws {
        let (session, transport) = mocked()
        let file = try scratch.write(Data("file".utf8), to: "a.json")
        let requests = [
            session.upload(Data("data".utf8), to: "http://h/data"),
            session.upload(file, to: "http://h/file"),
            session.upload(.once(chunks(["st", "ream"])), to: "http://h/stream", method: .put),
        ]
        for (request, text) in zip(requests, ["data", "file", "stream"]) {
            #expect(try await request.validate().serializingString().value == text)
        }
        #expect(transport.requests.map(\.target.path) == ["/data", "/file", "/stream"])
        #expect(transport.requests.map(\.method) == [.post, .post, .put])
        #expect(transport.requests.map { $0.fields[.contentType] } == [nil, "application/json", nil])
    }

    /// A request of a router, which has another body and a media type.
    private struct Route: RequestConvertible {
        var type: String?

        func asRequest() throws -> RequestMessage {
            var request = try RequestMessage("http://h/route", method: .put, body: .string("replaced"))
            request.fields[.contentType] = type
            request.fields[.from] = "ada@example.org"
            return request
        }
    }

    /// Parity: AF-session-upload-with
    @Test func sendsBytesFilesAndStreamsWithARequest() async throws {
        let (session, transport) = mocked()
        let file = try scratch.write(Data("file".utf8), to: "a.json")
        let message = try RequestMessage("http://h/message", method: .post)
        let requests = [
            session.upload(Data("data".utf8), with: Route()),
            session.upload(file, with: Route()),
            session.upload(file, with: Route(type: "a/b")),
            session.upload(.once(chunks(["st", "ream"])), with: Route()),
            session.upload(Data("data".utf8), with: message),
        ]
        for (request, text) in zip(requests, ["data", "file", "file", "stream", "data"]) {
            #expect(try await request.validate().serializingString().value == text)
        }
        #expect(transport.requests.map(\.target.path) == ["/route", "/route", "/route", "/route", "/message"])
        #expect(transport.requests.map(\.method) == [.put, .put, .put, .put, .post])
        #expect(
            transport.requests.map { $0.fields[.contentType] } == [nil, "application/json", "a/b", nil, nil]
        )
        #expect(transport.requests.map { $0.fields[.from] != nil } == [true, true, true, true, false])
    }

    private static func form() throws -> MultipartFormData {
        var form = try MultipartFormData(boundary: "b")
        form.append("Ada", withName: "name")
        return form
    }

    /// Parity: AF-session-upload-with
    @Test func sendsFormsWithARequest() async throws {
        let (session, transport) = mocked()
        let form = try Self.form()
        let requests = [
            session.upload(multipartFormData: form, with: Route(type: "a/b")),
            session.upload(multipartFormData: form, with: Route(), encodingMemoryThreshold: 0),
            session.upload(multipartFormData: { $0.append("Ada", withName: "name") }, with: Route(type: "a/b")),
        ]
        var bodies: [Data] = []
        for request in requests { bodies.append(try await request.validate().serializingData().value) }
        #expect(try await bodies[0] == form.encode())
        #expect(bodies[1] == bodies[0])
        #expect(!bodies[2].isEmpty)
        #expect(transport.requests.map(\.body.isInMemory) == [true, false, true])
        let types = transport.requests.map { $0.fields[values: .contentType] }
        #expect(types[0] == [form.contentType])
        #expect(types[1] == types[0])
        #expect(types[2].first?.hasPrefix("multipart/form-data; boundary=apus.boundary.") == true)
    }

    @Test func reportsErrorsOfTheRequestAndItsBody() async throws {
        struct Failing: RequestConvertible {
            struct Mine: Error {}

            func asRequest() throws -> RequestMessage { throw Mine() }
        }
        let (session, transport) = mocked()
        let failing = await session.upload(Data(), with: Failing()).serializingData().response.error
        #expect(failing?.code == .requestBuildingFailed)
        #expect(failing?.underlying is Failing.Mine)
        let missing = session.upload(scratch.url("missing"), with: Route())
        #expect(await missing.serializingData().response.error?.code == .fileUnreadable)
        let get = session.upload(Data("x".utf8), with: try RequestMessage("http://h/"))
        #expect(await get.serializingData().response.error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func infersTheContentTypeOfAFileUnlessSet() async throws {
        let (session, transport) = mocked()
        let file = try scratch.write(Data("file".utf8), to: "a.PNG")
        _ = await session.upload(file, to: "http://h/").serializingData().response
        _ = await session.upload(file, to: "http://h/", fields: [.contentType: "a/b"]).serializingData().response
        _ = await session.upload(file, to: "http://h/") { $0.fields[.contentType] = "c/d" }.serializingData().response
        #expect(transport.requests.map { $0.fields[.contentType] } == ["image/png", "a/b", "c/d"])
    }

    @Test func runsTheModifierBeforeTheBodyIsSet() async throws {
        let (session, transport) = mocked()
        let request = session.upload(Data("data".utf8), to: "http://h/") {
            #expect($0.body.isNone)
            $0.method = .patch
            $0.fields[.from] = "swift@example.org"
        }
        #expect(try await request.serializingString().value == "data")
        #expect(transport.requests.first?.method == .patch)
        #expect(transport.requests.first?.fields[.from] == "swift@example.org")
    }

    @Test func keepsItsOptions() async throws {
        let transport = MockTransport { _ in MockResponse(status: .found, fields: [.location: "/there"]) }
        let session = Session(transport: transport)
        let (url, options) = ("http://h/", RequestOptions(arrayLiteral: RedirectPolicy.refuse))
        let form = MultipartFormData()
        let file = try scratch.write(Data(), to: "file")
        let requests = [
            session.upload(Data(), to: url, options: options), session.upload(file, to: url, options: options),
            session.upload(.string(""), to: url, options: options),
            session.upload(multipartFormData: form, to: url, options: options),
            session.upload(multipartFormData: { _ in }, to: url, options: options),
        ]
        for request in requests { #expect(await request.serializingData().response.response?.status == .found) }
        #expect(try await session.post(url, multipart: form, options: options).status == .found)
        #expect(transport.requests.count == 6)
    }

    /// Each kind of upload can be suspended until it is resumed.
    /// Parity: AF-session-resume-request, AF-life-suspended-handler
    @Test func doesNotStartWhileSuspended() async throws {
        let (session, transport) = mocked()
        let file = try scratch.write(Data("x".utf8), to: "file")
        let form = MultipartFormData()
        let requests = [
            session.upload(Data("x".utf8), to: "http://h/"), session.upload(file, to: "http://h/"),
            session.upload(.once(chunks(["x"])), to: "http://h/"),
            session.upload(multipartFormData: form, to: "http://h/"),
            session.upload(multipartFormData: { _ in }, to: "http://h/"),
        ]
        let tasks = requests.map { $0.suspend().serializingData() }
        #expect(requests.allSatisfy { $0.state == .suspended })
        #expect(transport.requests.isEmpty)
        for request in requests { request.resume() }
        for task in tasks { #expect(await task.response.response?.status == .ok) }
        #expect(transport.requests.count == 5)
    }

    /// Parity: AF-stage-creation, AF-stage-uploadable
    @Test func reportsErrorsToTheCaller() async throws {
        struct Mine: Error {}
        let (session, transport) = mocked()
        let missing = session.upload(scratch.url("missing"), to: "http://h/")
        #expect(await missing.serializingData().response.error?.code == .fileUnreadable)
        let refused = session.upload(Data(), to: "http://h/") { _ in throw Mine() }
        let error = await refused.serializingData().response.error
        #expect(error?.code == .requestBuildingFailed)
        #expect(error?.underlying is Mine)
        #expect(await session.upload(Data(), to: "no URL").serializingData().response.error?.code == .invalidURL)
        #expect(transport.requests.isEmpty)
    }

    @Test func opensAFileWhenTheRequestStarts() async throws {
        let (session, _) = mocked()
        let request = session.upload(scratch.url("later"), to: "http://h/")
        try scratch.write(Data("there now".utf8), to: "later")
        #expect(try await request.serializingString().value == "there now")
    }

    @Test func sendsAFileToAServer() async throws {
        let data = Data(TestServer.pattern(count: 700_000))
        let file = try scratch.write(data, to: "a.bin")
        try await withServer { server, session in
            let reply = try await session.upload(file, to: server.url("/upload")).validate().serializingString().value
            #expect(reply.contains("\"bytes\":700000"))
            #expect(server.requests.first.map { Data($0.body) } == data)
            #expect(server.requests.first?["Content-Length"] == "700000")
        }
    }
}
