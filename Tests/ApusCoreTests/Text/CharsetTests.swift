internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Decoding of charsets: whole tables, truncated texts, and invalid bytes.
@Suite struct CharsetTests {
    /// A hash of the characters for the bytes from 0x80 on, computed with Python's codecs.
    static let upperHalves: [(charset: SingleByteCharset, hash: UInt64)] = [
        (.ibm866, 0xE93A_3C2E_9CB4_C831), (.iso8859x2, 0x389B_15B3_5A20_FCB0),
        (.iso8859x3, 0xE9FF_0A04_5682_C977), (.iso8859x4, 0xE04A_B2D1_CDFB_1C22),
        (.iso8859x5, 0xC5B6_6DF1_A189_FBB0), (.iso8859x6, 0x4C74_7849_4EA1_7C26),
        (.iso8859x7, 0x6B3E_E596_71AF_7292), (.iso8859x8, 0xF4C6_33A1_A22B_7401),
        (.iso8859x8i, 0xF4C6_33A1_A22B_7401), (.iso8859x10, 0x1C8B_1706_FDF6_C1BB),
        (.iso8859x13, 0x5983_BA78_5E91_BF2C), (.iso8859x14, 0xCF2C_911A_57EF_8167),
        (.iso8859x15, 0xE775_97B8_6957_FEF2), (.iso8859x16, 0x5F93_D513_2794_87E2),
        (.koi8r, 0x9D2A_F325_7524_C02C), (.koi8u, 0x7942_527B_E538_8748),
        (.macintosh, 0x9989_FEA0_1AC8_34D9), (.windows874, 0xDDCB_8DB8_A86D_5C5D),
        (.windows1250, 0xFCD7_012B_915D_0B7E), (.windows1251, 0xF395_0086_B788_E107),
        (.windows1252, 0xDE2F_AAA9_F95C_637A), (.windows1253, 0xBD88_012D_C59F_9891),
        (.windows1254, 0xFB1D_496C_5A2B_7544), (.windows1255, 0xF66D_3598_D292_F53B),
        (.windows1256, 0x5280_E0E2_C001_8566), (.windows1257, 0xB6CA_3D9B_967A_FF39),
        (.windows1258, 0x3891_B30E_CA8A_88E0), (.macCyrillic, 0x58C4_F34D_290C_283F),
    ]

    private func string(_ bytes: [UInt8], _ label: String) -> String? {
        Charset(label: label)?.string(Data(bytes))
    }

    private func scalars(_ text: String?) -> [UInt32]? { text?.unicodeScalars.map(\.value) }

    // MARK: Single-byte charsets

    /// FNV-1a, over two bytes a character.
    @Test(arguments: upperHalves) func hasTheCorrectTable(charset: SingleByteCharset, hash: UInt64) {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        #expect(charset.upperHalf.count == 128)
        for character in charset.upperHalf {
            for byte in [character >> 8, character & 0xFF] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        #expect(sum == hash)
    }

    @Test func coversEachSingleByteEncoding() {
        #expect(Set(Self.upperHalves.map(\.charset)) == Set(SingleByteCharset.allCases))
    }

    @Test(arguments: SingleByteCharset.allCases) func decodesEachByteByTheTable(charset: SingleByteCharset) {
        for byte in UInt8.min ... .max {
            let expected = byte < 0x80 ? UInt16(byte) : charset.upperHalf[Int(byte) - 0x80]
            let decoded = [byte].withUnsafeBytes { charset.string($0) }
            #expect(scalars(decoded) == (byte >= 0x80 && expected == 0 ? nil : [UInt32(expected)]))
        }
    }

    /// Browsers decode these bytes as control characters, although Windows leaves them undefined.
    @Test func decodesUndefinedBytesOfWindowsAsControls() {
        #expect(scalars(string([0x81, 0x8D, 0x9D], "windows-1252")) == [0x81, 0x8D, 0x9D])
        #expect(string([0xAA], "windows-1253") == nil)
    }

    // MARK: Multibyte charsets

    static let texts: [(label: String, bytes: [UInt8], text: [UInt32])] = [
        // Windows has the euro sign at 0x80.
        ("gbk", [0x80, 0x41, 0x80, 0x80], [0x20AC, 0x41, 0x20AC, 0x20AC]),
        ("gb18030", [0x81, 0x30, 0x81, 0x30], [0x80]),
        // One pair gives two scalars, the other one scalar.
        ("big5", [0x88, 0x62, 0x88, 0x66], [0xCA, 0x304, 0xCA]),
        ("big5", [0xA1, 0x40, 0xA1, 0xFE, 0xC6, 0xA1], [0x3000, 0xFF0F, 0x2460]),
        // JIS X 0212, rows that Windows added, and half-width characters.
        (
            "euc-jp", [0x8F, 0xB0, 0xA1, 0xAD, 0xA1, 0x8E, 0xB1, 0xF9, 0xA1, 0x5C],
            [0x4E02, 0x2460, 0xFF71, 0x7E8A, 0x5C]
        ),
        ("euc-jp", [0xA1, 0xC1, 0xA1, 0xDD], [0xFF5E, 0xFF0D]),
        ("shift_jis", [0x5C, 0x7E, 0x81, 0x60, 0xFA, 0x54], [0x5C, 0x7E, 0xFF5E, 0xFFE2]),
        // A yen sign and an overline, half-width characters, and back to ASCII.
        (
            "iso-2022-jp",
            Array("\u{1B}(J\\~a\u{1B}(I1\u{1B}$@F|\u{1B}$BK\\\u{1B}(B\\~".utf8),
            [0xA5, 0x203E, 0x61, 0xFF71, 0x65E5, 0x672C, 0x5C, 0x7E]
        ),
        ("euc-kr", [0x81, 0x41, 0xC6, 0x52], [0xAC02, 0xD7A3]),
        ("utf-16", [0xFE, 0xFF, 0x00, 0xE9], [0xE9]),
        ("utf-16", [0xFF, 0xFE, 0xE9, 0x00], [0xE9]),
        ("unicode", [0xE9, 0x00], [0xE9]),
        ("utf-8", [0xEF, 0xBB, 0xBF, 0x61], [0x61]),
        ("x-user-defined", [0x7F, 0x80, 0xFF], [0x7F, 0xF780, 0xF7FF]),
    ]

    @Test(arguments: texts) func decodesAsBrowsersDo(label: String, bytes: [UInt8], text: [UInt32]) {
        #expect(scalars(string(bytes, label)) == text)
    }

    /// Bytes that end within a character, or are invalid.
    static let wrong: [(label: String, bytes: [UInt8])] = [
        ("gbk", [0x61, 0xC4]), ("gb18030", [0x81, 0x30, 0x81]), ("gb18030", [0xFF]), ("big5", [0xA7]),
        ("big5", [0x80]), ("big5", [0xA1, 0xA1, 0x81]), ("euc-jp", [0xC6]), ("euc-jp", [0x8F, 0xB0]),
        ("euc-jp", [0x8E]), ("euc-jp", [0x80]), ("euc-jp", [0xC6, 0x41]), ("euc-jp", [0xA9, 0xA1]),
        ("shift_jis", [0x93]), ("shift_jis", [0xFD]), ("euc-kr", [0xBE]), ("euc-kr", [0xFF, 0x41]),
        ("iso-2022-jp", [0x1B]), ("iso-2022-jp", [0x1B, 0x28]), ("iso-2022-jp", [0x1B, 0x28, 0x43]),
        ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46]), ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x1B]),
        ("iso-2022-jp", [0x80]), ("iso-2022-jp", [0x0E]), ("utf-16", [0x61]), ("utf-32be", [0, 0, 0x61]),
        ("utf-8", [0xFF]),
    ]

    @Test(arguments: wrong) func rejectsInvalidBytes(label: String, bytes: [UInt8]) {
        #expect(string(bytes, label) == nil)
        let error = #expect(throws: ApusError.self) {
            try CharacterSetDecoding.string(Data(bytes), encoding: nil, contentType: "text/plain;charset=\(label)")
        }
        #expect(error?.code == .stringDecodingFailed)
        #expect(error?.detail.hasPrefix("its \(bytes.count) bytes are not valid ") == true)
    }

    /// The converter has a buffer of 4096 bytes. A character may cross its end.
    @Test(
        arguments: [
            ("gb18030", [0xC4, 0xE3], "你"), ("big5", [0xA7, 0x41], "你"), ("shift_jis", [0x93, 0xFA], "日"),
            ("euc-jp", [0xC6, 0xFC], "日"), ("euc-kr", [0xBE, 0xC8], "안"), ("koi8-r", [0xD0], "п"),
            ("euc-jp", [0x8F, 0xB0, 0xA1], "丂"), ("gbk", [0x80], "€"), ("big5", [0xA3, 0xE1], "€"),
        ] as [(String, [UInt8], String)]
    )
    func decodesLongTexts(label: String, character: [UInt8], text: String) {
        for padding in 0..<3 {
            let bytes =
                Array(repeating: UInt8(ascii: "a"), count: padding) + Array(repeating: character, count: 5000).joined()
            let expected = String(repeating: "a", count: padding) + String(repeating: text, count: 5000)
            #expect(string(bytes, label) == expected)
        }
    }

    /// All pairs of bytes from 0x80 on, and random texts, are decoded or rejected.
    @Test(arguments: ["gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "iso-2022-jp"])
    func survivesAnyBytes(label: String) throws {
        let charset = try #require(Charset(label: label))
        var decoded = 0
        for first in UInt8(0x80) ... .max {
            let row = (UInt8.min ... .max).flatMap { [first, $0] }
            for start in stride(from: 0, to: row.count, by: 2) where charset.string(Data(row[start...start + 1])) != nil
            {
                decoded += 1
            }
        }
        #expect(decoded > (label == "iso-2022-jp" ? -1 : 5000))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let bytes = (0..<64).map { _ in UInt8.random(in: 0x1B...0xFF, using: &random) }
            _ = charset.string(Data(bytes))
        }
    }

    @Test func supportsFoundationsEncodingForEUCJP() throws {
        let bytes = Data([0xC6, 0xFC, 0xCB, 0xDC])
        #expect(try CharacterSetDecoding.string(bytes, encoding: .japaneseEUC, contentType: nil) == "日本")
    }

    @Test func decodesSlicesOfData() {
        let data = Data([0xFF, 0xC4, 0xE3, 0xFF])
        #expect(Charset(label: "gbk")?.string(data[1..<3]) == "你")
        #expect(Charset(label: "iso-8859-5")?.string(data[1..<2]) == "Ф")
        #expect(Charset(label: "gbk")?.string(data[1..<1]) == "")
    }
}
