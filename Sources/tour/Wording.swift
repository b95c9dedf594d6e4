internal import Foundation

/// Formats text for the lines of the tour.
enum Wording {
    /// Returns a duration with up to three digits: `850 µs`, `1.25 ms`, `12.3 ms`, `1.25 s`.
    static func time(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
        return switch microseconds {
        case ..<999.5: "\(Int(microseconds.rounded())) µs"
        case ..<9_995: "\(decimal(microseconds / 1e3, 2)) ms"
        case ..<99_950: "\(decimal(microseconds / 1e3, 1)) ms"
        case ..<999_500: "\(Int((microseconds / 1e3).rounded())) ms"
        default: "\(decimal(microseconds / 1e6, 2)) s"
        }
    }

    private static func decimal(_ value: Double, _ places: Int) -> String {
        String(format: "%.\(places)f", value)
    }

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
