internal import ApusAlamofire
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct SessionAlamofireUploadTests {
    private static let stamp = Interceptor(adapters: [
        Adapter.synchronous { request, _ in request.headers.add(name: "X-Stamp", value: "red") }
    ])

    /// Parity: AF-session-labels
    @Test func uploadsDataAndFiles() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("from a file", to: "note.txt")
        try await withServer { server, session in
            let url = server.url("/anything")
            let headers: HTTPHeaders = [.contentType("text/plain")]
            let data = Data("text".utf8)
            let message = try RequestMessage(url: url, method: .patch)
            let uploads: [(request: UploadRequest, method: String, body: String)] = [
                (session.upload(data, to: url, headers: headers, interceptor: Self.stamp), "POST", "text"),
                (session.upload(file, to: url, method: .put, interceptor: Self.stamp), "PUT", "from a file"),
                (session.upload(data, with: message, interceptor: Self.stamp), "PATCH", "text"),
                (session.upload(file, with: message, interceptor: Self.stamp), "PATCH", "from a file"),
            ]
            for upload in uploads {
                let echo = try await upload.request.validate().serializingDecodable(Echo.self).value
                #expect(echo.method == upload.method && echo.data == upload.body)
                #expect(echo.headers["X-Stamp"] == "red")
            }
            let modified = session.upload(data, to: url, requestModifier: { $0.headers.add(.contentType("a/b")) })
            let found1 = try await modified.serializingDecodable(Echo.self).value.headers["Content-Type"]
            #expect(found1 == "a/b")
        }
    }

    /// Parity: AF-session-labels, AF-session-upload, AF-session-upload-with
    @Test func uploadsStreams() async throws {
        try await withServer { server, session in
            let url = server.url("/anything")
            let message = try RequestMessage(url: url, method: .put)
            let modifier: RequestModifier = { $0.headers.add(name: "X-Tag", value: "blue") }
            let streams = ["one", "two", "three"].map { Data($0.utf8) }
            let uploads: [UploadRequest] = [
                session.upload(
                    InputStream(data: streams[0]),
                    to: url,
                    interceptor: Self.stamp,
                    requestModifier: modifier
                ),
                session.upload(InputStream(data: streams[1]), with: message, interceptor: Self.stamp),
                session.upload(InputStream(data: streams[2]), to: url, method: .patch, headers: ["X-Tag": "red"]),
            ]
            for (upload, stream) in zip(uploads, streams) {
                let echo = try await upload.validate().serializingDecodable(Echo.self).value
                #expect(Data(echo.data.utf8) == stream)
            }
            #expect(server.requests.map(\.method) == ["POST", "PUT", "PATCH"])
            #expect(server.requests.map { $0["X-Stamp"] } == ["red", "red", nil])
            #expect(server.requests.map { $0["X-Tag"] } == ["blue", nil, "red"])
            #expect(server.requests.allSatisfy { $0["Transfer-Encoding"] == "chunked" })
        }
    }

    /// Unlike a file, a stream of the caller can't be sent a second time.
    @Test func namesTheRedirectOfAStream() async throws {
        let moving: @Sendable (TestRequest) async -> TestResponse = { _ in
            TestResponse(status: 307, fields: [("Location", "/there")])
        }
        let server = try await TestServer.start(behavior: .handler(moving))
        let session = Session()
        let upload = session.upload(InputStream(data: Data("text".utf8)), to: server.url("/"))
        let error = await upload.serializingData().response.error
        #expect(error?.code == .bodyNotReplayable)
        #expect(error?.detail.contains("the redirect to \(server.url("/there")) needs the body again") == true)
        await session.shutdown()
        await server.stop()
    }

    /// Parity: AF-session-labels
    @Test func uploadsForms() async throws {
        try await withServer { server, session in
            let url = server.url("/anything")
            var form = MultipartFormData()
            form.append(Data("Ada".utf8), withName: "name")
            let message = try RequestMessage(url: url, method: .put)
            let build: @Sendable (inout MultipartFormData) throws -> Void = { multipartFormData in
                multipartFormData.append(Data("Ada".utf8), withName: "name")
                try multipartFormData.append(Data("i".utf8), withName: "icon", fileName: "i.png", mimeType: "image/png")
            }
            let uploads = [
                session.upload(multipartFormData: build, to: url, headers: ["X-Tag": "blue"], interceptor: Self.stamp),
                session.upload(multipartFormData: form, to: url, usingThreshold: 0, interceptor: Self.stamp),
                session.upload(multipartFormData: build, with: message, interceptor: Self.stamp),
                session.upload(multipartFormData: form, with: message, usingThreshold: 100, interceptor: Self.stamp),
            ]
            for upload in uploads {
                let echo = try await upload.validate().serializingDecodable(Echo.self).value
                #expect(echo.data.contains("Ada") && echo.headers["X-Stamp"] == "red")
                #expect(echo.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
            }
            #expect(server.requests.map(\.method) == ["POST", "POST", "PUT", "PUT"])
            #expect(server.requests.first?["X-Tag"] == "blue")
        }
    }
}
