internal import Apus
internal import ApusCore
internal import ApusPlatform
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCookies

@Suite(.timeLimit(.minutes(5))) final class CookieFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-cookies-\(UUID().uuidString)")
    private let clock = ManualClock(wallClock: Date(timeIntervalSince1970: 1_700_000_000))

    private var url: URL { folder.appending(path: "cookies") }
    private var now: Date { clock.wallClock }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    private func cookies() throws -> [Cookie] {
        [
            try Cookie(
                name: "sid",
                value: "\"ä \\ / \u{1F426}\"",
                domain: "example.org",
                isHostOnly: false,
                path: "/a",
                expires: now + 60,
                isSecure: true,
                isHTTPOnly: true,
                sameSite: .lax,
                created: now - 10,
                lastAccessed: now
            ),
            try Cookie(name: "session", value: "1", domain: "::1", created: now),
            try Cookie(name: "", value: "alone", domain: "localhost", expires: .distantFuture, created: now),
        ]
    }

    private func jar(_ file: CookieFile) throws -> CookieJar { try CookieJar(file: file, time: clock) }

    private func filenames() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }

    // MARK: Writing and reading

    @Test func readsItsOwnOutput() throws {
        let all = CookieFile(at: url, keepsSessionCookies: true)
        try all.write(cookies())
        #expect(try all.read() == cookies())
        let persistent = CookieFile(at: url)
        try persistent.write(cookies())
        #expect(try persistent.read().map(\.name) == ["sid", ""])
        #expect(try filenames() == ["cookies"])
    }

    @Test func isReadableOnlyByItsOwner() throws {
        try Data("old".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: url.path)
        try CookieFile(at: url).write(cookies())
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [CookieFile.Format.json, .netscape])
    func isEmptyIfTheFileDoesNotExist(format: CookieFile.Format) throws {
        #expect(try CookieFile(at: url, format: format).read().isEmpty)
        #expect(try jar(CookieFile(at: url, format: format)).cookies.isEmpty)
        #expect(try filenames().isEmpty)
    }

    @Test func rejectsTruncatedFiles() throws {
        let file = CookieFile(at: url, keepsSessionCookies: true)
        try file.write(cookies())
        let whole = try Data(contentsOf: url)
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: url)
            let error = #expect(throws: ApusError.self, "\(count) bytes") { try file.read() }
            #expect(error?.code == .fileUnreadable)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "\u{0}", "{\"format\":\"apus-cookies\"}", "{\"format\":\"apus-cookies\",\"version\":1}",
        "{\"format\":\"apus-cookies\",\"version\":2,\"cookies\":[]}",
        "{\"format\":\"other\",\"version\":1,\"cookies\":[]}",
        "{\"format\":\"apus-cookies\",\"version\":1,\"cookies\":[{}]}",
        "{\"format\":\"apus-cookies\",\"version\":1,\"cookies\":[null]}",
    ])
    func rejectsForeignFilesAndLeavesThemUnchanged(text: String) throws {
        try Data(text.utf8).write(to: url)
        let error = #expect(throws: ApusError.self) { try self.jar(CookieFile(at: self.url)) }
        #expect(error?.code == .fileUnreadable)
        #expect(error?.detail.contains("cookies' is not a cookie file") == true)
        #expect(try Data(contentsOf: url) == Data(text.utf8))
    }

    @Test(arguments: [
        ("\"sid\"", "\"s\\r\\nid\""), ("\"sid\"", "\"a;b\""), ("\"/a\"", "\"a\""),
        ("\"example.org\"", "\"example.org/x\""), ("\"sid\"", "\"__Host-sid\""),
        ("\"Lax\"", "\"Other\""), ("true", "1"), ("\"sid\"", "17"), ("\"hostOnly\"", "\"only\""),
        ("1700000060", "\"soon\""),
    ])
    func rejectsTamperedFiles(part: String, other: String) throws {
        let file = CookieFile(at: url)
        try file.write(cookies())
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.contains(part))
        try Data(text.replacing(part, with: other).utf8).write(to: url)
        let error = #expect(throws: ApusError.self) { try file.read() }
        #expect(error?.code == .fileUnreadable)
        #expect(error?.detail.contains("\u{1F426}") == false)
    }

    @Test func reportsThePathAndTheReason() throws {
        try Data("{\"format\":\"apus-cookies\",\"version\":7}".utf8).write(to: url)
        let error = #expect(throws: ApusError.self) { try CookieFile(at: self.url).read() }
        let expected =
            "'\(url.path)' is not a cookie file: it has version 7, but only version 1 is supported; it was not changed"
        #expect(error?.detail == expected)
    }

    @Test func omitsDomainCookiesOfPublicSuffixes() throws {
        try CookieFile(at: url).write([
            Cookie(name: "wide", value: "1", domain: "co.uk", isHostOnly: false, expires: now + 60),
            Cookie(name: "narrow", value: "1", domain: "co.uk", expires: now + 60),
            Cookie(name: "over", value: "1", domain: "example.org", expires: now),
        ])
        #expect(try jar(CookieFile(at: url)).cookies.map(\.name) == ["narrow"])
    }

    // MARK: Failure

    @Test func keepsTheOldFileIfSavingFails() async throws {
        let file = CookieFile(at: url, savesByItself: false)
        let jar = try jar(file)
        try jar.set(cookies()[0])
        try await jar.save()
        let before = try Data(contentsOf: url)
        // Saving fails because a directory can't be replaced by a file.
        try jar.set(cookies()[2])
        let aside = folder.appending(path: "aside")
        try FileManager.default.moveItem(at: url, to: aside)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        let error = await #expect(throws: ApusError.self) { try await jar.save() }
        #expect(error?.code == .fileUnwritable)
        #expect(try filenames().sorted() == ["aside", "cookies"])
        #expect(try Data(contentsOf: aside) == before)
        #expect(jar.savingFailure?.code == .fileUnwritable)
        #expect(jar.cookies.count == 2)
        try FileManager.default.removeItem(at: url)
        try await jar.save()
        #expect(jar.savingFailure == nil)
        #expect(try file.read().count == 2)
    }

    @Test(arguments: ["/dev/zero", "/dev/null", "/"]) func readsOnlyRegularFiles(path: String) throws {
        let file = CookieFile(at: URL(filePath: path))
        let reading = #expect(throws: ApusError.self) { try file.read() }
        #expect(reading?.code == .fileUnreadable)
    }

    /// Creates a symbolic link in the folder.
    private func link(_ name: String, to destination: String) throws -> URL {
        let link = folder.appending(path: name)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: destination)
        return link
    }

    @Test func replacesOnlyRegularFiles() throws {
        try #require(mkfifo(url.path, 0o600) == 0)
        for location in [url, try link("link", to: "cookies")] {
            let error = #expect(throws: ApusError.self) { try CookieFile(at: location).write([]) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail == "'\(location.path)' is not a regular file; it was not changed")
        }
        let loop = try link("loop", to: "loop")
        let error = #expect(throws: ApusError.self) { try CookieFile(at: loop).write([]) }
        #expect(error?.code == .fileUnwritable)
        #expect(try filenames().sorted() == ["cookies", "link", "loop"])
        let reading = #expect(throws: ApusError.self) { try CookieFile(at: self.url).read() }
        #expect(reading?.detail.contains("not a regular file") == true)
    }

    @Test(arguments: [true, false]) func writesToTheDestinationOfALink(exists: Bool) throws {
        let other = folder.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        if exists { try CookieFile(at: other.appending(path: "there")).write([]) }
        let first = try link("first", to: "second")
        for (name, destination) in [("second", "other/third"), ("other/third", other.path + "/there")] {
            _ = try link(name, to: destination)
        }
        try CookieFile(at: first).write(cookies())
        #expect(try CookieFile(at: other.appending(path: "there")).read().count == 2)
        #expect(try CookieFile(at: first).read().count == 2)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: first.path) == "second")
        #expect(try filenames().sorted() == ["first", "other", "second"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).sorted() == ["there", "third"])
    }

    @Test func failsWithoutAFolderOrAFileURL() throws {
        let file = CookieFile(at: folder.appending(path: "none/cookies"))
        let error = #expect(throws: ApusError.self) { try file.write([]) }
        #expect(error?.code == .fileUnwritable)
        let url = try #require(URL(string: "https://user:secret@example.org/x"))
        let other = #expect(throws: ApusError.self) { try CookieFile(at: url).write([]) }
        #expect(other?.code == .fileUnwritable)
        #expect(other?.detail.contains("secret") == false)
    }

    /// Two tasks write the file while a third reads it. Each read must return the cookies of one writer alone.
    @Test func neverExposesPartialWrites() async throws {
        let file = CookieFile(at: url)
        let texts = ["a", "b"].map { String(repeating: $0, count: 50_000) }
        let isReadEnough = Deferred<Void>()
        try file.write([])
        try await withThrowingTaskGroup { group in
            for text in texts {
                let cookie = try Cookie(name: "n", value: text, domain: "h", expires: now + 60)
                group.addTask {
                    while isReadEnough.present == nil {
                        try Task.checkCancellation()
                        try file.write([cookie, cookie])
                        // Lets the reader run if there are few threads.
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                defer { isReadEnough.fulfill(()) }
                var seen: Set<String> = []
                var count = 0
                while seen.count < texts.count || count < 60 {
                    try Task.checkCancellation()
                    let values = try file.read().map(\.value)
                    count += 1
                    await Task.yield()
                    guard let value = values.first else { continue }
                    #expect(values == [value, value] && texts.contains(value))
                    seen.insert(value)
                }
            }
            try await group.waitForAll()
        }
        #expect(try filenames() == ["cookies"])
    }

    // MARK: A jar with a file

    @Test func usesItsClockIfTheFileHasNoDates() async throws {
        let file = CookieFile(at: url, format: .netscape, keepsSessionCookies: true)
        try file.write(cookies())
        let jar = try jar(file)
        #expect(jar.cookies.map(\.created) == [now, now, now])
        #expect(jar.cookies.map(\.lastAccessed) == [now, now, now])
    }

    @Test func savesChangesAutomatically() async throws {
        let file = CookieFile(at: url)
        let jar = CookieJar(limits: CookieLimits(), policy: .all, time: clock, saver: CookieSaver(file, delay: .zero))
        let target = try TargetURI("https://example.org/")
        jar.receive([.setCookie: "session=1"], from: target)
        await jar.waitForSaving()
        #expect(try filenames().isEmpty)
        jar.receive([.setCookie: "a=1; Max-Age=60"], from: target)
        jar.receive([.setCookie: "b=1; Max-Age=60"], from: target)
        await jar.waitForSaving()
        #expect(try file.read().map(\.name) == ["a", "b"])
        jar.remove { $0.name == "a" }
        await jar.waitForSaving()
        #expect(try file.read().map(\.name) == ["b"])
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        jar.removeAll()
        await jar.waitForSaving()
        #expect(jar.savingFailure?.code == .fileUnwritable)
    }

    @Test func savesChangesAfterTheJarIsReleased() async throws {
        let saver = CookieSaver(CookieFile(at: url), delay: .zero)
        do {
            let jar = CookieJar(limits: CookieLimits(), policy: .all, time: clock, saver: saver)
            jar.receive([.setCookie: "a=1; Max-Age=60"], from: try TargetURI("https://example.org/"))
        }
        await saver.wait()
        #expect(try saver.file.read().map(\.name) == ["a"])
    }

    @Test func restoresTheJarFromTheFile() async throws {
        let file = CookieFile(at: url, savesByItself: false)
        let first = try jar(file)
        let target = try TargetURI("https://example.org/x/")
        for field in ["z=1; Max-Age=60", "a=2; Max-Age=60", "deep=3; Max-Age=60; Path=/x", "s=4"] {
            try first.receive(setCookie: field, from: target)
        }
        let value = first.fieldValue(for: target)
        #expect(value == "z=1; a=2; deep=3; s=4")
        try await first.save()
        let second = try jar(file)
        #expect(second.file == file)
        #expect(second.fieldValue(for: target) == value?.replacing("; s=4", with: ""))
        clock.advance(by: .seconds(61))
        #expect(try jar(file).cookies.isEmpty)
    }
}
