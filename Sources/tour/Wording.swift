/// Formats text for the lines of the tour.
enum Wording {
    /// Returns the text with exactly this width, truncated or padded.
    static func fit(_ text: String, _ columns: Int) -> String {
        guard text.count > columns else { return text + String(repeating: " ", count: columns - text.count) }
        return text.prefix(max(0, columns - 1)) + "…"
    }

    /// Returns the text right-aligned to this width.
    static func flushRight(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - text.count)) + text
    }

    /// Breaks the text between words into lines of this width.
    static func wrap(_ text: String, _ columns: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
