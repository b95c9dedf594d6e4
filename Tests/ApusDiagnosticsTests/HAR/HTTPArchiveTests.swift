internal import ApusCore
internal import ApusJSON
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusDiagnostics

@Suite struct HTTPArchiveTests {
    private func archive(_ text: String) throws -> HTTPArchive {
        try JSONContentDecoder().decode(HTTPArchive.self, from: Data(text.utf8))
    }

    @Test func readsArchivesOfChrome() throws {
        let archive = try archive(ArchiveFixtures.chrome)
        #expect(archive.creator.name == "WebInspector")
        #expect(archive.pages.first?.onLoad == .microseconds(630_250))
        #expect(archive.entries.count == 3)
        let first = archive.entries[0]
        #expect(first.request.headersSize == nil && first.request.bodySize == 0)
        #expect(first.timings.connect == .microseconds(40_250) && first.timings.ssl == .milliseconds(20))
        #expect(first.timings.total == .milliseconds(100))
        #expect(first.connection == "443")
        #expect(first.response.cookies.first?.httpOnly == true)
        #expect(first.response.cookies.first?.expires == HARTimestamp.date("2027-05-01T12:00:00Z"))
        #expect(first.response.content.compression == 600)
        let failed = archive.entries[1]
        #expect(failed.response.status == 0 && failed.response.error == "net::ERR_BLOCKED_BY_CLIENT")
        #expect(failed.timings.dns == nil)
        let least = archive.entries[2]
        #expect(least.time == .zero && least.request.headers.isEmpty && least.response.content.size == 0)
    }

    @Test func readsArchivesOfFirefox() throws {
        let archive = try archive(ArchiveFixtures.firefox)
        #expect(archive.browser?.version == "128.0")
        #expect(archive.pages.map(\.title) == ["One", "Two"])
        #expect(archive.pages[0].onLoad == nil && archive.pages[1].onContentLoad == nil)
        let first = archive.entries[0]
        #expect(first.startedDateTime == HARTimestamp.date("2026-05-01T12:00:00.100Z"))
        #expect(first.request.headersSize == 412)
        #expect(first.request.postData?.params.map(\.value) == ["1", "2 3"])
        #expect(first.response.cookies.first?.expires == nil)
        #expect(first.connection == "443")
        #expect(archive.entries[1].timings.blocked == nil)
        #expect(archive.entries[1].response.content.data == Data("hello".utf8))
    }

    @Test(arguments: [ArchiveFixtures.chrome, ArchiveFixtures.firefox])
    func survivesARoundTrip(text: String) throws {
        let first = try archive(text)
        #expect(try JSONContentDecoder().decode(HTTPArchive.self, from: first.data()) == first)
        #expect(try JSONDecoder().decode(HTTPArchive.self, from: first.data()) == first)
    }

    @Test func keepsTheNumberOfAStream() throws {
        var archive = try archive(ArchiveFixtures.chrome)
        #expect(archive.entries.allSatisfy { $0.streamNumber == nil })
        archive.entries[0].streamNumber = 5
        let json = try JSONValue(parsing: archive.data())
        #expect(json["log"]?["entries"]?[0]?["_stream"]?.double == 5)
        #expect(json["log"]?["entries"]?[1]?["_stream"]?.double == nil)
        #expect(try JSONContentDecoder().decode(HTTPArchive.self, from: archive.data()) == archive)
    }

    /// Another program may use the name for something else.
    @Test(arguments: ["true", "[1]", #""video""#, "null"])
    func ignoresAnotherMeaningOfTheStream(value: String) throws {
        let entry = """
            {"startedDateTime": "2026-05-01T12:00:00Z", "_stream": \(value),
              "request": {"method": "GET", "url": "http://h/"}}
            """
        let archive = try archive(#"{"log": {"entries": [\#(entry)]}}"#)
        #expect(archive.entries.count == 1)
        #expect(archive.entries.first?.streamNumber == nil)
    }

    @Test(arguments: [
        ("[]", "at the top"), ("{}", "'log'"), (#"{"log": {}}"#, "'entries' is missing at log"),
        (#"{"log": {"entries": [{}]}}"#, "log.entries.[0]"),
        (
            #"{"log": {"entries": [{"startedDateTime": "soon", "request": {"method": "GET", "url": "x"}}]}}"#,
            "'soon' is not an ISO 8601 date at log.entries.[0].startedDateTime"
        ),
        (
            #"{"log": {"entries": [{"startedDateTime": "2026-05-01T12:00:00Z", "request": {"method": "GET"}}]}}"#,
            "'url' is missing at log.entries.[0].request"
        ),
        (#"{"log": {"entries": 1}}"#, "at log.entries"), ("no JSON", "not valid JSON"),
    ])
    func reportsErrorsWithTheirPath(text: String, place: String) async throws {
        try await inFolder { folder in
            let file = try ArchiveFixtures.file(text, in: folder)
            let error = #expect(throws: ApusError.self) { try HTTPArchive(contentsOf: file) }
            #expect(error?.code == .decodingFailed)
            // The test ignores a dot before an index.
            let detail = error?.detail.replacing(".[", with: "[") ?? ""
            #expect(detail.contains("archive.har"))
            #expect(detail.contains(place.replacing(".[", with: "[")), "\(detail)")
        }
    }

    @Test func readsAndWritesFiles() async throws {
        try await inFolder { folder in
            let file = try ArchiveFixtures.file(ArchiveFixtures.chrome, in: folder)
            let archive = try HTTPArchive(contentsOf: file)
            try archive.write(to: file)
            #expect(try HTTPArchive(contentsOf: file) == archive)
            #expect(try names(in: folder) == ["archive.har"])
            let link = folder.appending(path: "link.har")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            try archive.write(to: link)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path()) == file.path())
            try archive.write(to: URL(filePath: "/dev/null"))
            #expect(FileManager.default.fileExists(atPath: "/dev/null"))
        }
    }

    private func permissions(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int
    }

    @Test(arguments: [0o600, 0o640, 0o664, 0o444]) func restrictsAFileToItsOwner(permissions: Int) async throws {
        try await inFolder { folder in
            let file = try ArchiveFixtures.file(ArchiveFixtures.chrome, in: folder)
            for includesSecrets in [false, true] {
                try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path())
                try HARRecorder(includesSecrets: includesSecrets).write(to: file)
                #expect(try self.permissions(of: file) == 0o600)
                let new = folder.appending(path: "\(includesSecrets).har")
                try HTTPArchive(contentsOf: file).write(to: new)
                #expect(try self.permissions(of: new) == 0o600)
            }
        }
    }

    @Test func writesThroughADanglingLink() async throws {
        try await inFolder { folder in
            let link = folder.appending(path: "link.har")
            try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "new.har")
            try ReplacedFile(link).check()
            try HARRecorder().write(to: link)
            #expect(try names(in: folder) == ["link.har", "new.har"])
            #expect(try HTTPArchive(contentsOf: folder.appending(path: "new.har")).entries.isEmpty)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) func reportsAFullDisk() async throws {
        try await inFolder { folder in
            let link = folder.appending(path: "full.har")
            try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "/dev/full")
            let error = #expect(throws: ApusError.self) { try HARRecorder().write(to: link) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.contains("No space left") == true)
        }
    }

    @Test func rejectsInvalidFiles() async throws {
        try await inFolder { folder in
            let missing = folder.appending(path: "no/archive.har")
            #expect(throws: ApusError.self) { try HTTPArchive(contentsOf: missing) }
            let archive = try archive(ArchiveFixtures.chrome)
            let unwritable = #expect(throws: ApusError.self) { try archive.write(to: missing) }
            #expect(unwritable?.code == .fileUnwritable)
            #expect(throws: ApusError.self) { try archive.write(to: folder) }
            #expect(throws: ApusError.self) { try ReplacedFile(missing).check() }
            #expect(throws: ApusError.self) { try HTTPArchive(contentsOf: folder) }
            #expect(try names(in: folder).isEmpty)
            let file = try ArchiveFixtures.file(ArchiveFixtures.chrome, in: folder)
            let size = ArchiveFixtures.chrome.utf8.count
            #expect(try HTTPArchive(contentsOf: file, limitBytes: size).entries.count == 3)
            let large = #expect(throws: ApusError.self) { try HTTPArchive(contentsOf: file, limitBytes: size - 1) }
            #expect(large?.code == .fileUnreadable)
            #expect(large?.detail.contains("limitBytes") == true)
            let web = try #require(URL(string: "https://user:sesame@example.org/a.har"))
            let foreign = #expect(throws: ApusError.self) { try HTTPArchive(contentsOf: web) }
            #expect(foreign?.detail.contains("sesame") == false)
        }
    }

    /// Numbers that are invalid as times, lengths or status codes.
    @Test(arguments: ["1e308", "-1e308", "-1", "0.5", "99999999999999999999", "null"])
    func survivesInvalidNumbers(number: String) throws {
        let text = """
            {"log": {"entries": [{"startedDateTime": "9999-12-31T23:59:60Z", "time": \(number),
              "_request": \(number), "_stream": \(number),
              "request": {"method": "GET", "url": "http://h/", "headersSize": \(number), "bodySize": \(number)},
              "response": {"status": \(number), "content": {"size": \(number), "compression": \(number)}},
              "timings": {"blocked": \(number), "dns": \(number), "connect": \(number), "ssl": \(number),
                "send": \(number), "wait": \(number), "receive": \(number)}},
              {"startedDateTime": "0001-01-01T00:00:00Z", "request": {"method": "GET", "url": "http://h/"}}]}}
            """
        let archive = try archive(text)
        #expect(try JSONDecoder().decode(HTTPArchive.self, from: archive.data()).entries.count == 2)
        #expect(Waterfall(archive).svg().hasSuffix("</svg>\n"))
        #expect(Waterfall(archive, idleTime: .cut).text().contains("2 requests"))
    }

    @Test func survivesTruncatedArchives() {
        let bytes = Array(ArchiveFixtures.firefox.utf8)
        var generator = SystemRandomNumberGenerator()
        for count in 0..<600 {
            var piece = Array(bytes.prefix(count * bytes.count / 600))
            if !piece.isEmpty { piece[Int.random(in: 0..<piece.count, using: &generator)] = .random(in: 0...255) }
            #expect(throws: (any Error).self) {
                try JSONContentDecoder().decode(HTTPArchive.self, from: Data(piece))
            }
        }
    }
}
