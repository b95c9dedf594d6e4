internal import ApusCore
internal import ApusJSON

/// Writes bytes as words of a POSIX shell, without loss.
///
/// Control characters are written as octal escapes, so that a command is safe to show on a terminal.
///
/// See https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
package enum ShellText {
    /// Returns a single-quoted word. Control characters are written as octal escapes that `printf` decodes.
    ///
    /// - Parameter bytes: The bytes, without zeros, which a word can't hold.
    /// - Returns: The word.
    package static func word(_ bytes: some Collection<UInt8>) -> String {
        var word = ""
        var plain = String.UnicodeScalarView()
        var numbers = ""
        let endPlain = {
            if !plain.isEmpty { word += "'\(String(plain).replacing("'", with: "'\\''"))'" }
            plain.removeAll()
        }
        let endNumbers = {
            // A substitution removes trailing line feeds, but a line feed is never an octal escape.
            if !numbers.isEmpty { word += "\"$(printf '\(numbers)')\"" }
            numbers = ""
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            for byte in bytes {
                if byte >= 0x80 || ControlCharacters.steers(UInt32(byte)) {
                    endPlain()
                    numbers += octal(byte)
                } else {
                    endNumbers()
                    plain.append(Unicode.Scalar(byte))
                }
            }
            endPlain()
            endNumbers()
            return word
        }
        for scalar in text.unicodeScalars {
            if ControlCharacters.steers(scalar.value) {
                endPlain()
                for byte in String(scalar).utf8 { numbers += octal(byte) }
            } else {
                endNumbers()
                plain.append(scalar)
            }
        }
        endPlain()
        endNumbers()
        return word.isEmpty ? "''" : word
    }

    /// Returns a `printf` command that writes the bytes. Its format can also hold zeros.
    package static func printing(_ bytes: some Sequence<UInt8>) -> String {
        var format: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x0A: format += Array("\\n".utf8)
            case 0x09: format += Array("\\t".utf8)
            case UInt8(ascii: "%"): format += Array("%%".utf8)
            case UInt8(ascii: "\\"): format += Array("\\\\".utf8)
            // A leading dash would begin an option.
            case UInt8(ascii: "-") where format.isEmpty: format += Array(octal(byte).utf8)
            case 0x20...0x7E where byte != UInt8(ascii: "'"): format.append(byte)
            default: format += Array(octal(byte).utf8)
            }
        }
        return "printf '\(String(decoding: format, as: UTF8.self))'"
    }

    /// Whether the text can stand between single quotes without octal escapes.
    package static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { ControlCharacters.steers($0.value) }
    }

    private static func octal(_ byte: UInt8) -> String { "\\" + byte.padded(to: 3, radix: 8) }
}
