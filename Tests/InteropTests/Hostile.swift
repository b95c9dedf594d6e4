internal import ApusTestServer
internal import Foundation

/// Generates names, values and contents that are difficult for parsers, from a seed.
struct Hostile {
    private static let pieces = [
        "a", "Z", "0", "name", "null", "_charset_", "value of a field", "name=", "; filename=", "=?utf-8?Q?a?=",
        "\"", "'", "`", "\\", "\\\"", "\\\\", "C:\\", "/", "..", "../", ".", ",", ":", ";", "*", "~", "|", "-",
        "--", "\0", "\t", "\r", "\n", "\r\n", "\n\r", "\u{0B}", "\u{0C}", "\u{1B}", "\u{7F}", "\u{85}",
        "%", "%2", "%22", "%0D%0A", "%00", "%zz", "+", "&", "&&", "&amp;", "=", "==", "#", "?", " ", "  ", "\u{A0}",
        "[", "]", "[]", "[0]", "[a]", "{", "}", "<", ">", "(", ")", "utf-8''", "é", "e\u{301}", "ü", "ß", "ﬁ", "א",
        "שלום", "名前", "😀", "👩‍👩‍👧", "🇨🇭", "a\u{300}\u{301}\u{302}", "\u{202E}", "\u{200F}", "\u{2028}",
        "\u{FEFF}", "\u{FFFD}", "\u{10FFFF}",
    ]

    /// The pieces without an excluded character, which a reader treats differently.
    private let pieces: [String]
    var numbers: SeededGenerator

    init(seed: UInt64, without excluded: Character? = nil) {
        self.numbers = SeededGenerator(seed: seed)
        self.pieces = Self.pieces.filter { piece in excluded.map { !piece.contains($0) } ?? true }
    }

    /// Returns a number below `count`.
    mutating func number(below count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

    /// Returns `true` once in `count` times on average.
    mutating func isOne(of count: Int) -> Bool { number(below: count) == 0 }

    mutating func text() -> String {
        if isOne(of: 20) { return "" }
        if isOne(of: 100) { return String(repeating: piece(), count: 100 + number(below: 1500)) }
        return (0...number(below: 6)).map { _ in piece() }.joined()
    }

    private mutating func piece() -> String {
        guard isOne(of: 6) else { return pieces[number(below: pieces.count)] }
        // Uses the planes that contain letters. A surrogate becomes a noncharacter.
        return String(Unicode.Scalar(UInt32(0x80 + number(below: 0x3_2000))) ?? "\u{FFFE}")
    }

    mutating func bytes(_ count: Int) -> Data {
        var data = Data(capacity: count + 8)
        while data.count < count {
            withUnsafeBytes(of: numbers.next().littleEndian) { data.append(contentsOf: $0) }
        }
        return data.prefix(count)
    }

    /// Returns a body with lines that look similar to `boundary`.
    mutating func content(near boundary: String) -> Data {
        switch number(below: 10) {
        case 0: Data()
        case 1...3: Data(text().utf8)
        case 4...5: bytes(number(below: 300))
        case 6: content(of: ["\r", "\n", "\r\n", "-", "--", "\r\n--", "\r\n-", "--\r\n", "\0"])
        // Readers read 64 KiB at a time, so the boundary after such a body is split between two reads.
        case 7 where isOne(of: 30): bytes((64 << 10) - number(below: 400))
        default:
            content(of: [
                "\r\n--\(boundary.dropLast())", "\n--\(boundary.dropLast())", "-\(boundary)", "a--\(boundary)",
                " --\(boundary)--", "\r\n-\(boundary)", "\r\n \(boundary)--\r\n", "\r\n", "--", "\r\n----\(boundary)",
                "\r\n--apus.boundary.", "\r\n--a\r\n", "Content-Disposition: form-data; name=\"a\"\r\n\r\n",
            ])
        }
    }

    private mutating func content(of lines: [String]) -> Data {
        Data((0...number(below: 8)).map { _ in lines[number(below: lines.count)] }.joined().utf8)
    }
}
