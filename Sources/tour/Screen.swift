internal import Foundation

/// The output of the tour: colored lines on a terminal, plain lines in a file or a pipe.
struct Screen: Sendable {
    enum Tone: String, Sendable {
        case plain = "0"
        case strong = "1"
        case quiet = "2"
        case good = "32"
        case bad = "1;31"
    }

    let columns: Int
    let isColored: Bool
    private let isTerminal: Bool

    init() {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        self.isTerminal = isTerminal
        var size = winsize()
        let isKnown = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? min(120, max(80, Int(size.ws_col))) : 80
        let environment = ProcessInfo.processInfo.environment
        isColored = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func paint(_ text: String, _ tone: Tone) -> String {
        isColored && tone != .plain ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Shows a line at once, without buffering.
    func show(_ line: String = "") {
        // A closed reader, as in `tour | head`, is no error.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Replaces the current line on a terminal. Does nothing elsewhere.
    func overwrite(_ text: String) {
        guard isTerminal else { return }
        try? FileHandle.standardOutput.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Shows a line on standard error.
    func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }
}
