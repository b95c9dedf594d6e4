/// The style of the output.
struct OutputStyle: Equatable, Sendable {
    /// The values of `--pretty`.
    enum Pretty: String, CaseIterable, Sendable {
        case all, colors, format
        case nothing = "none"
    }

    /// Whether JSON, XML and heads are formatted.
    let formats: Bool
    /// The format options.
    let options: FormatOptions
    /// The colors.
    let palette: Palette
    /// Whether control characters are escaped, so that the output is safe for a terminal.
    let isSafe: Bool
    /// Whether bodies are shown line by line as they arrive.
    let streams: Bool

    /// Whether the fields of heads are sorted by name.
    var sortsFields: Bool { formats && options.sortsFields }

    /// Creates the style for an output.
    ///
    /// - Parameters:
    ///   - pretty: The value of `--pretty`. Without it, `all` on a terminal and `none` elsewhere.
    ///   - isTerminal: Whether the output is a terminal.
    ///   - allowsColor: Whether the environment allows colors. `--pretty` overrides it.
    ///   - streams: Whether `--stream` was given.
    ///   - options: The values of `--format-options`.
    init(
        pretty: Pretty?,
        isTerminal: Bool,
        allowsColor: Bool,
        streams: Bool,
        options: FormatOptions = FormatOptions()
    ) {
        let wanted = pretty ?? (isTerminal ? (allowsColor ? .all : .format) : .nothing)
        formats = wanted == .all || wanted == .format
        palette = wanted == .all || wanted == .colors ? .colored : .plain
        isSafe = isTerminal || wanted != .nothing
        self.streams = streams
        self.options = options
    }
}
