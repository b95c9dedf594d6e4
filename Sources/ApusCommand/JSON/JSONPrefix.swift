/// Text before JSON: a byte order mark, or a guard that prevents another site's page from running the JSON as a script.
enum JSONPrefix {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The known guards.
    private static let guards = [
        ")]}',", ")]}'", ")]}", "for(;;);", "for (;;);", "while(1);", "while (1);", "throw 1;", "{}&&",
    ]

    /// Splits a text.
    ///
    /// - Parameter text: The text of a body.
    /// - Returns: The guard with the white space after it, and the index where the JSON begins.
    static func split(_ text: [UInt8]) -> (shown: ArraySlice<UInt8>, start: Int) {
        let begin = text.starts(with: mark) ? mark.count : 0
        let rest = text[begin...]
        guard let guarding = guards.first(where: { rest.starts(with: $0.utf8) }) else { return ([], begin) }
        let behind = rest.dropFirst(guarding.utf8.count)
        let start = behind.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? text.endIndex
        return (text[begin..<start], start)
    }
}
