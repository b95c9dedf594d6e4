/// The command-line arguments of the tour.
struct Arguments {
    /// An error in the arguments, as text.
    struct Fault: Error {
        let text: String
    }

    var svgPath: String?
    var harPath: String?
    /// The folder of the queue to run in place of the tour.
    var queuePath: String?
    var wantsHelp = false

    init(_ words: [String]) throws(Fault) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "--svg": svgPath = try Self.path(parts, &rest)
            case "--har": harPath = try Self.path(parts, &rest)
            case QueueProcess.argument: queuePath = try Self.path(parts, &rest)
            case _ where word == "-h" || word == "--help": wantsHelp = true
            default: throw Fault(text: "unknown argument '\(word)'")
            }
        }
    }

    /// Returns the file name after the equals sign or in the next argument.
    private static func path(_ parts: [String], _ rest: inout ArraySlice<String>) throws(Fault) -> String {
        let path = parts.count > 1 ? parts[1] : rest.popFirst() ?? ""
        guard !path.isEmpty else { throw Fault(text: "\(parts[0]) needs the name of a file") }
        return path
    }

    static let help = """
        usage: tour [--svg FILE] [--har FILE] [--help]

        Starts a server on a free port of this machine, shows the features of the library, one stop a line, and
        ends with a waterfall of its requests. Nothing leaves the machine.

          --svg FILE   also writes the waterfall as an SVG picture
          --har FILE   writes the exchanges of the stops about failing servers and authentication as an archive
                       in the format HAR 1.2, without secrets
          --help       shows this text

        Exits with 0 if all stops succeed, with 1 if one fails, with 2 if an argument is invalid.
        """
}
