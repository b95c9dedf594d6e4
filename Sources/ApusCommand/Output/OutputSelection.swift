/// The parts of the exchange to show: the letters of `--print`.
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

    /// Head and body of the request.
    static let request: OutputSelection = [.requestHead, .requestBody]
    /// Head and body of the response.
    static let response: OutputSelection = [.responseHead, .responseBody]

    /// Parses the letters of `--print`.
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
                throw CommandFault("--print accepts H, B, h, b and m, not '\(letter)'; see apus --help")
            }
        }
    }

    /// The flags `-h`, `-b` and `-m`.
    enum Shortcut: Sendable {
        case head, body, metrics
    }

    /// Returns the parts to show, depending on the flags and the output.
    ///
    /// - Parameters:
    ///   - letters: The value of `--print`, which overrides the other flags.
    ///   - shortcut: The last of `-h`, `-b`, `-m`.
    ///   - verbosity: The number of `-v` flags.
    ///   - isOffline: Whether nothing is sent, so that there is only a request to show.
    ///   - isDownload: Whether the response body is saved, and therefore never shown.
    ///   - isTerminal: Whether the output is a terminal.
    /// - Returns: The parts to show.
    /// - Throws: `CommandFault` for an unknown letter.
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
