internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusParameters

@Suite struct MultipartPartTests {
    /// Names as browsers write them. The last ones are from the tests of the standard.
    static let names: [(name: String, asName: String, asFileName: String)] = [
        ("plain", "plain", "plain"), ("", "", ""), ("with space", "with space", "with space"),
        ("ünïcödé 文件 🐦", "ünïcödé 文件 🐦", "ünïcödé 文件 🐦"), ("e\u{301}", "e\u{301}", "e\u{301}"),
        ("\"", "%22", "%22"), ("a\"; filename=\"b", "a%22; filename=%22b", "a%22; filename=%22b"),
        ("back\\slash", "back\\slash", "back\\slash"), ("100%22", "100%22", "100%22"), ("a;b=c'", "a;b=c'", "a;b=c'"),
        ("\u{0}\u{1}\t\u{7F}\u{85}\u{2028}", "\u{0}\u{1}\t\u{7F}\u{85}\u{2028}", "\u{0}\u{1}\t\u{7F}\u{85}\u{2028}"),
        ("a\nb", "a%0D%0Ab", "a%0Ab"), ("a\rb", "a%0D%0Ab", "a%0Db"), ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
        ("a\n\rb", "a%0D%0A%0D%0Ab", "a%0A%0Db"), ("\r\r\n\n", "%0D%0A%0D%0A%0D%0A", "%0D%0D%0A%0A"),
        ("a\r\nX-Evil: 1\r\n\r\nb", "a%0D%0AX-Evil: 1%0D%0A%0D%0Ab", "a%0D%0AX-Evil: 1%0D%0A%0D%0Ab"),
    ]

    /// Parity: AF-multipart-names, AF-fault-multipart-names
    @Test(arguments: names)
    func writesNamesAsBrowsersDo(name: String, asName: String, asFileName: String) {
        let part = MultipartPart(Data(), name: name, fileName: name)
        let wanted = "Content-Disposition: form-data; name=\"\(asName)\"; filename=\"\(asFileName)\"\r\n\r\n"
        #expect(part.head == Data(wanted.utf8))
        #expect(part.label == "the part '\(asName)'")
    }

    /// Parity: AF-multipart-part-error
    @Test(arguments: ["text/plain\r\nX-Evil: 1", "text/\nplain", "text/\rplain", "a\u{0}", "a\u{1}", "a\u{7F}", ""])
    func rejectsAMediaTypeWithControlCharacters(mimeType: String) {
        var form = MultipartFormData()
        let errors = [
            #expect(throws: ApusError.self) { try form.append(Data(), withName: "n", mimeType: mimeType) },
            #expect(throws: ApusError.self) { try form.append(.string(""), withName: "n", mimeType: mimeType) },
            #expect(throws: ApusError.self) {
                try form.append(chunks([]), withLength: 0, name: "n", mimeType: mimeType)
            },
            #expect(throws: ApusError.self) {
                try form.append(withLength: 0, name: "n", mimeType: mimeType) { chunks([]) }
            },
        ]
        for error in errors {
            #expect(error?.code == .multipartEncodingFailed)
            #expect(error?.detail == "the part 'n': its media type is empty or has control characters")
        }
        #expect(form.parts.isEmpty)
    }

    @Test func rejectsAFieldWithControlCharacters() throws {
        var form = MultipartFormData()
        form.append("first", withName: "first")
        let name = try #require(HTTPField.Name("X-Evil"))
        var fields = HTTPFields()
        fields.append(HTTPField(name: name, lenientValue: [0x61, 0x01]))
        let error = #expect(throws: ApusError.self) { try form.append(.string("x"), fields: fields) }
        #expect(error?.code == .multipartEncodingFailed)
        #expect(error?.detail == "the part number 2: its X-Evil has control characters")
        #expect(form.parts.count == 1)
    }

    @Test(arguments: ["a\r\nX: y", "a\nX: y", "a\rX: y", "a\u{0}X: y"])
    func neverSplitsAField(value: String) async throws {
        var form = try MultipartFormData(boundary: "b")
        try form.append(.string("x"), fields: [.contentDescription: value])
        let read = try ReadMultipart(try await form.encode(), boundary: "b")
        #expect(read.parts.map(\.fields.count) == [1])
    }
}

extension HTTPField.Name {
    fileprivate static var contentDescription: HTTPField.Name { HTTPField.Name("Content-Description") ?? .from }
}
