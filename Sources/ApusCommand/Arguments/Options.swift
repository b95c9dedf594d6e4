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

    @OptionGroup(title: "Watching")
    var watching: WatchFlags

    @Flag(name: .long, help: "Shows this text.")
    var help = false

    @Flag(name: .long, help: "Shows the version.")
    var version = false

    @Argument(help: .hidden)
    var words: [String] = []
}

extension Options {
    /// The flags with a value behind them; `--help` has the same.
    static let takingValues: Set<Substring> = [
        "--boundary", "--raw", "--auth", "--auth-type", "--session", "--session-read-only", "--default-scheme",
        "--print", "--pretty", "--format-options", "--response-charset", "--response-mime", "--output",
        "--max-redirects", "--timeout", "--retry", "--verify", "--har", "--waterfall", "--from-har",
    ]

    /// The arguments with an empty value, as in `--raw="$EMPTY"`, as one of its own: else the parser would take the next
    /// argument for it.
    static func spelledOut(_ arguments: [String]) -> [String] {
        var output: [String] = []
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return output + arguments[index...] }
            let isValue = output.last.map { takingValues.contains($0[...]) } ?? false
            if !isValue, argument.hasSuffix("="), takingValues.contains(argument.dropLast()) {
                output += [String(argument.dropLast()), ""]
            } else {
                output.append(argument)
            }
        }
        return output
    }
}

/// How the content and the fields of the request come about.
struct RequestFlags: ParsableArguments {
    /// What `-j`, `-f` and `--multipart` stand for.
    enum Style: EnumerableFlag {
        case json, form, multipart

        static func name(for value: Style) -> NameSpecification {
            switch value {
            case .json: [.customShort("j"), .customLong("json")]
            case .form: [.customShort("f"), .customLong("form")]
            case .multipart: .long
            }
        }

        static func help(for value: Style) -> ArgumentHelp? {
            switch value {
            case .json: "Items are a JSON object, as without a flag; but the fields say so even without items."
            case .form: "Items are the fields of a form; with a file among them, its parts."
            case .multipart: "Items are the parts of a form: multipart/form-data."
            }
        }
    }

    @Flag(exclusivity: .chooseLast)
    var style: Style?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "What stands between the parts of a form, in place of a text that is made up each time.",
            valueName: "text"
        )
    )
    var boundary: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The body as it is, in place of items; its type is still JSON, unless an item says Content-Type:text/plain.",
            valueName: "text"
        )
    )
    var raw: String?

    @Flag(
        name: [.customShort("x"), .customLong("compress")],
        help: "Compresses the body with deflate if that makes it shorter; -xx does in any case."
    )
    var compress: Int

    @Option(
        name: [.customShort("a", allowingJoined: true), .customLong("auth")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Who asks: a user and a password, which is asked for where it is left out; or a token.",
            valueName: "user[:password]"
        )
    )
    var auth: String?

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("auth-type")],
        help: ArgumentHelp(
            """
            How --auth is proved: basic, which is the usual; digest, which waits for the server to ask and sends no \
            password; bearer, for a token.
            """,
            valueName: "scheme"
        )
    )
    var authType: Credentials.Scheme?

    @Flag(
        name: .long,
        help: "Leaves ~/.netrc alone, or the file that NETRC names; else passwords come from there without --auth."
    )
    var ignoreNetrc = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Keeps cookies, credentials and header fields (but Content-* and If-*) for the next call, as plain text: \
            for this host under a name, or in a file, named with a slash: ./ada.json.
            """,
            valueName: "name|file"
        )
    )
    var session: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The same, but a session that there is stays as it is.", valueName: "name|file")
    )
    var sessionReadOnly: String?

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

    /// What `--sorted` and `--unsorted` stand for.
    enum Order: EnumerableFlag {
        case sorted, unsorted

        static func name(for value: Order) -> NameSpecification { .long }

        static func help(for value: Order) -> ArgumentHelp? {
            switch value {
            case .sorted: "Shows fields, and the members of JSON objects, by name."
            case .unsorted: "Shows them in the order in which they came, as without a flag."
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

    @Flag(
        name: .long,
        help: """
            Shows every exchange, not only the last: each hop of a redirect, the 401 ahead of a Digest, and each answer \
            after which --retry went again.
            """
    )
    var all = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            How to show it: with colors, laid out by format, or both. Without it all on a terminal, else none, which \
            leaves every byte as it came.
            """,
            valueName: "how"
        )
    )
    var pretty: OutputStyle.Pretty?

    @Flag(exclusivity: .chooseLast)
    var order: Order?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            How to lay it out, as a list: json.indent:4, json.format:true, json.sort_keys:false, headers.sort:false, \
            xml.indent:2, xml.format:true are what holds without it.
            """,
            valueName: "option:value,..."
        )
    )
    var formatOptions: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Reads the answer as text in this charset, whatever it says: latin1, shift_jis.",
            valueName: "charset"
        )
    )
    var responseCharset: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Shows the answer as what this is, whatever it says: application/json, text/xml.",
            valueName: "type/subtype"
        )
    )
    var responseMime: String?

    @Flag(name: [.customShort("S"), .customLong("stream")], help: "Shows the body line by line as it comes.")
    var stream = false

    @Flag(
        name: [.customShort("d"), .customLong("download")],
        help: "Follows redirects and saves the body to a file; into a pipe, if there is one and no --output."
    )
    var download = false

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Writes to a file what would be shown; with --download, the body. - is standard output.",
            valueName: "file"
        )
    )
    var output: String?

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Shows nothing but faults.")
    var quiet = false
}

/// How the request is sent and its answer judged.
struct ExchangeFlags: ParsableArguments {
    @Flag(name: [.customShort("F"), .customLong("follow")], help: "Follows redirects.")
    var follow = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            The most redirects that are followed, 0 for none. HTTPie follows one less than it is told, and any number \
            for 0.
            """,
            valueName: "number"
        )
    )
    var maxRedirects = 30

    @Option(
        name: .long,
        help: ArgumentHelp(
            "For the whole request, to its last byte; 0 is any time. Without it connecting, and TLS, may take 10 s each.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            How often a request that may be repeated goes again, at growing intervals, after no answer, or a 408, 429, \
            500, 502, 503 or 504.
            """,
            valueName: "number"
        )
    )
    var retry = 0

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

    @Flag(
        name: .long,
        help: "Shows a command for curl that sends the same, passwords and all, and sends nothing."
    )
    var curl = false
}

extension OutputStyle.Pretty: ExpressibleByArgument {}

extension Credentials.Scheme: ExpressibleByArgument {}
