internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DownloadDestinationTests {
    private func choice(
        _ destination: DownloadDestination,
        _ url: String = "http://h/",
        disposition: String? = nil
    ) throws -> (url: URL, options: DownloadDestination.Options) {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentDisposition] = disposition
        return try destination.choose(try RequestMessage(url), response)
    }

    @Test func isOneFile() throws {
        let file = URL(filePath: "/tmp/file")
        #expect(try choice(.file(file)) == (file, []))
        #expect(try choice(.file(file, options: .removePreviousFile)) == (file, .removePreviousFile))
    }

    @Test func isAUniqueTemporaryFile() throws {
        let files = try (0..<3).map { _ in try choice(.temporary) }
        #expect(Set(files.map(\.url)).count == 3)
        for file in files {
            #expect(file.url.deletingLastPathComponent().path == URL.temporaryDirectory.standardizedFileURL.path)
            #expect(file.url.lastPathComponent.hasPrefix("Apus_"))
            #expect(file.options == [])
        }
    }

    static let suggestions: [(url: String, disposition: String?, name: String)] = [
        ("http://h/a/photo.jpg?size=1", nil, "photo.jpg"),
        ("http://h/", nil, "index"),
        ("http://h/a%25b%3Fc%23d", nil, "a%b?c#d"),
        ("http://h/y", #"attachment; filename="a b.txt""#, "a b.txt"),
        ("http://h/y", "attachment; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
        ("http://h/y", #"attachment; filename="../../etc/passwd""#, "passwd"),
        ("http://h/y", "attachment; filename=.bashrc", "bashrc"),
        ("http://h/y", "attachment; filename=-rf", "rf"),
        ("http://h/y", "attachment; filename=~", "~"),
        ("http://h/y", "attachment; filename=file:x", "file:x"),
        ("http://h/y", "attachment; filename*=UTF-8''a%00b%0Ac", "ab c"),
        ("http://h/y", "attachment; filename*=UTF-8''x%2F%CC%81y", "\u{301}y"),
        ("http://h/" + String(repeating: "x", count: 300) + ".txt", nil, String(repeating: "x", count: 251) + ".txt"),
    ]

    @Test(arguments: suggestions)
    func isASafeNameInsideAFolder(row: (url: String, disposition: String?, name: String)) async throws {
        try await inFolder { folder in
            let test = TestSession { _ in
                var response = MockResponse(body: "abc")
                response.fields[.contentDisposition] = row.disposition
                return response
            }
            let inner = folder.appending(path: "inner")
            let destination = DownloadDestination.folder(inner, options: .createIntermediateDirectories)
            let file = try await test.session.download(row.url, to: destination).serializingURL().value
            #expect(try names(in: folder) == ["inner"])
            #expect(try names(in: inner).map { Array($0.utf8) } == [Array(row.name.utf8)])
            #expect(try text(file) == "abc")
            try await assertNothingLeft(test.session)
        }
    }

    @Test func replacesNothingInAFolderUnlessAllowed() async throws {
        try await inFolder { folder in
            let test = TestSession { request in MockResponse(body: request.target.path) }
            let first = try await test.session.download("http://h/1/x", to: .folder(folder)).serializingURL().value
            let second = await test.session.download("http://h/2/x", to: .folder(folder)).serializingURL().result
            #expect(second.failure?.code == .fileExists)
            #expect(try text(first) == "/1/x")
            let replacing = DownloadDestination.folder(folder, options: .removePreviousFile)
            #expect(try await test.session.download("http://h/3/x", to: replacing).serializingURL().value == first)
            #expect(try text(first) == "/3/x")
            #expect(try names(in: folder) == ["x"])
        }
    }

    @Test func isChosenFromTheRequestAndTheResponse() async throws {
        try await inFolder { folder in
            let test = TestSession { _ in MockResponse(status: .accepted, fields: [.eTag: "7"], body: "abc") }
            let calls = LockedList<String>()
            let destination = DownloadDestination { request, response in
                let tag = response.headerFields[.eTag] ?? ""
                calls.append("\(request.method) \(request.target.uri) \(response.status.code) \(tag)")
                return (folder.appending(path: tag), [])
            }
            let request = test.session.download("http://h/a?b=c", method: .post, body: .string("x"), to: destination)
            let file = try await request.serializingURL().value
            #expect(calls.all == ["POST http://h/a?b=c 202 7"])
            #expect(file == folder.appending(path: "7"))
            #expect(request.fileURL == file)
        }
    }

    @Test func isNamedByTheLastTarget() async throws {
        try await inFolder { folder in
            let test = TestSession { request in
                request.target.path == "/latest"
                    ? MockResponse(status: .seeOther, fields: [.location: "http://other/archive-1.2.zip"])
                    : MockResponse(body: "abc")
            }
            let file = try await test.session.download("http://h/latest", to: .folder(folder)).serializingURL().value
            #expect(file.lastPathComponent == "archive-1.2.zip")
            let calls = LockedList<String>()
            let destination = DownloadDestination { request, _ in
                calls.append("\(request.method) \(request.target.uri) \(request.fields[.from] ?? "")")
                return (folder.appending(path: "other"), [])
            }
            let request = test.session.download(
                "http://h/latest",
                method: .post,
                fields: [.from: "me"],
                to: destination
            )
            _ = try await request.serializingURL().value
            #expect(calls.all == ["POST http://other/archive-1.2.zip me"])
            #expect(request.request?.target.uri == "http://h/latest")
            try await assertNothingLeft(test.session)
        }
    }

    private struct Fault: Error, CustomStringConvertible {
        let description = "no place at https://u:sesame@h/"
    }

    @Test func failsWhenNoneCanBeChosen() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let faulty = test.session.download("http://h/", to: DownloadDestination { _, _ in throw Fault() })
        let error = try #require(await faulty.serializingURL().response.error)
        #expect(error.code == .fileUnwritable)
        #expect(error.detail == "its destination: no place at https://h/")
        #expect(error.underlying is Fault)
        #expect(error.responseCode == 200)
        #expect(error.url == "http://h/")
        let own = DownloadDestination { _, _ in throw ApusError(.invalidConfiguration, "mine") }
        #expect(
            await test.session.download("http://h/", to: own).serializingURL().response.error?.code
                == .invalidConfiguration
        )
        let away = try #require(URL(string: "http://h/file"))
        #expect(
            await test.session.download("http://h/", to: .file(away)).serializingURL().response.error?.code
                == .fileUnwritable
        )
        try await assertNothingLeft(test.session)
    }

    /// The body is not read before a destination is chosen.
    @Test func readsNothingWithoutADestination() async throws {
        let body = ScriptedBody(["a", "b"])
        let session = Session(transport: BodyTransport { _ in .stream(body) })
        let request = session.download("http://h/", to: DownloadDestination { _, _ in throw Fault() })
        #expect(await request.serializingURL().response.error?.code == .fileUnwritable)
        #expect(body.reads == 0)
        #expect(body.cancels + body.discards > 0)
        try await assertNothingLeft(session)
    }
}
