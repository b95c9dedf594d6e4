internal import ApusAlamofire
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct SessionAlamofireDownloadTests {
    @Test func continuesACancelledDownload() async throws {
        let folder = try TemporaryFolder()
        let (first, second) = (folder.url("first"), folder.url("second"))
        try await withServer { server, session in
            let download = session.download(
                server.url("/download/200000?shouldProduceError=true"),
                to: .file(first, options: .resumePartialFile)
            )
            let failed = await download.serializingURL().response
            #expect(failed.error?.code == .connectionClosed)
            let data = try #require(download.resumeData)
            let destination: DownloadRequest.Destination = { _, _ in (second, [.removePreviousFile]) }
            // The first URL would be cut again.
            let url = server.url("/download/200000")
            let adapter = Adapter.synchronous { request, _ in request.target = try TargetURI(url) }
            let resumed = session.download(resumingWith: data, interceptor: .retryPolicy, to: destination)
                .adapt(using: adapter)
            let file = try await resumed.validate().serializingURL().value
            #expect(file == second)
            #expect(try Data(contentsOf: second) == Data(TestServer.pattern(count: 200_000)))
            #expect(resumed.statusCode == 206)
        }
        #expect(try folder.names == ["second"])
    }

    /// Parity: AF-session-labels
    @Test func movesTheFileToItsDestination() async throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "echo.json")
        let fileURL = folder.url("echo.json")
        let destination: DownloadRequest.Destination = { _, _ in
            (fileURL, [.removePreviousFile, .createIntermediateDirectories])
        }
        try await withServer { server, session in
            let response = await session.download(
                server.url("/get"),
                parameters: ["page": 2],
                headers: ["X-Tag": "blue"],
                interceptor: .retryPolicy,
                requestModifier: { $0.headers.add(.userAgent("Example/1.0")) },
                to: destination
            ).validate().serializingURL().response
            #expect(response.fileURL == fileURL)
            let echo = try JSONDecoder().decode(Echo.self, from: Data(contentsOf: fileURL))
            #expect(echo.args == ["page": "2"])
            #expect(echo.headers["X-Tag"] == "blue" && echo.headers["User-Agent"] == "Example/1.0")
            let message = try RequestMessage(url: server.url("/get?page=3"), method: .get)
            let again = session.download(message, to: destination)
            let found1 = try await again.serializingDecodable(Echo.self).value.args
            #expect(found1 == ["page": "3"])
            let literal = session.download(server.url("/get"), parameters: ["a": "b", "c": 1], to: destination)
            let found2 = try await literal.serializingDecodable(Echo.self).value.args
            #expect(found2 == ["a": "b", "c": "1"])
        }
        #expect(try folder.names == ["echo.json"])
    }

    /// Parity: AF-session-labels
    @Test func usesATemporaryFileWithoutADestination() async throws {
        try await withServer { server, session in
            let file = try await session.download(server.url("/get")).validate().serializingURL().value
            defer { try? FileManager.default.removeItem(at: file) }
            let echo = try JSONDecoder().decode(Echo.self, from: Data(contentsOf: file))
            #expect(echo.method == "GET")
        }
    }

    @Test func suggestsADestination() throws {
        let destination = DownloadRequest.suggestedDownloadDestination(
            for: .cachesDirectory,
            options: [.removePreviousFile]
        )
        let request = try RequestMessage(url: "http://h/files/report.pdf", method: .get)
        let (plain, options) = try destination(request, HTTPResponse(status: .ok))
        #expect(plain.lastPathComponent == "report.pdf")
        #expect(options == [.removePreviousFile])
        let named = HTTPResponse(
            status: .ok,
            headerFields: [.contentDisposition: #"attachment; filename="../other.pdf""#]
        )
        let (suggested, _) = try destination(request, named)
        #expect(suggested.lastPathComponent == "other.pdf")
        #expect(suggested.deletingLastPathComponent() == plain.deletingLastPathComponent())
    }
}
