/// Which parts of the exchange are shown: the letters of `--print`.
struct OutputSelection: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `H`
    static let requestHead = OutputSelection(rawValue: 1 << 0)
    /// `B`
    static let requestBody = OutputSelection(rawValue: 1 << 1)
    /// `h`
    static let responseHead = OutputSelection(rawValue: 1 << 2)
    /// `b`
    static let responseBody = OutputSelection(rawValue: 1 << 3)
    /// `m`
    static let metrics = OutputSelection(rawValue: 1 << 4)

    /// The request as a whole.
    static let request: OutputSelection = [.requestHead, .requestBody]
    /// The response as a whole.
    static let response: OutputSelection = [.responseHead, .responseBody]

    /// Reads the letters of `--print`.
    init(letters: String) throws(CommandFault) {
        self = []
        for letter in letters {
            switch letter {
            case "H": insert(.requestHead)
            case "B": insert(.requestBody)
            case "h": insert(.responseHead)
            case "b": insert(.responseBody)
            case "m": insert(.metrics)
            default:
                throw CommandFault("--print knows H, B, h, b and m, not '\(letter)'; see apus --help")
            }
        }
    }

    /// What `-h`, `-b` and `-m` stand for.
    enum Shortcut: Sendable {
        case head, body, metrics
    }

    /// What is shown, by what was asked for and by who looks at it.
    ///
    /// - Parameters:
    ///   - letters: What `--print` gave; it has the last word.
    ///   - shortcut: The last of `-h`, `-b`, `-m`.
    ///   - verbosity: How often `-v` was given.
    ///   - isOffline: Whether nothing is sent, so that there is only a request to show.
    ///   - isDownload: Whether the body of the response goes to a file, whatever else is shown.
    ///   - isTerminal: Whether a person looks at the output.
    /// - Returns: What is shown.
    /// - Throws: `CommandFault` for a letter that is none of the five.
    static func resolve(
        letters: String?,
        shortcut: Shortcut?,
        verbosity: Int,
        isOffline: Bool,
        isDownload: Bool,
        isTerminal: Bool
    ) throws(CommandFault) -> OutputSelection {
        var selection: OutputSelection
        if let letters {
            selection = try OutputSelection(letters: letters)
        } else if let shortcut {
            switch shortcut {
            case .head: selection = .responseHead
            case .body: selection = .responseBody
            case .metrics: selection = .metrics
            }
        } else if verbosity > 1 {
            selection = [.request, .response, .metrics]
        } else if verbosity == 1 {
            selection = [.request, .response]
        } else if isOffline {
            selection = .request
        } else {
            selection = isTerminal ? .response : .responseBody
        }
        if isDownload { selection.remove(.responseBody) }
        return selection
    }
}
