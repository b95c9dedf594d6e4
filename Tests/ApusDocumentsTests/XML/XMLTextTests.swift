internal import ApusCore
internal import ApusDocuments
internal import Foundation
internal import Testing

/// Detects the encoding of documents.
@Suite struct XMLTextTests {
    private func bytes(_ text: String, _ encoding: String.Encoding, mark: [UInt8] = []) throws -> Data {
        Data(mark) + (try #require(text.data(using: encoding)))
    }

    private func text(_ data: Data, encoding: String.Encoding? = nil) throws -> String {
        try XMLTree(data, encoding: encoding).root.text
    }

    @Test func usesTheByteOrderMark() throws {
        let document = "<a>ü€😀</a>"
        #expect(try text(bytes(document, .utf8, mark: [0xEF, 0xBB, 0xBF])) == "ü€😀")
        #expect(try text(bytes(document, .utf16LittleEndian, mark: [0xFF, 0xFE])) == "ü€😀")
        #expect(try text(bytes(document, .utf16BigEndian, mark: [0xFE, 0xFF])) == "ü€😀")
        #expect(try text(bytes(document, .utf32LittleEndian, mark: [0xFF, 0xFE, 0, 0])) == "ü€😀")
        #expect(try text(bytes(document, .utf32BigEndian, mark: [0, 0, 0xFE, 0xFF])) == "ü€😀")
        let declared = "<?xml version='1.0' encoding='ISO-8859-1'?>\(document)"
        #expect(try text(bytes(declared, .utf16BigEndian, mark: [0xFE, 0xFF]), encoding: .isoLatin1) == "ü€😀")
    }

    @Test func detectsUTF16WithoutAMark() throws {
        let document = "<?xml version='1.0' encoding='UTF-16'?><a>ü</a>"
        #expect(try text(bytes(document, .utf16LittleEndian)) == "ü")
        #expect(try text(bytes(document, .utf16BigEndian)) == "ü")
    }

    @Test(arguments: [("ISO-8859-1", String.Encoding.isoLatin1), ("windows-1252", .windowsCP1252), ("utf-8", .utf8)])
    func usesTheDeclaredEncoding(name: String, encoding: String.Encoding) throws {
        #expect(try text(bytes("<?xml version='1.0' encoding='\(name)'?><a>ü</a>", encoding)) == "ü")
    }

    @Test(
        arguments: [
            ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC], "日本"), ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"),
            ("GBK", [0xC4, 0xE3], "你"), ("Big5", [0xA7, 0x41], "你"), ("KOI8-R", [0xD0, 0xD2], "пр"),
            ("ISO-8859-15", [0xA4], "€"), ("ISO-2022-JP", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
        ] as [(String, [UInt8], String)]
    )
    func supportsTheEncodingsOfTheWeb(name: String, bytes: [UInt8], text: String) throws {
        let content = Data("<a>".utf8) + bytes + Data("</a>".utf8)
        let declared = Data("<?xml version='1.0' encoding='\(name)'?>".utf8) + content
        #expect(try self.text(declared) == text)
        #expect(try XMLTree(content, charset: Charset(label: name), limits: XMLLimits()).root.text == text)
    }

    @Test func prefersTheGivenEncodingToTheDeclaration() throws {
        let document = "<?xml version='1.0' encoding='UTF-8'?><a>ü</a>"
        #expect(try text(bytes(document, .isoLatin1), encoding: .isoLatin1) == "ü")
        #expect(try text(bytes(document, .utf8), encoding: .isoLatin1) == "Ã¼")
    }

    static let unacceptable: [([UInt8], String)] = [
        (
            Array("<?xml version='1.0' encoding='GBK'?><a>".utf8) + [0xC4] + Array("</a>".utf8),
            "bytes are not valid GBK"
        ),
        (Array("<?xml version='1.0' encoding='iso-2022-kr'?><a/>".utf8), "text in replacement can't be decoded"),
        (
            Array("<?xml version='1.0' encoding='x\(String(repeating: "y", count: 500))'?><a/>".utf8),
            "its encoding 'x\(String(repeating: "y", count: 39))…' is not supported"
        ),
        (Array("<?xml version='1.0' encoding='KLINGON'?><a/>".utf8), "its encoding 'KLINGON' is not supported"),
        (Array("<?xml version='1.0' encoding='UTF-16'?><a/>".utf8), "it is declared as 'UTF-16', but is not"),
        (Array("<?xml version='1.0' encoding=''?><a/>".utf8), "the XML declaration has an invalid encoding name"),
        ([0xFF, 0xFE] + Array("<\0a\0/\0>".utf8), "are not valid Unicode (UTF-16LE)"),
        (Array("<a>".utf8) + [0xFF] + Array("</a>".utf8), "at line 1, column 4: the bytes are not UTF-8"),
        (Array("<a>\n".utf8) + [0xC3] + Array("</a>".utf8), "at line 2, column 1: the bytes are not UTF-8"),
        (Array("<a>".utf8) + [0xC0, 0x80] + Array("</a>".utf8), "at line 1, column 4: the bytes are not UTF-8"),
        (Array("<a>".utf8) + [0xED, 0xA0, 0x80] + Array("</a>".utf8), "at line 1, column 4: the bytes are not UTF-8"),
        (Array("<a>".utf8) + [0xF4, 0x90, 0x80, 0x80], "at line 1, column 4: the bytes are not UTF-8"),
        (Array("<a>".utf8) + [0xF0, 0x9F, 0x98], "at line 1, column 4: the bytes are not UTF-8"),
        (Array("<a".utf8) + [0xFF, 0xFE, 0x80] + Array("/>".utf8), "at line 1, column 3: the bytes are not UTF-8"),
        (Array("<a>\0</a>".utf8), "at line 1, column 4: it has the control character 0"),
    ]

    @Test(arguments: unacceptable)
    func rejectsBytesInvalidInTheirEncoding(document: [UInt8], complaint: String) throws {
        let error = #expect(throws: ApusError.self) { try XMLTree(Data(document)) }
        #expect(error?.code == .decodingFailed)
        #expect(try #require(error).detail.contains(complaint), "\(error?.detail ?? "")")
    }

    @Test func readsDataThatIsASliceOfAnother() throws {
        let whole = Data("....\u{FEFF}<a>x</a>....".utf8)
        #expect(try text(whole.dropFirst(4).dropLast(4)) == "x")
    }
}
