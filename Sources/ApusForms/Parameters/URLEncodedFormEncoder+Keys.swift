// The encoding of keys: brackets or dots, indexes, and letter case.

extension URLEncodedFormEncoder {
    /// The encoding of the key of an array's element.
    public enum ArrayEncoding: Sendable {
        /// `key[]=a&key[]=b`. The default.
        case brackets
        /// `key=a&key=b`
        case noBrackets
        /// `key[0]=a&key[1]=b`. Dropped elements do not count for the index.
        case indexInBrackets
        /// The result of the closure for the array's whole key and the element's index.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }

    /// The conversion of keys.
    ///
    /// It is applied once to the whole key of a pair, `parentKey[childKey]`.
    public enum KeyEncoding: Sendable {
        /// Keys are unchanged. The default.
        case useDefaultKeys
        /// `oneTwoThree` becomes `one_two_three`, `anURLToOpen` `an_url_to_open`, as with `JSONEncoder`.
        case convertToSnakeCase
        /// `oneTwoThree` becomes `one-two-three`.
        case convertToKebabCase
        /// `oneTwoThree` becomes `OneTwoThree`. Only the first letter of the whole key changes.
        case capitalized
        /// `oneTwoThree` becomes `ONETWOTHREE`.
        case uppercased
        /// `oneTwoThree` becomes `onetwothree`.
        case lowercased
        /// The result of the closure for a whole key.
        case custom(@Sendable (_ key: String) -> String)

        var keepsKeys: Bool {
            if case .useDefaultKeys = self { true } else { false }
        }

        func encode(_ key: String) -> String {
            switch self {
            case .useDefaultKeys: key
            case .convertToSnakeCase: Self.words(of: key, joinedBy: "_")
            case .convertToKebabCase: Self.words(of: key, joinedBy: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let encode): encode(key)
            }
        }

        /// Returns the key of a single value in snake case, as `JSONEncoder` converts it.
        static func snakeCase(of key: String) -> String { words(of: key, joinedBy: "_", isPath: false) }

        /// Returns the words of a camel case key in lower case, joined by `separator`.
        private static func words(of key: String, joinedBy separator: Character, isPath: Bool = true) -> String {
            let letters = Array(key)
            var starts = wordStarts(in: letters, isPath)[...]
            var result = ""
            for (position, letter) in letters.enumerated() {
                if position == starts.first {
                    result.append(separator)
                    starts.removeFirst()
                }
                result.append(letter)
            }
            return result.lowercased()
        }

        /// Returns the starts of all words but the first. A word starts at a capital. Of several capitals in a row, the
        /// last starts the word of the small letters after it. After a bracket or dot, the key of another value starts.
        private static func wordStarts(in letters: [Character], _ isPath: Bool) -> [Int] {
            func endsKey(_ letter: Character) -> Bool { isPath && (letter == "[" || letter == ".") }
            var starts: [Int] = []
            var position = 1
            while position < letters.count {
                guard letters[position].isCapital, !endsKey(letters[position - 1]) else {
                    position += 1
                    continue
                }
                starts.append(position)
                var end = position + 1
                while end < letters.count, !letters[end].isSmall, !endsKey(letters[end]) { end += 1 }
                if end < letters.count, letters[end].isSmall, end > position + 1 { starts.append(end - 1) }
                position = end + 1
            }
            return starts
        }
    }

    /// The way in which the key of a nested value is appended to its parent's.
    public struct KeyPathEncoding: Sendable {
        enum Style: Sendable {
            case brackets
            case dots
            case custom(@Sendable (String) -> String)
        }

        let style: Style

        private init(_ style: Style) {
            self.style = style
        }

        /// `parent[child][grandchild]`. The default.
        public static let brackets = KeyPathEncoding(.brackets)

        /// `parent.child.grandchild`
        public static let dots = KeyPathEncoding(.dots)

        /// Creates a custom encoding.
        ///
        /// - Parameter encoding: Returns the text to append to the parent's key: `{ "[\($0)]" }` writes brackets.
        public init(encoding: @escaping @Sendable (_ subkey: String) -> String) {
            self.style = .custom(encoding)
        }
    }
}

extension Character {
    fileprivate var isCapital: Bool {
        if let asciiValue { return (0x41...0x5A).contains(asciiValue) }
        return category == .uppercaseLetter || category == .titlecaseLetter
    }

    fileprivate var isSmall: Bool { asciiValue.map { (0x61...0x7A).contains($0) } ?? (category == .lowercaseLetter) }

    private var category: Unicode.GeneralCategory? { unicodeScalars.first?.properties.generalCategory }
}
