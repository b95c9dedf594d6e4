internal import ApusJSON

/// Decides whether a text without a name looks like a key or a token.
///
/// Words and dates rarely alternate between lower case, upper case and digits. Random text does so constantly.
enum RandomText {
    /// Shorter texts are never considered random.
    static let shortest = 16

    /// Whether a text looks like a token. False if it contains a byte that tokens do not use.
    static func isLikely(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= shortest else { return false }
        var changes = 0
        var run = 0
        var longestRun = 0
        var isHexadecimal = true
        var hasDigit = false
        var hasLetter = false
        var last = Class.other
        for byte in text {
            guard let kind = Class(byte) else { return false }
            // A capital letter followed by a small one begins a word.
            if kind != last, kind != .other, last != .other, !(last == .capital && kind == .small) { changes += 1 }
            run = kind == .other ? 0 : run + 1
            longestRun = max(longestRun, run)
            hasDigit = hasDigit || kind == .digit
            hasLetter = hasLetter || kind == .small || kind == .capital
            isHexadecimal = isHexadecimal && (byte.hexadecimalValue != nil || byte == UInt8(ascii: "-"))
            last = kind
        }
        guard hasDigit || hasLetter else { return false }
        if isHexadecimal || changes * 5 > text.count { return true }
        return longestRun >= (hasDigit && hasLetter ? shortest : 24)
    }

    private enum Class {
        case small, capital, digit, other

        /// `nil` for bytes that tokens do not use.
        init?(_ byte: UInt8) {
            switch byte {
            case 0x61...0x7A: self = .small
            case 0x41...0x5A: self = .capital
            case 0x30...0x39: self = .digit
            default:
                guard "-_.~+/=%".utf8.contains(byte) else { return nil }
                self = .other
            }
        }
    }
}
