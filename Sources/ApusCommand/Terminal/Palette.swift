/// The colors of the output. Uses the terminal's own sixteen colors, so that they suit its background.
struct Palette: Equatable, Sendable {
    /// The role of a piece of text.
    enum Role: Sendable {
        case method, target, version
        case fieldName
        case success, redirection, failure
        case key, string, number, word
        case note
    }

    /// Whether text is colored.
    let isColored: Bool

    /// No colors.
    static let plain = Palette(isColored: false)
    /// The colors of the terminal.
    static let colored = Palette(isColored: true)

    /// Appends `text` in the color of `role`.
    func paint(_ text: ArraySlice<UInt8>, as role: Role, into output: inout [UInt8]) {
        guard isColored else {
            output.append(contentsOf: text)
            return
        }
        output.append(contentsOf: "\u{1B}[\(code(of: role))m".utf8)
        output.append(contentsOf: text)
        output.append(contentsOf: "\u{1B}[0m".utf8)
    }

    /// Appends `text` in the color of `role`.
    func paint(_ text: String, as role: Role, into output: inout [UInt8]) {
        paint(Array(text.utf8)[...], as: role, into: &output)
    }

    /// Returns the role for a status code.
    static func role(ofStatus code: Int) -> Role {
        switch code {
        case 400...: .failure
        case 300...399: .redirection
        default: .success
        }
    }

    private func code(of role: Role) -> String {
        switch role {
        case .method: "1;32"
        case .target: "4"
        case .version, .note: "2"
        case .fieldName, .redirection, .number: "36"
        case .success, .string: "32"
        case .failure: "1;31"
        case .key: "1;34"
        case .word: "35"
        }
    }
}
