internal import Apus
internal import ApusJSON
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Decodes a text under each label of the Encoding Standard's table.
///
/// See https://encoding.spec.whatwg.org/#names-and-labels
@Suite struct CharsetLabelTests {
    /// The labels of an encoding, sample bytes, and their text.
    static let samples: [(labels: String, bytes: String, text: String)] = [
        (
            "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
            "67 72 C3 BC C3 9F 65 20 E4 BD A0 E5 A5 BD", "grüße 你好"
        ),
        ("866 cp866 csibm866 ibm866", "AF E0 A8 A2 A5 E2 20 FC", "привет №"),
        (
            "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
            "AE 6C 75 BB 6F 75 E8 6B FD", "Žluťoučký"
        ),
        (
            "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
            "C6 75 20 F8 69 20 FE 61 74 61 73", "Ĉu ĝi ŝatas"
        ),
        (
            "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
            "D3 EF B6 BB 20 BF", "Ķīļģ ŋ"
        ),
        (
            "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
            "DF E0 D8 D2 D5 E2 20 F0", "привет №"
        ),
        (
            """
            arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e \
            iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
            """,
            "E5 D1 CD C8 C7", "\u{645}\u{631}\u{62D}\u{628}\u{627}"
        ),
        (
            """
            csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 \
            iso_8859-7:1987 sun_eu_greek
            """,
            "CA E1 EB E7 EC DD F1 E1 20 A2 A4", "Καλημέρα ’€"
        ),
        (
            """
            csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 \
            iso_8859-8 iso_8859-8:1988 visual
            """,
            "F9 EC E5 ED 20 AA", "\u{5E9}\u{5DC}\u{5D5}\u{5DD} ×"
        ),
        ("csiso88598i iso-8859-8-i logical", "F9 EC E5 ED 20 BA", "\u{5E9}\u{5DC}\u{5D5}\u{5DD} ÷"),
        (
            "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
            "DE F3 72 20 BF 20 BD", "Þór ŋ ―"
        ),
        ("iso-8859-13 iso8859-13 iso885913", "41 E8 69 FB 20 A5 FE A1", "Ačiū „ž”"),
        ("iso-8859-14 iso8859-14 iso885914", "D0 FE 20 A8", "Ŵŷ Ẁ"),
        (
            "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
            "31 30 20 A4 20 BD 75 66", "10 € œuf"
        ),
        ("iso-8859-16", "AA 20 FE 20 A4", "Ș ț €"),
        ("cskoi8r koi koi8 koi8-r koi8_r", "D0 D2 C9 D7 C5 D4 20 A3", "привет ё"),
        ("koi8-ru koi8-u", "BD C1 CE CF CB 20 A7 D6 C1 CB 20 AE BE", "Ґанок їжак ўЎ"),
        ("csmacintosh mac macintosh x-mac-roman", "D2 8E D3 20 C6 20 DB", "“é” ∆ €"),
        (
            "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
            "CA C7 D1 CA B4 D5 20 80", "สวัสดี €"
        ),
        ("cp1250 windows-1250 x-cp1250", "8E 6C 75 9D 6F 75 E8 6B FD 20 80", "Žluťoučký €"),
        ("cp1251 windows-1251 x-cp1251", "EF F0 E8 E2 E5 F2 20 B9 20 88", "привет № €"),
        (
            """
            ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 \
            iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
            """,
            "93 E9 94 20 80 20 8C", "“é” € Œ"
        ),
        ("cp1253 windows-1253 x-cp1253", "CA E1 EB E7 EC DD F1 E1 20 80", "Καλημέρα €"),
        (
            """
            cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 \
            windows-1254 x-cp1254
            """,
            "DE FD F0 20 DD 20 80", "Şığ İ €"
        ),
        ("cp1255 windows-1255 x-cp1255", "F9 EC E5 ED 20 A4", "\u{5E9}\u{5DC}\u{5D5}\u{5DD} ₪"),
        (
            "cp1256 windows-1256 x-cp1256",
            "E3 D1 CD C8 C7 20 81 20 80", "\u{645}\u{631}\u{62D}\u{628}\u{627} \u{67E} €"
        ),
        ("cp1257 windows-1257 x-cp1257", "41 E8 69 FB 20 80", "Ačiū €"),
        ("cp1258 windows-1258 x-cp1258", "D0 FD F5 6E 67 20 FE 20 E3", "Đương ₫ ă"),
        ("x-mac-cyrillic x-mac-ukrainian", "8F F0 E8 E2 E5 F2 20 A2 B6 20 FF", "Привет Ґґ €"),
        (
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
            "C4 E3 BA C3 CA C0 BD E7 20 80", "你好世界 €"
        ),
        ("gb18030", "C4 E3 BA C3 20 94 39 FC 36 20 A8 BA", "你好 😀 ê"),
        (
            "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
            "A7 41 A6 6E 20 A1 45 A3 E1 20 F9 D6 20 88 62", "你好 ‧€ 碁 Ê\u{304}"
        ),
        (
            "cseucpkdfmtjapanese euc-jp x-euc-jp",
            "C6 FC CB DC B8 EC 20 A5 AB A5 CA 20 8E B6 8E C5 20 FC E2", "日本語 カナ ｶﾅ 髙"
        ),
        (
            "csiso2022jp iso-2022-jp",
            "1B 24 42 46 7C 4B 5C 38 6C 1B 28 42 20 1B 24 42 25 2B 25 4A 1B 28 42", "日本語 カナ"
        ),
        (
            "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
            "93 FA 96 7B 8C EA 20 B6 C5 20 EE E0 87 40 81 60", "日本語 ｶﾅ 髙①～"
        ),
        (
            """
            cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 \
            windows-949
            """,
            "BE C8 B3 E7 20 8C 63 20 94 EE", "안녕 똠 뷁"
        ),
        ("unicodefffe utf-16be", "00 68 00 E9 00 20 D8 3D DE 00", "hé 😀"),
        (
            "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
            "68 00 E9 00 20 00 3D D8 00 DE", "hé 😀"
        ),
        ("x-user-defined", "61 80 FF", "a\u{F780}\u{F7FF}"),
        ("utf-32be", "00 00 00 E9 00 01 F6 00", "é😀"),
        ("utf-32le", "E9 00 00 00 00 F6 01 00", "é😀"),
        ("utf-32", "FF FE 00 00 E9 00 00 00 00 F6 01 00", "é😀"),
    ]

    /// The labels that browsers no longer decode.
    static let undecoded = "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"

    private func string(_ bytes: [UInt8], _ label: String) throws -> String {
        try CharacterSetDecoding.string(Data(bytes), encoding: nil, contentType: "text/plain; charset=\(label)")
    }

    @Test(arguments: samples) func decodesTextUnderEachLabel(labels: String, bytes: String, text: String) throws {
        let bytes = bytes.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        for label in labels.split(separator: " ").map(String.init) {
            for form in [label, label.uppercased(), "\"\(label)\""] {
                let decoded = try string(bytes, form)
                #expect(Array(decoded.unicodeScalars) == Array(text.unicodeScalars), "\(form): \(decoded)")
            }
        }
    }

    @Test func coversTheWholeTable() {
        let labels = (Self.samples.map(\.labels) + [Self.undecoded]).flatMap { $0.split(separator: " ") }
        #expect(Set(labels).count == labels.count)
        // The standard's table has no labels for UTF-32.
        #expect(labels.filter { !$0.hasPrefix("utf-32") }.count == 228)
    }

    @Test func rejectsEncodingsThatBrowsersReject() throws {
        for label in Self.undecoded.split(separator: " ").map(String.init) {
            let error = #expect(throws: ApusError.self) { try string(Array("~{<:Ky2;~}".utf8), label) }
            #expect(error?.code == .stringDecodingFailed)
            #expect(error?.detail == "text in replacement can't be decoded on this system")
            #expect(try string([], label) == "")
        }
    }

    @Test(arguments: ["klingon", "utf-9", "iso-8859-17", "utf-8,utf-8", "KO\u{130}8-r"])
    func rejectsUnknownLabels(label: String) {
        let error = #expect(throws: ApusError.self) { try string([0x61], label) }
        #expect(error?.code == .stringDecodingFailed)
        #expect(error?.detail == "its charset '\(label)' is unknown; specify the encoding")
    }

    @Test func showsOnlyTheBeginningOfAHostileLabel() throws {
        let label = "x\u{1B}]0\u{202E}" + String(repeating: "y", count: 100_000)
        let refused = #expect(throws: ApusError.self) { try string([0x61], label) }
        let error = try #require(refused)
        #expect(error.detail.contains("'x\\u{1B}]0") && error.detail.unicodeScalars.count < 120)
        #expect(!"\(error)".unicodeScalars.contains { ControlCharacters.steers($0.value) })
    }

    @Test func ignoresAnEmptyLabel() throws {
        #expect(try string(Array("é".utf8), "") == "é")
        #expect(try string([0xE9], "\"\"") == "é")
    }
}
