internal import ArgumentParser

/// What the command line asks for, with all its flags weighed against each other.
struct Invocation: Equatable {
    /// Where a body goes that is not shown.
    enum Destination: Equatable {
        /// A new file whose name the URL or the server suggests; or standard output, where that is no terminal.
        case newFile
        case file(String)
        case standardOutput
    }

    /// Whom to trust with TLS.
    enum Verification: Equatable {
        case system
        case anyone
        /// The certificates in a PEM file.
        case authorities(String)
    }

    var words: RequestWords
    var style = ContentStyle.json(isExplicit: false)
    var boundary: String?
    var rawBody: String?
    var compression = Compression.off
    var auth: String?
    /// How the server is told who asks; `nil` is Basic, for whom nothing else is known of.
    var scheme: Credentials.Scheme?
    var ignoresNetrc = false
    /// The session that what is typed and what is set are kept in.
    var session: SessionName?
    var defaultScheme = "http"
    var readsInput = true

    /// Whether the request is one for a download, be it sent or not.
    var isDownload = false
    /// Where the body is downloaded to; `nil` without `--download`.
    var download: Destination?
    /// The file that everything is written to which would be shown; `nil` is standard output.
    var outputFile: String?
    var printLetters: String?
    var shortcut: OutputSelection.Shortcut?
    var verbosity = 0
    var showsAll = false
    var pretty: OutputStyle.Pretty?
    var formatOptions = FormatOptions()
    /// What is said of the contents of answers.
    var responseOverride = ContentOverride()
    var streams = false
    var isQuiet = false

    var followsRedirects = false
    var maxRedirects = 30
    /// For the whole request; `nil` is any time.
    var timeout: Duration?
    /// Whether connecting has its own limits, as it has without a word about time.
    var limitsConnecting = true
    /// How often the request goes again at most.
    var retryLimit = 0
    var checksStatus = false
    var verification = Verification.system
    var isOffline = false
    /// Whether a command for curl is shown instead of sending anything.
    var showsCurl = false
    /// What is written down of the exchanges.
    var watching = Watching()

    /// Whether anything is sent at all.
    var sends: Bool { !isOffline && !showsCurl }

    /// What words mean without any flag.
    init(words: RequestWords) {
        self.words = words
    }

    init(_ options: Options) throws(CommandFault) {
        words = try RequestWords(options.words)
        style = ContentStyle(options.request.style)
        boundary = options.request.boundary
        rawBody = options.request.raw
        compression = Compression(count: options.request.compress)
        auth = options.request.auth
        scheme = options.request.authType
        ignoresNetrc = options.request.ignoreNetrc
        session = try Self.session(options.request)
        defaultScheme = options.request.defaultScheme
        readsInput = !options.request.ignoreStdin
        takeOutput(options.output, isOffline: options.exchange.offline && !options.exchange.curl)
        try takeLayout(options.output)
        try takeExchange(options.exchange)
        watching = try Watching(options.watching, sends: sends)
    }

    private mutating func takeOutput(_ output: OutputFlags, isOffline: Bool) {
        isDownload = output.download
        let downloads = output.download && !isOffline
        download = downloads ? Self.destination(output.output) : nil
        outputFile = downloads || output.output == "-" ? nil : output.output
        printLetters = output.print
        shortcut = output.shortcut.map { shortcut in
            switch shortcut {
            case .headers: .head
            case .body: .body
            case .meta: .metrics
            }
        }
        verbosity = output.verbose
        showsAll = output.all || output.verbose > 0
        pretty = output.pretty
        streams = output.stream
        isQuiet = output.quiet
    }

    private mutating func takeLayout(_ output: OutputFlags) throws(CommandFault) {
        formatOptions.sortsFields = output.order == .sorted
        formatOptions.sortsKeys = output.order == .sorted
        for list in output.formatOptions { try formatOptions.take(list) }
        responseOverride = try ContentOverride(mediaType: output.responseMime, charset: output.responseCharset)
    }

    private mutating func takeExchange(_ exchange: ExchangeFlags) throws(CommandFault) {
        isOffline = exchange.offline
        showsCurl = exchange.curl
        followsRedirects = exchange.follow || download != nil
        maxRedirects = exchange.maxRedirects
        timeout = try Self.timeout(exchange.timeout)
        limitsConnecting = exchange.timeout == nil
        checksStatus = exchange.checkStatus || download != nil
        verification = Self.verification(exchange.verify)
        retryLimit = exchange.retry
        guard retryLimit >= 0 else { throw CommandFault("--retry needs a number from 0 up, not \(retryLimit)") }
        guard maxRedirects >= 0 else {
            throw CommandFault("--max-redirects needs a number from 0 up, not \(maxRedirects)")
        }
    }

    private static func session(_ request: RequestFlags) throws(CommandFault) -> SessionName? {
        switch (request.session, request.sessionReadOnly) {
        case (let name?, nil): try SessionName(name, isReadOnly: false)
        case (nil, let name?): try SessionName(name, isReadOnly: true)
        case (nil, nil): nil
        case (.some, .some):
            throw CommandFault("--session and --session-read-only can't both be used; drop one of them")
        }
    }

    private static func destination(_ output: String?) -> Destination {
        switch output {
        case nil: .newFile
        case "-": .standardOutput
        case .some(let name): .file(name)
        }
    }

    /// As HTTPie does: who downloads into a pipe, or lets the shell name the file, has said where to.
    mutating func settleDownload(outputIsTerminal: Bool) {
        if download == .newFile, sends, !outputIsTerminal { download = .standardOutput }
    }

    private static func timeout(_ seconds: Double?) throws(CommandFault) -> Duration? {
        guard let seconds else { return nil }
        guard seconds >= 0, seconds < 1e9 else {
            throw CommandFault("--timeout needs a number of seconds from 0 up, not \(seconds)")
        }
        return seconds == 0 ? nil : .seconds(seconds)
    }

    private static func verification(_ whom: String) -> Verification {
        switch whom.lowercased() {
        case "yes", "true": .system
        case "no", "false": .anyone
        default: .authorities(whom)
        }
    }
}

extension ContentStyle {
    fileprivate init(_ flag: RequestFlags.Style?) {
        self =
            switch flag {
            case .form: .form
            case .multipart: .multipart
            case .json: .json(isExplicit: true)
            case nil: .json(isExplicit: false)
            }
    }
}

extension Invocation {
    /// Reads the arguments.
    enum Reading {
        case invocation(Invocation)
        /// An archive to draw instead of sending a request.
        case drawing(ArchiveDrawing)
        /// Something to show instead of sending a request.
        case text(String)
    }

    /// Reads the arguments of the command line, without the name of the program.
    static func read(_ arguments: [String]) throws(CommandFault) -> Reading {
        // The parser takes a third of the time that it takes to start, so what has no flags does without it.
        guard arguments.contains(where: { $0.hasPrefix("-") }) else {
            return .invocation(Invocation(words: try RequestWords(arguments)))
        }
        if arguments == ["--version"] { return .text(versionText) }
        if arguments == ["--help"] { return .text(HelpText.text) }
        let options: Options
        do {
            options = try Options.parse(Options.spelledOut(arguments))
        } catch {
            // A completion script comes as an error too.
            if Options.exitCode(for: error).isSuccess { return .text(Options.fullMessage(for: error) + "\n") }
            var message = Options.message(for: error)[...]
            if message.last == "." { message.removeLast() }
            let sentence = message.replacing(". Please provide", with: "; write")
            throw CommandFault(sentence.prefix(1).lowercased() + sentence.dropFirst() + "; see apus --help")
        }
        if options.help { return .text(HelpText.text) }
        if options.version { return .text(versionText) }
        if let drawing = try ArchiveDrawing(options) { return .drawing(drawing) }
        return .invocation(try Invocation(options))
    }

    private static var versionText: String { "apus \(Command.version)\n" }
}
