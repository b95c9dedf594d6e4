internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct HTTPFieldsCheckingTests {
    static let values: [(String, String)] = [
        ("", ""), ("a", "a"), (" \t a b\tc \t", "a b\tc"), (" ", ""), ("é日🚀", "é日🚀"), ("a, b;c=\"d\"", "a, b;c=\"d\""),
        ("\u{80}\u{9F}\u{A0}", "\u{80}\u{9F}\u{A0}"),
    ]

    /// Parity: AF-headers-collection
    @Test(arguments: values)
    func acceptsValidValues(value: String, expected: String) throws {
        let field = try HTTPField(checking: "X-Test", value)
        #expect(field.name == HTTPField.Name("x-test"))
        #expect(field.value == expected)
        #expect(try HTTPFields(checking: ["X-Test": value]) == [field.name: expected])
    }

    static let controls: [(String, String)] = [
        ("\r", "a carriage return at byte 0"), ("a\n", "a line feed at byte 1"), ("\u{0}", "a NUL at byte 0"),
        ("a\r\nb: c", "a carriage return at byte 1"), ("é\nb", "a line feed at byte 2"),
        ("a\u{B}", "a control character at byte 1"), ("\u{1B}[2J", "a control character at byte 0"),
        ("\u{7F}", "a control character at byte 0"), ("\n\r", "a line feed at byte 0"),
    ]

    @Test(arguments: controls)
    func rejectsControlCharacters(value: String, reason: String) throws {
        var fields: HTTPFields = [.accept: "a/b"]
        for refused in [
            { try HTTPFields(checking: ["Accept": "b/c", "X-Test": value]) },
            { try HTTPFields(checking: [("X-Test", value)]) },
            { try fields.append(checking: "X-Test", value) }, { try fields.set(checking: "X-Test", value) },
            { try fields.setting(checking: "X-Test", value) },
        ] as [() throws -> Any] {
            let error = #expect(throws: ApusError.self) { try refused() }
            #expect(error?.code == .invalidField)
            #expect(error?.detail.contains(reason) == true, "\(error?.detail ?? "")")
            #expect(error?.detail.contains("X-Test") == true)
        }
        #expect(fields == [.accept: "a/b"])
    }

    @Test(arguments: ["", " ", "a b", "a:", ":path", "ä", "a\r\nb", "a\u{0}", "a(b)", "a,b", "a/b", "\"a\"", "\t"])
    func rejectsInvalidNames(name: String) throws {
        var fields: HTTPFields = [:]
        for refused in [
            { try HTTPField(checking: name, "a") }, { try HTTPFields(checking: [(name, "a")]) },
            { try fields.set(checking: name, nil) }, { try fields.setting(checking: name, "a") },
        ] as [() throws -> Any] {
            let error = #expect(throws: ApusError.self) { try refused() }
            #expect(error?.code == .invalidField)
            // The message escapes the control characters of the name.
            #expect(error?.detail.utf8.contains { $0 < 0x20 } == false)
        }
        #expect(fields.isEmpty)
    }

    @Test func doesNotShowTheValue() {
        let error = #expect(throws: ApusError.self) { try HTTPField(name: .authorization, checking: "sesame\n") }
        #expect(error?.detail.contains("sesame") == false)
    }

    /// Parity: AF-headers-order, AF-headers-unique
    @Test func keepsOrderAndRepetition() throws {
        let fields = try HTTPFields(checking: ["b": "1", "A": "2", "B": "3", "a": "4"])
        #expect(fields.map { "\($0.name.rawName): \($0.value)" } == ["b: 1", "A: 2", "B: 3", "a: 4"])
        let name = try #require(HTTPField.Name("B"))
        #expect(fields[values: name] == ["1", "3"])
    }

    /// Parity: AF-headers-case, AF-headers-update, AF-headers-unique
    @Test func addsAndReplaces() throws {
        var fields = try HTTPFields(checking: [("Accept", "a/b"), ("X", "1"), ("Accept", "c/d")])
        try fields.append(checking: "x", "2")
        #expect(fields.map(\.value) == ["a/b", "1", "c/d", "2"])
        try fields.set(checking: "accept", "e/f")
        #expect(fields.map(\.value) == ["e/f", "1", "2"])
        let more = try fields.setting(checking: "Y", "3")
        #expect(more.map(\.value) == ["e/f", "1", "2", "3"])
        #expect(try more.setting(checking: "X", nil).map(\.value) == ["e/f", "3"])
        #expect(fields.map(\.value) == ["e/f", "1", "2"])
    }

    /// `HTTPFields` itself would stop the program at this limit.
    @Test func rejectsMoreFieldsThanTheLimit() throws {
        var fields = HTTPFields()
        for _ in 0..<Int(UInt16.max) - 1 { fields.append(HTTPField(name: .accept, value: "")) }
        let error = #expect(throws: ApusError.self) { try fields.append(checking: "a", "b") }
        #expect(error?.code == .invalidField)
        #expect(throws: ApusError.self) { try fields.set(checking: "a", "b") }
        try fields.set(checking: "accept", "b")
        #expect(fields.map(\.value) == ["b"])
    }
}
