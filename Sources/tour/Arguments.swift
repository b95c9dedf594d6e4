/// What the tour was asked for.
struct Arguments {
    /// What can't be understood, in words.
    struct Fault: Error {
        let text: String
    }

    var svgPath: String?
    var wantsHelp = false

    init(_ words: [String]) throws(Fault) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "-h", "--help":
                wantsHelp = true
            case "--svg":
                guard let path = rest.popFirst() else { throw Fault(text: "--svg needs the name of a file") }
                svgPath = path
            case _ where word.hasPrefix("--svg="):
                svgPath = String(word.dropFirst("--svg=".count))
            default:
                throw Fault(text: "'\(word)' is nothing that the tour knows")
            }
        }
        if svgPath?.isEmpty == true { throw Fault(text: "--svg needs the name of a file") }
    }

    static let help = """
        usage: tour [--svg FILE] [--help]

        Starts a server on a free port of this machine, walks through what the library can do, one stop a line,
        and ends with a waterfall of its requests. Nothing leaves the machine.

          --svg FILE   writes the waterfall as an SVG picture, too
          --help       shows this text

        Exits with 0 where all stops are as they should be, with 1 where one is not, with 2 where the command
        can't be understood.
        """
}
