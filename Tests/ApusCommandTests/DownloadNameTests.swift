import Foundation
import Testing

@testable import ApusCommand

@Suite struct DownloadNameTests {
    @Test(
        arguments: [
            ("photo.jpg", "photo.jpg"),
            ("../../etc/passwd", "passwd"),
            ("/etc/passwd", "passwd"),
            (#"..\..\windows\system.ini"#, "system.ini"),
            ("C:\\temp\\x", "x"),
            ("..", nil), (".", nil), ("", nil), ("/", nil), ("...", nil), ("  ", nil), ("///", nil), ("-", nil),
            (".bashrc", "bashrc"),
            ("..hidden", "hidden"),
            ("-rf", "rf"),
            (" . -x", "x"),
            ("a\0b", "ab"),
            ("a\u{1B}[2Jb", "a[2Jb"),
            ("a\nb", "a b"),
            ("a\u{202E}gpj.exe", "agpj.exe"),
            ("naïve 日本.txt", "naïve 日本.txt"),
            ("trailing ", "trailing"),
            ("a/..", nil),
            ("~/x", "x"),
            ("\u{7F}\u{9B}", nil),
            // A slash, a dot or a dash with a combining mark is another character, and the same byte.
            ("src/\u{301}x.sh", "\u{301}x.sh"),
            ("../\u{FE0F}x", "\u{FE0F}x"),
            (".\u{301}rc", "\u{301}rc"),
            ("-\u{301}f", "\u{301}f"),
            ("a\\\u{200D}b", "\u{200D}b"),
        ] as [(String, String?)]
    )
    func reducesToOneName(name: String, expected: String?) {
        #expect(DownloadName.reduced(name) == expected)
    }

    @Test func cutsLongNamesBetweenCharacters() throws {
        let long = try #require(DownloadName.reduced(String(repeating: "ü", count: 300) + ".txt"))
        #expect(long.utf8.count == 254)
        #expect(long.hasSuffix("ü.txt"))
        let endless = try #require(DownloadName.reduced("a." + String(repeating: "x", count: 999)))
        #expect(endless.utf8.count == 255)
        let numbered = DownloadName.numbered(long, 12)
        #expect(numbered.hasSuffix(".txt-12"))
        #expect(numbered.utf8.count <= 255)
    }

    @Test(
        arguments: [
            ("attachment; filename=a.txt", "a.txt"),
            (#"attachment; filename="a b.txt""#, "a b.txt"),
            (#"attachment; filename="a\"b;c.txt"; x=y"#, #"a"b;c.txt"#),
            ("attachment; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
            ("attachment; filename=plain.txt; filename*=utf-8'de'sch%C3%B6n.txt", "schön.txt"),
            ("attachment; filename*=iso-8859-1''sch%F6n.txt; filename=x", "schön.txt"),
            ("attachment; filename*=klingon''x; filename=plain.txt", "plain.txt"),
            ("attachment; FileName = a.txt ", "a.txt"),
            ("inline", nil),
            ("", nil),
            ("attachment; filename", nil),
            (";;;=;\"", nil),
            (#"attachment; filename="open"#, "open"),
            ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"),
            ("attachment; filename*=UTF-8''", ""),
        ] as [(String, String?)]
    )
    func readsContentDisposition(field: String, expected: String?) {
        #expect(DownloadName.fileName(field) == expected)
    }

    @Test(
        arguments: [
            (nil, "/a/photo.jpg?size=1/2", nil, "photo.jpg"),
            (nil, "/", "text/html; charset=utf-8", "index.html"),
            (nil, "", nil, "index"),
            (nil, "/users", "application/json", "users.json"),
            (nil, "/v1.2", "application/json", "v1.2"),
            (nil, "/a%2F..%2F..%2Fb", nil, "b"),
            (nil, "/%2E%2E", nil, "index"),
            (nil, "/bytes/1000", "application/octet-stream", "1000"),
            ("attachment; filename=../../x.sh", "/y", nil, "x.sh"),
            ("attachment; filename=..", "/y", nil, "y"),
            ("inline", "/y.txt", "text/plain", "y.txt"),
        ] as [(String?, String, String?, String)]
    )
    func suggestsOneName(disposition: String?, path: String, mediaType: String?, expected: String) {
        #expect(DownloadName.suggested(disposition: disposition, path: path, mediaType: mediaType) == expected)
    }
}

@Suite struct DownloadFileTests {
    @Test func neverOpensWhatIsThere() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let outside = folder.appendingPathComponent("outside").path
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("x").path,
            withDestinationPath: outside
        )
        let files = Files(workingDirectory: folder.path, home: nil)
        let first = try DownloadFile(new: "x", files: files)
        #expect(first.name == "x-1")
        #expect(!FileManager.default.fileExists(atPath: outside))
        let second = try DownloadFile(new: "x", files: files)
        #expect(second.name == "x-2")
    }

    @Test func namesNoFolderOfTheUsers() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = Files(workingDirectory: folder.path, home: folder.appendingPathComponent("home").path)
        _ = try DownloadFile(new: "~", files: files)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["~"])
    }

    @Test func keepsItsLengthWithAnEndFromTheMediaType() {
        let path = "/" + String(repeating: "x", count: 400)
        let name = DownloadName.suggested(disposition: nil, path: path, mediaType: "application/json")
        #expect(name.utf8.count == 255)
        #expect(name.hasSuffix(".json"))
    }

    @Test func saysBeforehandWhatCannotBeWritten() throws {
        #expect(throws: CommandFault.self) {
            try DownloadFile.check(replacing: "", files: Files(workingDirectory: "", home: nil))
        }
        #expect(throws: CommandFault.self) {
            try DownloadFile.checkNew(files: Files(workingDirectory: "/nowhere", home: nil))
        }
        let files = Files(workingDirectory: FileManager.default.temporaryDirectory.path, home: nil)
        #expect(throws: CommandFault.self) { try DownloadFile.check(replacing: ".", files: files) }
        #expect(throws: CommandFault.self) { try DownloadFile.check(replacing: "no/such/folder/x", files: files) }
        try DownloadFile.check(replacing: "apus-is-not-there", files: files)
        #expect(!FileManager.default.fileExists(atPath: files.path("apus-is-not-there")))
    }
}
