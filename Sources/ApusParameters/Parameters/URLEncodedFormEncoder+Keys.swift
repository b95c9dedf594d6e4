internal import ApusJSON

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
            case .convertToSnakeCase: SnakeCase.words(of: key, joinedBy: "_")
            case .convertToKebabCase: SnakeCase.words(of: key, joinedBy: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let encode): encode(key)
            }
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
