internal import ArgumentParser

/// What is written down of the exchanges besides what is shown.
struct WatchFlags: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Writes every exchange to a file, as an archive (HAR 1.2) for browsers and other tools. Secrets are taken out, \
            contents are cut off after 1 MiB.
            """,
            valueName: "file"
        )
    )
    var har: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Draws when each exchange did what, as a picture in SVG.", valueName: "file.svg")
    )
    var waterfall: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Draws what an archive holds, whoever wrote it, in place of sending a request: as text, or as the picture of \
            --waterfall.
            """,
            valueName: "file"
        )
    )
    var fromHar: String?

    @Flag(name: .long, help: "Tells each step of the request on standard error, with its time.")
    var trace = false
}

/// What the command line wants to be written down.
struct Watching: Equatable {
    /// The file of the archive; `nil` where none is wanted.
    var archive: String?
    /// The file of the picture; `nil` where none is wanted.
    var picture: String?
    /// Whether each step is told.
    var traces = false

    /// Nothing.
    init() {}

    /// - Parameters:
    ///   - flags: The flags.
    ///   - sends: Whether there will be anything to write down.
    /// - Throws: `CommandFault` where that can't be.
    init(_ flags: WatchFlags, sends: Bool) throws(CommandFault) {
        archive = try Self.file(flags.har, of: "--har")
        picture = try Self.file(flags.waterfall, of: "--waterfall")
        traces = flags.trace
        guard sends || archive == nil && picture == nil else {
            let option = archive == nil ? "--waterfall" : "--har"
            throw CommandFault("\(option) needs an exchange, and nothing is sent; leave out --offline and --curl")
        }
    }

    /// Whether the whole answer is wanted, even if it is not shown.
    var wantsContent: Bool { archive != nil || picture != nil }

    static func file(_ name: String?, of option: String) throws(CommandFault) -> String? {
        guard name != "-" else {
            throw CommandFault("\(option) needs the name of a file, since standard output is for the answer")
        }
        return name
    }
}
