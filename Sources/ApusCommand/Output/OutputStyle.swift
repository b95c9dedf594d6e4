/// How output is to look.
struct OutputStyle: Equatable, Sendable {
    /// What `--pretty` knows.
    enum Pretty: String, CaseIterable, Sendable {
        case all, colors, format
        case nothing = "none"
    }

    /// Whether JSON, XML and heads are laid out.
    let formats: Bool
    /// How they are laid out.
    let options: FormatOptions
    /// The colours.
    let palette: Palette
    /// Whether a person reads it: nothing in it may steer a terminal.
    let isSafe: Bool
    /// Whether content is shown line by line as it comes.
    let streams: Bool

    /// Whether the fields of heads are shown by name.
    var sortsFields: Bool { formats && options.sortsFields }

    /// The style for an output.
    ///
    /// - Parameters:
    ///   - pretty: What `--pretty` gave; `nil` is everything on a terminal and nothing elsewhere.
    ///   - isTerminal: Whether the output is a terminal.
    ///   - allowsColour: Whether the environment lets a terminal be painted; `--pretty` has the last word.
    ///   - streams: What `--stream` gave.
    ///   - options: What `--format-options` gave.
    init(
        pretty: Pretty?,
        isTerminal: Bool,
        allowsColour: Bool,
        streams: Bool,
        options: FormatOptions = FormatOptions()
    ) {
        let wanted = pretty ?? (isTerminal ? (allowsColour ? .all : .format) : .nothing)
        formats = wanted == .all || wanted == .format
        palette = wanted == .all || wanted == .colors ? .coloured : .plain
        isSafe = isTerminal || wanted != .nothing
        self.streams = streams
        self.options = options
    }
}
