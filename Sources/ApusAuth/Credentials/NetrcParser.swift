internal import Foundation

/// Parses a netrc file.
///
/// ```
/// file  = *( "machine" word *pair / "default" *pair / macro )
/// pair  = ( "login" / "password" / "account" ) word / macro
/// macro = "macdef" word, and everything up to an empty line
/// ```
///
/// Words are separated by spaces or enclosed in double quotes. In quotes, a backslash makes the next character literal,
/// except in `\n`, `\r` and `\t`.
struct NetrcParser {
    struct Entry: Sendable {
        /// The host in lowercase, or `nil` for `default`.
        let host: String?
        var login: String?
        var password: String?
    }

    struct Fault: Error {
        let line: Int
        let reason: String
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ bytes: Data) {
        // Windows editors may add a byte order mark.
        self.bytes = Array(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes)
    }

    mutating func parse() throws(Fault) -> [Entry] {
        var entries: [Entry] = []
        while let word = try keyword() {
            let line = line
            switch word {
            case "machine":
                entries.append(Entry(host: try value(of: "machine").lowercased()))
            case "default":
                entries.append(Entry(host: nil))
            case "macdef":
                _ = try value(of: "macdef")
                skipMacro()
            case "login", "password", "account":
                let value = try value(of: word)
                guard let last = entries.indices.last else {
                    throw Fault(line: line, reason: "\(word) comes before the first machine")
                }
                if word == "login" { entries[last].login = value }
                if word == "password" { entries[last].password = value }
            default:
                throw Fault(line: line, reason: "there is an unexpected word")
            }
        }
        return entries
    }

    /// Reads the next word outside comments. Returns `nil` at the end.
    private mutating func keyword() throws(Fault) -> String? {
        skipSpace()
        while position < bytes.count, bytes[position] == UInt8(ascii: "#") {
            skipLine()
            skipSpace()
        }
        return try word()
    }

    private mutating func value(of name: String) throws(Fault) -> String {
        let line = line
        skipSpace()
        guard let word = try word() else { throw Fault(line: line, reason: "\(name) has no value") }
        return word
    }

    private mutating func word() throws(Fault) -> String? {
        guard position < bytes.count else { return nil }
        if bytes[position] == UInt8(ascii: "\"") { return try quotedWord() }
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quotedWord() throws(Fault) -> String {
        position += 1
        var word: [UInt8] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: word, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                byte = Self.meaning(ofEscaped: bytes[position])
                if bytes[position] == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
            word.append(byte)
        }
        throw Fault(line: line, reason: "a quoted word is not closed")
    }

    private static func meaning(ofEscaped byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    /// Skips to the end of the line or of the file.
    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    }

    /// Skips past the next blank line, which ends the macro.
    private mutating func skipMacro() {
        skipLine()
        while position < bytes.count {
            position += 1
            line += 1
            let start = position
            skipLine()
            if bytes[start..<position].allSatisfy(Self.isSpace) { return }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
