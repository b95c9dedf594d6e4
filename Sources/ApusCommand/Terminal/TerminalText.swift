internal import Apus

/// Makes received text safe for a terminal: control sequences are shown instead of executed.
///
/// Line feeds and tabs pass, and CRLF becomes a line feed. All other control characters (C0, DEL, C1), and those that
/// change the direction or the lines of text (such as U+202E), are written as `\u001b`. JSON uses the same notation, so
/// JSON strings stay valid. Invalid UTF-8 becomes U+FFFD, since some terminals execute a lone `0x9B`.
///
/// Text may arrive in pieces. A scalar split between two pieces is reassembled.
struct TerminalText {
    private var pending: [UInt8] = []
    private var missing = 0
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF
    private var scalar: UInt32 = 0
    private var holdsCarriageReturn = false

    /// Appends the safe form of `bytes` to `output`.
    mutating func append(_ bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
        for byte in bytes { append(byte, to: &output) }
    }

    /// Ends the text. An incomplete scalar is replaced.
    mutating func finish(into output: inout [UInt8]) {
        flush(before: 0, into: &output)
        if missing > 0 { replaceIncomplete(into: &output) }
    }

    private mutating func append(_ byte: UInt8, to output: inout [UInt8]) {
        if missing > 0 {
            guard allowed.contains(byte) else {
                replaceIncomplete(into: &output)
                return append(byte, to: &output)
            }
            continueScalar(byte, into: &output)
            return
        }
        flush(before: byte, into: &output)
        switch byte {
        case 0x20...0x7E, 0x09, 0x0A: output.append(byte)
        case 0x0D: holdsCarriageReturn = true
        case 0x00...0x7F: Self.escape(UInt32(byte), into: &output)
        case 0xC2...0xDF: begin(byte, bits: byte & 0x1F, missing: 1, allowed: 0x80...0xBF)
        case 0xE0: begin(byte, bits: 0, missing: 2, allowed: 0xA0...0xBF)
        case 0xED: begin(byte, bits: 0x0D, missing: 2, allowed: 0x80...0x9F)
        case 0xE1...0xEF: begin(byte, bits: byte & 0x0F, missing: 2, allowed: 0x80...0xBF)
        case 0xF0: begin(byte, bits: 0, missing: 3, allowed: 0x90...0xBF)
        case 0xF1...0xF3: begin(byte, bits: byte & 0x07, missing: 3, allowed: 0x80...0xBF)
        case 0xF4: begin(byte, bits: 4, missing: 3, allowed: 0x80...0x8F)
        default: output.append(contentsOf: Self.replacement)
        }
    }

    private mutating func begin(_ byte: UInt8, bits: UInt8, missing: Int, allowed: ClosedRange<UInt8>) {
        pending.append(byte)
        scalar = UInt32(bits)
        self.missing = missing
        self.allowed = allowed
    }

    private mutating func continueScalar(_ byte: UInt8, into output: inout [UInt8]) {
        pending.append(byte)
        scalar = scalar << 6 | UInt32(byte & 0x3F)
        missing -= 1
        allowed = 0x80...0xBF
        guard missing == 0 else { return }
        if ControlCharacters.steers(scalar) {
            Self.escape(scalar, into: &output)
        } else {
            output.append(contentsOf: pending)
        }
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func replaceIncomplete(into output: inout [UInt8]) {
        output.append(contentsOf: Self.replacement)
        pending.removeAll(keepingCapacity: true)
        missing = 0
    }

    /// Drops a carriage return before a line feed and escapes any other, since alone it would overwrite the line.
    private mutating func flush(before byte: UInt8, into output: inout [UInt8]) {
        guard holdsCarriageReturn else { return }
        holdsCarriageReturn = false
        if byte != 0x0A { Self.escape(0x0D, into: &output) }
    }
}

extension TerminalText {
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// Returns the text on one line, with line feeds escaped as well. For error messages, fields and file names.
    static func line(_ text: some StringProtocol) -> String {
        var filter = TerminalText()
        var shown: [UInt8] = []
        for byte in text.utf8 {
            if byte == 0x0A || byte == 0x0D {
                filter.finish(into: &shown)
                escape(UInt32(byte), into: &shown)
            } else {
                filter.append(byte, to: &shown)
            }
        }
        filter.finish(into: &shown)
        return String(decoding: shown, as: UTF8.self)
    }

    private static func escape(_ scalar: UInt32, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(ascii: "u"))
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: scalar >> shift & 0xF)
            output.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
        }
    }
}
