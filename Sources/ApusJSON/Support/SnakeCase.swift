internal import Foundation

/// Conversion of names in snake case.
package enum SnakeCase {
    /// Converts `user_name` to `userName`. Leading and trailing underscores are kept.
    static func camelCase(of name: String) -> String {
        let start = name.prefix { $0 == "_" }
        let end = name.dropFirst(start.count).reversed().prefix { $0 == "_" }
        let words = name.dropFirst(start.count).dropLast(end.count).split(separator: "_")
        guard words.count > 1 else { return name }
        return start + words[0].lowercased() + words.dropFirst().map(\.capitalized).joined() + String(end)
    }

    /// Returns the key of a single value in snake case, as `JSONEncoder` converts it.
    package static func snakeCase(of key: String) -> String { words(of: key, joinedBy: "_", isPath: false) }

    /// Returns the words of a camel case key in lower case, joined by `separator`.
    package static func words(of key: String, joinedBy separator: Character, isPath: Bool = true) -> String {
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

extension Character {
    fileprivate var isCapital: Bool {
        if let asciiValue { return (0x41...0x5A).contains(asciiValue) }
        return category == .uppercaseLetter || category == .titlecaseLetter
    }

    fileprivate var isSmall: Bool { asciiValue.map { (0x61...0x7A).contains($0) } ?? (category == .lowercaseLetter) }

    private var category: Unicode.GeneralCategory? { unicodeScalars.first?.properties.generalCategory }
}
