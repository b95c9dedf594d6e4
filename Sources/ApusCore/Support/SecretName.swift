/// Decides by its name whether a value is a secret: the value of a field, a parameter, a member or an element.
///
/// A name is split into words at each byte that is neither a letter nor a digit, between letters and digits, and where
/// the case changes: `X-Api-Key`, `apiKey` and `APIKey` have the same words. Words are compared in lower case, and in the
/// singular. One pass over the name, without an allocation.
enum SecretName {
    /// Longer names are none, and no secret's.
    static let longest = 256

    /// Whether a value of that name is a secret.
    ///
    /// - Parameter name: The name, without escapes.
    /// - Returns: Whether it is one.
    static func isSecret(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { isSecret(bytes: $0) }
    }

    /// Whether a value of that name is a secret.
    ///
    /// - Parameter name: The name as it stands in a URL, a form, JSON, XML or HTML, with its escapes.
    /// - Returns: Whether it is one.
    static func isSecret(escaped name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= longest else { return false }
        guard name.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") })
        else { return isSecret(bytes: name) }
        return isSecret(bytes: EscapedName.decoded(name))
    }

    /// Whether a value is a secret where a word stands ahead of its name, as in "status code".
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

    /// The words of a name, one after the other.
    private struct Reader {
        /// The letters of the current word, the last one lowest. Of a word of more than 16 letters it has the last 16, and
        /// equals none of the lists.
        private var word: UInt128 = 0
        /// The letters and digits since the last other byte.
        private var run: UInt128 = 0
        /// Capital letters at the beginning of the current word, and what follows them: `APIkey` may be `API` and `key`.
        private var capitals: UInt128 = 0
        private var small: UInt128 = 0
        private var hasStem = false
        private var last: UInt128 = 0
        private var isFound = false
        /// Whether the last word counts where it ends the name.
        private var endsInSecret = false

        mutating func read(_ byte: UInt8) {
            switch byte {
            case 0x41...0x5A:
                if small != 0 { endWord() }
                append(byte | 0x20)
                capitals = capitals << 8 | UInt128(byte | 0x20)
            case 0x61...0x7A:
                // The last of several capitals begins the next word.
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
            // "expires in" is one quality.
            if Words.afterExpires.contains(word), last == Words.expires { return }
            let isExempt = Words.isExempt(word, behind: last)
            if !isExempt, hasStem || Words.isSecret(word) { isFound = true }
            endsInSecret = !isExempt && Words.isSecretAtEnd(word)
            last = word
        }

        private mutating func endRun() {
            endWord()
            // A word of its own was looked at with what stands ahead of it.
            if run != last, Words.isSecret(run) { isFound = true }
            run = 0
        }
    }
}

/// Takes the escapes out of a name: `%70`, `\u0070` and `&#112;` are a `p`.
private enum EscapedName {
    static func decoded(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(name.count)
        var rest = name
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"): decoded.append(takeDigits(2, of: &rest) ?? byte)
            case UInt8(ascii: "\\"):
                // JSON in a string of JSON doubles its backslashes.
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

    /// The rest of a character reference of XML or HTML. One that is a name stands for no letter, so it ends a word.
    private static func takeReference(of rest: inout ArraySlice<UInt8>) -> UInt8? {
        guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        var reference = rest[..<end]
        rest = rest[(end + 1)...]
        guard reference.popFirst() == UInt8(ascii: "#") else { return space }
        let isHexadecimal = reference.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        return letter(isHexadecimal ? reference.dropFirst() : reference, isHexadecimal ? 16 : 10) ?? space
    }

    private static let space = UInt8(ascii: " ")

    /// The byte of a number. A letter outside of ASCII is in none of the words, so a space does for all of them.
    private static func letter(_ digits: ArraySlice<UInt8>, _ radix: UInt32) -> UInt8? {
        var number: UInt32 = 0
        for digit in digits {
            guard let value = JSONEscape.value(ofDigit: digit), value < radix, number < 0x11_0000 else { return nil }
            number = number * radix + value
        }
        return number < 0x80 ? UInt8(number) : space
    }
}
