internal import Apus

/// Writes a JSON object as one line, for output that other programs read line by line.
enum JSONLine {
    /// Returns an object with its line feed.
    ///
    /// - Parameter members: The names and the values in JSON, in order.
    /// - Returns: The line, which controls no terminal.
    static func text(_ members: [(name: String, value: String)]) -> String {
        let object = "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
        // It escapes the characters that control a terminal as JSON does.
        return TerminalText.line(object) + "\n"
    }

    /// Returns a text as a JSON string, or `null`.
    static func quoted(_ text: String?) -> String {
        guard let text else { return "null" }
        return String(decoding: JSONEscape.quoted(text), as: UTF8.self)
    }

    /// Returns a number in JSON, or `null`.
    static func number(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? "null" }
}
