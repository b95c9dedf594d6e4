/// What the command line asks for: what its flags have stored, and what that means together.
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

        /// What `--verify` gave.
        init(_ whom: String) {
            switch whom.lowercased() {
            case "yes", "true": self = .system
            case "no", "false": self = .anyone
            default: self = .authorities(whom)
            }
        }
    }

    /// A text that is shown in place of sending a request.
    enum ShownText: Equatable {
        case help, version
        case completions(CompletionScript.Shell)
    }

    /// Method, URL and items.
    var words: RequestWords

    // What the flags for the request have stored.
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

    // What the flags for the output have stored.
    var printLetters: String?
    var shortcut: OutputSelection.Shortcut?
    var verbosity = 0
    var all = false
    var pretty: OutputStyle.Pretty?
    /// What the last of `--sorted` and `--unsorted` says.
    var isSorted = false
    /// The lists of `--format-options`, in order.
    var formatLists: [String] = []
    var responseCharset: String?
    var responseMime: String?
    var streams = false
    /// Whether the request is one for a download, be it sent or not.
    var isDownload = false
    /// The file of `--output`.
    var output: String?
    var isQuiet = false

    // What the flags for the exchange have stored.
    var follow = false
    var maxRedirects = 30
    /// For the whole request; `nil` is any time.
    var timeout: Duration?
    /// Whether connecting has its own limits, as it has without a word about time.
    var limitsConnecting = true
    /// How often the request goes again at most.
    var retryLimit = 0
    var checkStatus = false
    var verification = Verification.system
    var isOffline = false
    /// Whether a command for curl is shown instead of sending anything.
    var showsCurl = false
    /// What is written down of the exchanges.
    var watching = Watching()
    /// The archive that is drawn in place of sending a request.
    var drawnArchive: String?
    var shownText: ShownText?

    // What follows from several of them, once all are there.
    /// How the output is laid out.
    private(set) var formatOptions = FormatOptions()
    /// What is said of the contents of answers.
    private(set) var responseOverride = ContentOverride()
    /// Whether a download without a name goes to standard output, which is no terminal.
    private var downloadsIntoPipe = false

    /// What words mean without any flag.
    init(words: RequestWords) {
        self.words = words
    }
}

extension Invocation {
    /// Whether anything is sent at all.
    var sends: Bool { !isOffline && !showsCurl }

    /// Where the body is downloaded to; `nil` without `--download`.
    var download: Destination? {
        guard isDownload, !isOffline || showsCurl else { return nil }
        switch output {
        case nil: return downloadsIntoPipe ? .standardOutput : .newFile
        case "-": return .standardOutput
        case .some(let name): return .file(name)
        }
    }

    /// The file that everything is written to which would be shown; `nil` is standard output.
    var outputFile: String? { download != nil || output == "-" ? nil : output }

    var followsRedirects: Bool { follow || download != nil }

    var checksStatus: Bool { checkStatus || download != nil }

    var showsAll: Bool { all || verbosity > 0 }

    /// Whether the content of the request may have to be read more than once: to be shown, compressed or sent again. A
    /// session may have credentials for Digest, which sends it twice.
    var needsContentAgain: Bool {
        let showsContent = printLetters.map { $0.contains("B") } ?? (shortcut == nil && verbosity > 0)
        return followsRedirects || retryLimit > 0 || compression != .off || scheme == .digest || session != nil
            || showsContent && sends
    }

    /// As HTTPie does: who downloads into a pipe, or lets the shell name the file, has said where to.
    mutating func settleDownload(outputIsTerminal: Bool) {
        downloadsIntoPipe = sends && !outputIsTerminal
    }

    /// Names the session.
    ///
    /// - Throws: `CommandFault` for a name that is none, and where the other one of the two flags has named one.
    mutating func take(session name: String, isReadOnly: Bool) throws(CommandFault) {
        guard session.map({ $0.isReadOnly == isReadOnly }) ?? true else {
            throw CommandFault("--session and --session-read-only can't both be used; drop one of them")
        }
        session = try SessionName(name, isReadOnly: isReadOnly)
    }

    /// Weighs the flags against each other, once all are there.
    private mutating func settle() throws(CommandFault) {
        formatOptions.sortsFields = isSorted
        formatOptions.sortsKeys = isSorted
        for list in formatLists { try formatOptions.take(list) }
        responseOverride = try ContentOverride(mediaType: responseMime, charset: responseCharset)
        if !sends { try watching.checkUnsent() }
    }
}

extension Invocation {
    /// What the arguments ask for.
    enum Reading {
        case invocation(Invocation)
        /// An archive to draw instead of sending a request.
        case drawing(ArchiveDrawing)
        /// Something to show instead of sending a request.
        case text(String)
    }

    /// Reads the arguments of the command line, without the name of the program.
    static func read(_ arguments: [String]) throws(CommandFault) -> Reading {
        var reader = FlagReader()
        try reader.read(arguments)
        var invocation = Invocation(words: .none)
        try reader.store(in: &invocation)
        switch invocation.shownText {
        case .help: return .text(HelpText.text)
        case .version: return .text("apus \(Command.version)\n")
        case .completions(let shell): return .text(CompletionScript.text(for: shell))
        case nil: break
        }
        if let drawing = try ArchiveDrawing(invocation, words: reader.words) { return .drawing(drawing) }
        invocation.words = try RequestWords(reader.words)
        try invocation.settle()
        return .invocation(invocation)
    }
}
