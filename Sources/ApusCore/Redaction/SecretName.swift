internal import ApusJSON

/// Decides by its name whether the value of a field, a parameter, a member or an element is a secret.
///
/// A name is split into words at bytes other than letters and digits, between letters and digits, and where the case
/// changes: `X-Api-Key`, `apiKey` and `APIKey` consist of the same words. Words are compared in lower case and in the
/// singular. This takes one pass over the name and no allocation.
package enum SecretName {
    /// Longer texts are not names, and never name a secret.
    static let longest = 256

    /// Whether a value with this name is a secret.
    ///
    /// - Parameter name: The name, without escapes.
    /// - Returns: Whether the value is a secret.
    package static func isSecret(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { isSecret(bytes: $0) }
    }

    /// Whether a value with this name is a secret.
    ///
    /// - Parameter name: The name as written in a URL, a form, JSON, XML or HTML, with its escapes.
    /// - Returns: Whether the value is a secret.
    static func isSecret(escaped name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= longest else { return false }
        guard name.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") })
        else { return isSecret(bytes: name) }
        return isSecret(bytes: EscapedName.decoded(name))
    }

    /// Whether a value is a secret if a word precedes its name, as in "status code".
    static func isSecret(escaped name: ArraySlice<UInt8>, behind word: ArraySlice<UInt8>) -> Bool {
        guard isSecret(escaped: name) else { return false }
        return word.isEmpty || name.count + word.count >= longest || isSecret(escaped: word + [0x20] + name)
    }

    private static func isSecret(bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= longest else { return false }
        var reader = Reader()
        for byte in bytes { reader.read(byte) }
        return reader.isSecret
    }

    /// Reads the words of a name, one after the other.
    private struct Reader {
        /// The letters of the current word, with the last one in the lowest byte. A word of more than 16 letters keeps
        /// only its last 16, and does not match any list.
        private var word: UInt128 = 0
        /// The letters and digits since the last other byte.
        private var run: UInt128 = 0
        /// The capital letters at the start of the word, and the letters after them: `APIkey` may be `API` and `key`.
        private var capitals: UInt128 = 0
        private var small: UInt128 = 0
        private var hasStem = false
        private var last: UInt128 = 0
        private var isFound = false
        /// Whether the last word marks a secret if it ends the name.
        private var endsInSecret = false

        mutating func read(_ byte: UInt8) {
            switch byte {
            case 0x41...0x5A:
                if small != 0 { endWord() }
                append(byte | 0x20)
                capitals = capitals << 8 | UInt128(byte | 0x20)
            case 0x61...0x7A:
                // The last of several capital letters begins the next word.
                if small == 0, capitals >> 8 != 0 { beginNextWord() }
                small = small << 8 | UInt128(byte)
                append(byte)
            case 0x30...0x39:
                endWord()
                run = run << 8 | UInt128(byte)
            default: endRun()
            }
        }

        var isSecret: Bool {
            mutating get {
                endRun()
                return (isFound || endsInSecret) && !Words.qualities.contains(last)
            }
        }

        private mutating func append(_ letter: UInt8) {
            word = word << 8 | UInt128(letter)
            run = run << 8 | UInt128(letter)
            for stem in Words.stems where word & stem.mask == stem.letters { hasStem = true }
        }

        private mutating func beginNextWord() {
            let letters = capitals
            word = letters >> 8
            end(word)
            if Words.isSecret(letters) { isFound = true }
            word = letters & 0xFF
            hasStem = false
        }

        private mutating func endWord() {
            guard word != 0 else { return }
            let isMixed = capitals >> 8 != 0 && small != 0
            end(word)
            if isMixed {
                let count = (128 - small.leadingZeroBitCount + 7) / 8
                if Words.isSecret(small) || Words.isSecret(capitals << (8 * min(count, 15)) | small) { isFound = true }
            }
            word = 0
            capitals = 0
            small = 0
            hasStem = false
        }

        private mutating func end(_ word: UInt128) {
            // "expires in" counts as one quality.
            if Words.afterExpires.contains(word), last == Words.expires { return }
            let isExempt = Words.isExempt(word, behind: last)
            if !isExempt, hasStem || Words.isSecret(word) { isFound = true }
            endsInSecret = !isExempt && Words.isSecretAtEnd(word)
            last = word
        }

        private mutating func endRun() {
            endWord()
            // A run that is a single word has been checked already, together with the word before it.
            if run != last, Words.isSecret(run) { isFound = true }
            run = 0
        }
    }
}

/// Decodes the escapes in a name: `%70`, `\u0070` and `&#112;` all mean `p`.
private enum EscapedName {
    static func decoded(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(name.count)
        var rest = name
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"): decoded.append(takeDigits(2, of: &rest) ?? byte)
            case UInt8(ascii: "\\"):
                // JSON within a JSON string has doubled backslashes.
                rest = rest.drop { $0 == UInt8(ascii: "\\") }
                let count = rest.first == UInt8(ascii: "u") ? 4 : rest.first == UInt8(ascii: "x") ? 2 : 0
                guard count > 0 else { continue }
                var digits = rest.dropFirst()
                guard let letter = takeDigits(count, of: &digits) else { continue }
                decoded.append(letter)
                rest = digits
            case UInt8(ascii: "&"): decoded.append(takeReference(of: &rest) ?? byte)
            default: decoded.append(byte)
            }
        }
        return decoded
    }

    private static func takeDigits(_ count: Int, of rest: inout ArraySlice<UInt8>) -> UInt8? {
        let digits = rest.prefix(count)
        guard digits.count == count, let letter = letter(digits, 16) else { return nil }
        rest = rest[digits.endIndex...]
        return letter
    }

    /// Reads the rest of a character reference of XML or HTML. A named reference is never a letter, so it ends a word.
    private static func takeReference(of rest: inout ArraySlice<UInt8>) -> UInt8? {
        guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        var reference = rest[..<end]
        rest = rest[(end + 1)...]
        guard reference.popFirst() == UInt8(ascii: "#") else { return space }
        let isHexadecimal = reference.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        return letter(isHexadecimal ? reference.dropFirst() : reference, isHexadecimal ? 16 : 10) ?? space
    }

    private static let space = UInt8(ascii: " ")

    /// Returns the byte of a code point. Letters outside ASCII occur in none of the words, so a space replaces them.
    private static func letter(_ digits: ArraySlice<UInt8>, _ radix: UInt32) -> UInt8? {
        var number: UInt32 = 0
        for digit in digits {
            guard let value = digit.hexadecimalValue.map(UInt32.init), value < radix, number < 0x11_0000 else {
                return nil
            }
            number = number * radix + value
        }
        return number < 0x80 ? UInt8(number) : space
    }
}
