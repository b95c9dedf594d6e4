// What becomes of keys: between brackets or dots, with an index or without, in another case.

extension URLEncodedFormEncoder {
    /// How the key of an array's element is written.
    public enum ArrayEncoding: Sendable {
        /// `key[]=a&key[]=b`: the default.
        case brackets
        /// `key=a&key=b`
        case noBrackets
        /// `key[0]=a&key[1]=b`; elements that are dropped have no number.
        case indexInBrackets
        /// What the closure makes of the whole key of the array and the number of the element.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }

    /// What is made of the letters of a key.
    ///
    /// It is made of the whole key of a pair, `parentKey[childKey]`, once.
    public enum KeyEncoding: Sendable {
        /// Keys stay as they are: the default.
        case useDefaultKeys
        /// `oneTwoThree` becomes `one_two_three`, `anURLToOpen` `an_url_to_open`, as with `JSONEncoder`.
        case convertToSnakeCase
        /// `oneTwoThree` becomes `one-two-three`.
        case convertToKebabCase
        /// `oneTwoThree` becomes `OneTwoThree`: the first letter of the whole key alone.
        case capitalized
        /// `oneTwoThree` becomes `ONETWOTHREE`.
        case uppercased
        /// `oneTwoThree` becomes `onetwothree`.
        case lowercased
        /// What the closure makes of a whole key.
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

        /// The key of a single value in snake case, as `JSONEncoder` makes it.
        static func snakeCase(of key: String) -> String { words(of: key, joinedBy: "_", isPath: false) }

        /// The words of camel case in lower case, with `separator` between them.
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

        /// Where words begin but for the first: at a capital; and of several in a row, the last belongs to the small
        /// letters that follow it. Behind a bracket or a dot begins the key of another value, with a first word.
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

    /// How the key of a nested value follows its parent's.
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

        /// `parent[child][grandchild]`: the default.
        public static let brackets = KeyPathEncoding(.brackets)

        /// `parent.child.grandchild`
        public static let dots = KeyPathEncoding(.dots)

        /// Makes an encoding of one's own.
        ///
        /// - Parameter encoding: What is put behind the key of the parent: `{ "[\($0)]" }` makes brackets.
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
