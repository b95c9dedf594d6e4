import Testing

@testable import ApusCommand

@Suite struct RequestItemTests {
    @Test(arguments: [
        ("Accept:text/html", RequestItem.Kind.field, "Accept", "text/html"),
        ("Accept:", .field, "Accept", ""),
        ("X-Empty;", .emptyField, "X-Empty", ""),
        ("X-Key:@key.txt", .fieldFromFile, "X-Key", "key.txt"),
        ("q==swift", .query, "q", "swift"),
        ("q==@q.txt", .queryFromFile, "q", "q.txt"),
        ("name=Ada", .text, "name", "Ada"),
        ("name=", .text, "name", ""),
        ("name=@name.txt", .textFromFile, "name", "name.txt"),
        ("age:=36", .json, "age", "36"),
        ("all:=@all.json", .jsonFromFile, "all", "all.json"),
        ("@body.json", .file, "", "body.json"),
        ("photo@me.jpg", .file, "photo", "me.jpg"),
        ("=x", .text, "", "x"),
        // The first separator counts, and at one position the longest.
        ("a=b==c", .text, "a", "b==c"),
        ("a:b=c", .field, "a", "b=c"),
        ("a:=b:=c", .json, "a", "b:=c"),
        ("url=http://example.org", .text, "url", "http://example.org"),
        ("mail=ada@example.org", .text, "mail", "ada@example.org"),
        ("a===b", .query, "a", "=b"),
        ("time:12:30", .field, "time", "12:30"),
        ("größe=größer", .text, "größe", "größer"),
        ("👩‍🚀=🚀", .text, "👩‍🚀", "🚀"),
        ("e\u{301}=\u{301}x", .text, "e\u{301}", "\u{301}x"),
    ])
    func splitsAtTheFirstAndLongestSeparator(
        argument: String,
        kind: RequestItem.Kind,
        name: String,
        value: String
    ) throws {
        let item = try RequestItem(argument)
        #expect(item == RequestItem(kind: kind, name: name, value: value, source: argument))
    }

    @Test(arguments: [
        (#"a\=b=c"#, RequestItem.Kind.text, "a=b", "c"),
        (#"a\:b=c"#, .text, "a:b", "c"),
        (#"a\@b=c"#, .text, "a@b", "c"),
        (#"a\;b=c"#, .text, "a;b", "c"),
        (#"a\:=b"#, .text, "a:", "b"),
        (#"a=\=b"#, .text, "a", "=b"),
        (#"a=\@b"#, .text, "a", "@b"),
        // Before any other character, one or two backslashes are literal.
        (#"path=C:\temp"#, .text, "path", #"C:\temp"#),
        (#"a\\=b"#, .text, #"a\\"#, "b"),
        (#"a=b\"#, .text, "a", #"b\"#),
    ])
    func treatsEscapedSeparatorsAsText(
        argument: String,
        kind: RequestItem.Kind,
        name: String,
        value: String
    ) throws {
        let item = try RequestItem(argument)
        #expect(item == RequestItem(kind: kind, name: name, value: value, source: argument))
    }

    @Test(arguments: ["", "plain", #"a\=b"#, #"\@x"#, "-"])
    func rejectsAWordWithoutASeparator(argument: String) {
        let fault = #expect(throws: CommandFault.self) { try RequestItem(argument) }
        #expect(fault?.exitCode == .failure)
        #expect(fault?.sentence.contains("has no separator") == true)
    }

    @Test func rejectsTextAfterAnEmptyField() {
        #expect(throws: CommandFault.self) { try RequestItem("X-Empty;a=b") }
    }

    @Test func keepsAllCharactersOfRandomItems() throws {
        // No argument may trap. The name and value of a parsed item occur in its source, apart from escapes.
        let letters = Array(#"a\:;=@[] 1"#)
        var state: UInt64 = 42
        for _ in 0..<20_000 {
            var argument = ""
            for _ in 0..<8 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                argument.append(letters[Int(state >> 33) % letters.count])
            }
            guard let item = try? RequestItem(argument) else { continue }
            let plain = { (text: String) in text.filter { $0 != "\\" } }
            #expect(plain(item.name + item.kind.rawValue + item.value) == plain(argument))
        }
    }
}
