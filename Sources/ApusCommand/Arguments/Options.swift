internal import ArgumentParser

/// The flags of the command line. What they mean together is `Invocation`'s to say.
struct Options: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        usage: "",
        // `-h` is HTTPie's "head of the response"; `--help` is a flag of our own, so that its text can be too.
        helpNames: []
    )

    @OptionGroup(title: "Request")
    var request: RequestFlags

    @OptionGroup(title: "Output")
    var output: OutputFlags

    @OptionGroup(title: "Exchange")
    var exchange: ExchangeFlags

    @Flag(name: .long, help: "Shows this text.")
    var help = false

    @Flag(name: .long, help: "Shows the version.")
    var version = false

    @Argument(help: .hidden)
    var words: [String] = []
}

/// How the content and the fields of the request come about.
struct RequestFlags: ParsableArguments {
    /// What `-j` and `-f` stand for.
    enum Style: EnumerableFlag {
        case json, form

        static func name(for value: Style) -> NameSpecification {
            switch value {
            case .json: [.customShort("j"), .customLong("json")]
            case .form: [.customShort("f"), .customLong("form")]
            }
        }

        static func help(for value: Style) -> ArgumentHelp? {
            switch value {
            case .json: "Items are a JSON object, as without a flag; but the fields say so even without items."
            case .form: "Items are the fields of a form."
            }
        }
    }

    @Flag(exclusivity: .chooseLast)
    var style: Style?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The body as it is.", valueName: "text")
    )
    var raw: String?

    @Option(
        name: [.customShort("a", allowingJoined: true), .customLong("auth")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Basic authentication in UTF-8; without a password, it is asked for.",
            valueName: "user:password"
        )
    )
    var auth: String?

    @Option(name: .long, help: ArgumentHelp("The scheme of a URL that has none: http, https.", valueName: "scheme"))
    var defaultScheme = "http"

    @Flag(name: [.customShort("I"), .customLong("ignore-stdin")], help: "Standard input is not read.")
    var ignoreStdin = false
}

/// What is shown, how, and where it goes.
struct OutputFlags: ParsableArguments {
    /// What `-h`, `-b` and `-m` stand for.
    enum Shortcut: EnumerableFlag {
        case headers, body, meta

        static func name(for value: Shortcut) -> NameSpecification {
            switch value {
            case .headers: [.customShort("h"), .customLong("headers")]
            case .body: [.customShort("b"), .customLong("body")]
            case .meta: [.customShort("m"), .customLong("meta")]
            }
        }

        static func help(for value: Shortcut) -> ArgumentHelp? {
            switch value {
            case .headers: "The same as --print=h."
            case .body: "The same as --print=b."
            case .meta: "The same as --print=m."
            }
        }
    }

    @Option(
        name: [.customShort("p", allowingJoined: true), .customLong("print")],
        help: ArgumentHelp(
            """
            What to show: H the request's head, B its body, h the response's head, b its body, m what was measured. \
            On a terminal hb, else b.
            """,
            valueName: "HBhbm"
        )
    )
    var print: String?

    @Flag(exclusivity: .chooseLast)
    var shortcut: Shortcut?

    @Flag(name: .shortAndLong, help: "The same as --print=HBhb --all; twice, measurements too.")
    var verbose: Int

    @Flag(name: .long, help: "Shows every hop of a redirect, not only the last.")
    var all = false

    @Option(
        name: .long,
        help: ArgumentHelp("How to show it; on a terminal all, else none.", valueName: "how")
    )
    var pretty: OutputStyle.Pretty?

    @Flag(name: [.customShort("S"), .customLong("stream")], help: "Shows the body line by line as it comes.")
    var stream = false

    @Flag(name: [.customShort("d"), .customLong("download")], help: "Follows redirects and saves the body to a file.")
    var download = false

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        parsing: .unconditional,
        help: ArgumentHelp("Writes to a file instead; - is standard output.", valueName: "file")
    )
    var output: String?

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Shows nothing but faults.")
    var quiet = false
}

/// How the request is sent and its answer judged.
struct ExchangeFlags: ParsableArguments {
    @Flag(name: [.customShort("F"), .customLong("follow")], help: "Follows redirects.")
    var follow = false

    @Option(name: .long, help: ArgumentHelp("The most redirects that are followed.", valueName: "number"))
    var maxRedirects = 30

    @Option(
        name: .long,
        help: ArgumentHelp(
            "For the whole request, to its last byte; 0 is any time. Without it connecting, and TLS, may take 10 s each.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Flag(name: .long, help: "Statuses of 300 and above are faults; see EXIT CODES.")
    var checkStatus = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Whom to trust: yes, no (anyone), or a PEM file of authorities.", valueName: "whom")
    )
    var verify = "yes"

    @Flag(name: .long, help: "Shows the request that would be sent, and sends nothing.")
    var offline = false
}

extension OutputStyle.Pretty: ExpressibleByArgument {}
