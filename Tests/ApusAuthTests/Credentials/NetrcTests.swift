internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusAuth

@Suite struct NetrcTests {
    private static let ada = Credential.user("ada", password: "secret")

    static let files: [(String, Credential?)] = [
        ("machine h login ada password secret", ada),
        ("machine\nh\nlogin\nada\npassword\nsecret\n", ada),
        ("machine h password secret account x login ada", ada),
        ("machine H login ada password secret", ada),
        ("machine other login bob password b machine h login ada password secret", ada),
        ("machine h login ada password secret\nmachine h login bob password b", ada),
        ("machine h\nmachine h login ada password secret", ada),
        ("default login ada password secret", ada),
        ("machine h login ada password secret\ndefault login bob password b", ada),
        ("default login bob password b\nmachine h login ada password secret", ada),
        ("# machine h login bob password b\nmachine h login ada password secret # it is", ada),
        ("machine h login ada # her name\npassword secret", ada),
        ("machine h login ada password #secret", .user("ada", password: "#secret")),
        ("machine h login ada password \"a b\\\"c\\\\\\n#\"", .user("ada", password: "a b\"c\\\n#")),
        ("machine \"h\" login \"ada\" password \"\"", .user("ada", password: "")),
        ("machine h login ada password pa\"ss\\word", .user("ada", password: "pa\"ss\\word")),
        ("machine h login ada password grün", .user("ada", password: "grün")),
        ("machine h password secret", .user("", password: "secret")),
        ("macdef init\nmachine h login bob password b\n\nmachine h login ada password secret", ada),
        ("machine h login ada macdef init\nlogin bob\n\t\npassword secret", ada),
        ("machine h login ada password secret macdef init", ada),
        ("\u{FEFF}machine h login ada password secret\r\n", ada),
        ("machine h login ada", nil), ("machine other login ada password secret", nil), ("", nil), ("# nothing", nil),
        ("macdef init\nmachine h login ada password secret", nil),
    ]

    @Test(arguments: files)
    func reads(text: String, credential: Credential?) throws {
        #expect(try Netrc(text).credential(forHost: "h") == credential)
    }

    @Test(arguments: [
        ("machine", 1), ("machine h login", 1), ("machine h\nlogin ada\npassword", 3), ("login ada\nmachine h", 1),
        ("\n\npassword s3cret", 3), ("machine h login ada s3cret", 1), ("machine h\n\nlogin \"s3cret\npassword x", 3),
        ("machine h\npassword \"s3cret", 2), ("macdef", 1), ("macdef a\nx\n\ns3cret", 4), ("hello", 1),
    ])
    func reportsTheLineOfAnError(text: String, line: Int) throws {
        let error = try #require(throws: ApusError.self) { try Netrc(text) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.detail.hasPrefix("line \(line) of the netrc file: "))
        #expect(!"\(error)".contains("s3cret"))
    }

    @Test func limitsTheSizeOfAFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-netrc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let missing = #expect(throws: ApusError.self) { try Netrc(contentsOf: file) }
        #expect(missing?.code == .fileUnreadable)
        try Data("machine h login ada password secret".utf8).write(to: file)
        #expect(try Netrc(contentsOf: file).credential(forHost: "H") == Self.ada)
        try Data(repeating: 0x20, count: Netrc.byteLimit).write(to: file)
        #expect(try Netrc(contentsOf: file).credential(forHost: "h") == nil)
        try Data(repeating: 0x20, count: Netrc.byteLimit + 1).write(to: file)
        let tooLong = #expect(throws: ApusError.self) { try Netrc(contentsOf: file) }
        #expect(tooLong?.code == .invalidConfiguration)
        let folder = #expect(throws: ApusError.self) { try Netrc(contentsOf: FileManager.default.temporaryDirectory) }
        #expect(folder?.code == .fileUnreadable)
    }

    @Test func survivesRandomInput() {
        let words = [
            "machine", "h", "login", "\"", "\\", "#", "\n", "\n\n", "macdef", " ", "default", "password", "\u{0}",
        ]
        var generator = Scrambler(seed: 3)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                (words.randomElement(using: &generator) ?? "") + (Bool.random(using: &generator) ? " " : "")
            }
            _ = try? Netrc(text.joined())
        }
    }
}
