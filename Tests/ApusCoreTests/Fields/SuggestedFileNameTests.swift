internal import ApusJSON
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct SuggestedFileNameTests {
    @Test(
        arguments: [
            ("photo.jpg", "photo.jpg"),
            ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"),
            (#"..\..\windows\system.ini"#, "system.ini"), ("C:\\temp\\x", "x"),
            ("..", nil), (".", nil), ("", nil), ("/", nil), ("...", nil), ("  ", nil), ("///", nil), ("-", nil),
            (".bashrc", "bashrc"), ("..hidden", "hidden"), ("-rf", "rf"), ("--force", "force"), (" . -x", "x"),
            ("a\0b", "ab"), ("\0", nil), ("a\u{1B}[2Jb", "a[2Jb"), ("a\nb", "a b"), ("a\rb", "ab"), ("a\tb", "a b"),
            ("a\u{7F}b", "ab"), ("\u{7F}\u{9B}", nil), ("a\u{85}b", "ab"),
            ("a\u{202E}gpj.exe", "agpj.exe"), ("\u{2066}.rc", "rc"), ("\u{A0}.rc", "rc"),
            ("naïve 日本.txt", "naïve 日本.txt"), ("trailing ", "trailing"), ("a/..", nil), ("~/x", "x"),
            // A part would be continued by a later download.
            ("x.zip.part", "x.zip.part_"), ("x.PART", "x.PART_"), ("x.part.json", "x.part.json_"), ("part", "part"),
            // A slash, dot or dash with a combining mark is a different character with the same first byte.
            ("src/\u{301}x.sh", "\u{301}x.sh"), ("../\u{FE0F}x", "\u{FE0F}x"), (".\u{301}rc", "\u{301}rc"),
            ("-\u{301}f", "\u{301}f"), ("a\\\u{200D}b", "\u{200D}b"),
        ] as [(String, String?)]
    )
    func reducesToOneName(name: String, expected: String?) {
        #expect(SuggestedFileName.reduced(name) == expected)
    }

    @Test(
        arguments: [
            (String(repeating: "x", count: 255), String(repeating: "x", count: 255)),
            (String(repeating: "x", count: 300), String(repeating: "x", count: 255)),
            (String(repeating: "x", count: 300) + ".txt", String(repeating: "x", count: 251) + ".txt"),
            (String(repeating: "ü", count: 300) + ".txt", String(repeating: "ü", count: 125) + ".txt"),
            (String(repeating: "😀", count: 300), String(repeating: "😀", count: 63)),
            // A suffix this long is not treated as an extension.
            ("a." + String(repeating: "x", count: 300), "a." + String(repeating: "x", count: 253)),
            (String(repeating: "../", count: 300) + "x", "x"),
        ]
    )
    func cutsLongNamesBetweenCharacters(name: String, expected: String) {
        #expect(SuggestedFileName.reduced(name) == expected)
        #expect(SuggestedFileName.name(disposition: "attachment; filename=\"\(name)\"", path: "/") == expected)
    }

    @Test func numbersNamesThatAreTaken() {
        #expect(SuggestedFileName.numbered("a.txt", 0) == "a.txt")
        #expect(SuggestedFileName.numbered("a.txt", 1) == "a.txt-1")
        let long = SuggestedFileName.numbered(String(repeating: "x", count: 251) + ".txt", 12)
        #expect(long == String(repeating: "x", count: 248) + ".txt-12")
    }

    @Test(
        arguments: [
            ("attachment; filename=a.txt", "a.txt"),
            (#"attachment; filename="a b.txt""#, "a b.txt"),
            (#"attachment; filename="a\"b;c.txt"; x=y"#, #"a"b;c.txt"#),
            (#"attachment; x="filename=no"; filename=yes"#, "yes"),
            ("attachment; filename=first; filename=second", "first"),
            ("attachment; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
            ("attachment; filename=plain.txt; filename*=utf-8'de'sch%C3%B6n.txt", "schön.txt"),
            ("attachment; filename*=utf-8''sch%C3%B6n.txt; filename=plain.txt", "schön.txt"),
            ("attachment; filename*=iso-8859-1''sch%F6n.txt; filename=x", "schön.txt"),
            ("attachment; filename*=iso-8859-1''%", "%"), ("attachment; filename*=iso-8859-1''%4", "%4"),
            ("attachment; filename*=iso-8859-1''%4x%41", "%4xA"),
            ("attachment; filename*=klingon''x; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=nonsense; filename=plain.txt", "plain.txt"),
            ("attachment; FileName = a.txt ", "a.txt"),
            ("inline", nil), ("", nil), ("attachment; filename", nil), (";;;=;\"", nil),
            (#"attachment; filename="open"#, "open"), (#"attachment; filename="open\"#, "open\\"),
            ("attachment; filename=", ""), ("attachment; filename*=UTF-8''", ""),
            ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"),
        ] as [(String, String?)]
    )
    func readsContentDisposition(field: String, expected: String?) {
        #expect(SuggestedFileName.fileName(field) == expected)
    }

    @Test(
        arguments: [
            (nil, "/a/photo.jpg?size=1/2", "photo.jpg"), (nil, "/", "index"),
            (nil, "", "index"), (nil, "/?a=b", "index"),
            (nil, "/folder/", "folder"), (nil, "/a%2F..%2F..%2Fb", "b"), (nil, "/%2E%2E", "index"),
            (nil, "/%2Ebashrc", "bashrc"), (nil, "/-rf", "rf"), (nil, "/a%00b", "ab"), (nil, "/a%20b", "a b"),
            (nil, "/a%1B%5B2J", "a[2J"), (nil, "/%FF%FE", "\u{FFFD}\u{FFFD}"), (nil, "/%", "%"),
            ("attachment; filename=../../x.sh", "/y", "x.sh"), ("attachment; filename=..", "/y", "y"),
            ("attachment; filename=", "/y", "y"), ("inline", "/y.txt", "y.txt"),
            ("attachment; filename*=UTF-8''%2Fetc%2F%00", "/y", "y"),
        ] as [(String?, String, String)]
    )
    func suggestsOneName(disposition: String?, path: String, expected: String) {
        #expect(SuggestedFileName.name(disposition: disposition, path: path) == expected)
    }

    @Test func addsASuffixToANameWithoutOne() {
        #expect(SuggestedFileName.name(disposition: nil, path: "/users", suffix: "json") == "users.json")
        #expect(SuggestedFileName.name(disposition: nil, path: "/v1.2", suffix: "json") == "v1.2")
        #expect(SuggestedFileName.name(disposition: "inline; filename=x", path: "/", suffix: "json") == "x")
        let long = "/" + String(repeating: "x", count: 400)
        let name = SuggestedFileName.name(disposition: nil, path: long, suffix: "json")
        #expect(name == String(repeating: "x", count: 250) + ".json")
    }

    /// Uses random input in place of a server's header field and path.
    @Test func isSuggestedByAResponse() throws {
        let target = try TargetURI("http://h/a/b.zip?c=/d")
        #expect(HTTPResponse(status: .ok).suggestedFileName(for: target) == "b.zip")
        let fields: HTTPFields = [.contentDisposition: #"attachment; filename="../x.pdf""#]
        #expect(HTTPResponse(status: .ok, headerFields: fields).suggestedFileName(for: target) == "x.pdf")
    }

    @Test func suggestsASafeNameForAnyInput() {
        var state: UInt64 = 7
        let alphabet =
            Array("./\\-~ \t\0\u{1B};=\"'*%2Ef\u{301}\u{202E}ü😀").map(String.init)
            + ["filename*=utf-8''", "/"]
        for _ in 0..<2000 {
            var field = "a; filename="
            for _ in 0..<24 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                field += alphabet[Int(state >> 33) % alphabet.count]
            }
            let name = SuggestedFileName.name(disposition: field, path: field)
            #expect(!name.isEmpty && name.utf8.count <= SuggestedFileName.longest)
            #expect(name.unicodeScalars.allSatisfy { !"/\\\0\n".unicodeScalars.contains($0) })
            #expect(name.unicodeScalars.allSatisfy { !ControlCharacters.steers($0.value) })
            #expect(![".", "-", " "].contains(name.unicodeScalars.first))
        }
    }
}
