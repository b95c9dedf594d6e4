internal import Apus

/// The parsed command line: the values of its flags, and the properties that follow from several of them.
struct Invocation: Equatable {
    /// The destination of a downloaded body.
    enum Destination: Equatable {
        /// A new file named after the URL or the server's suggestion.
        case newFile
        case file(String)
        case standardOutput
    }

    /// The certificates to trust with TLS.
    enum Verification: Equatable {
        case system
        case anyone
        /// The certificates in a PEM file, or in the PEM files of a folder.
        case authorities(String)

        /// Parses the value of `--verify`.
        init(_ roots: String) {
            switch roots.lowercased() {
            case "yes", "true": self = .system
            case "no", "false": self = .anyone
            default: self = .authorities(roots)
            }
        }
    }

    /// A text that is shown in place of sending a request.
    enum ShownText: Equatable {
        case help, version
        case completions(CompletionScript.Shell)
    }

    /// The method, the URL and the items.
    var words: RequestWords

    // The values of the request flags.
    var style = ContentStyle.json(isExplicit: false)
    var boundary: String?
    var rawBody: String?
    var compression = CompressionMode.off
    var auth: String?
    /// The authentication scheme of `--auth-type`, or `nil` without the flag, which means Basic.
    var scheme: Credentials.Scheme?
    var ignoresNetrc = false
    /// The session to read and to update.
    var session: SessionName?
    var defaultScheme = "http"
    var readsInput = true

    // The values of the output flags.
    var printLetters: String?
    var shortcut: OutputSelection.Shortcut?
    var verbosity = 0
    var all = false
    var pretty: OutputStyle.Pretty?
    /// Whether the last of `--sorted` and `--unsorted` was `--sorted`.
    var isSorted = false
    /// The values of `--format-options`, in order.
    var formatLists: [String] = []
    var responseCharset: String?
    var responseMime: String?
    var streams = false
    /// Whether `--download` was given, even if nothing is sent.
    var isDownload = false
    /// The file of `--output`.
    var output: String?
    /// Whether the part of an earlier download is continued.
    var continues = false
    /// The digest that the downloaded file must have.
    var checksum: ExpectedDigest?
    var isQuiet = false

    /// The values of the flags of whole transfers.
    var transfers = TransferArguments()

    // The values of the exchange flags.
    var follow = false
    var maxRedirects = 30
    /// The time limit for the whole request, or `nil` for none.
    var timeout: Duration?
    /// Whether connecting has its own time limits, as it does unless `--timeout` is given.
    var limitsConnecting = true
    /// The maximum number of retries.
    var retryLimit = 0
    /// The maximum number of bytes per second in each direction, or `nil` for none.
    var rateLimit: Int?
    var checkStatus = false
    var verification = Verification.system
    /// The values of the other TLS flags.
    var security = SecurityArguments()
    /// The proxies to use.
    var proxies = ProxyFlags()
    /// The versions of HTTP that may be used.
    var protocols = HTTPProtocols.automatic
    /// The values of the network flags.
    var addresses = AddressRules()
    var isOffline = false
    /// Whether a curl command is shown instead of sending the request.
    var showsCurl = false
    /// The records to make of the exchanges.
    var watching = Watching()
    /// The archive to draw instead of sending a request.
    var drawnArchive: String?
    var shownText: ShownText?

    // Derived from several flags after all are parsed.
    /// The layout of the output.
    private(set) var formatOptions = FormatOptions()
    /// The media type and charset that override those of responses.
    private(set) var responseOverride = ContentOverride()
    /// Whether a download without a file name goes to standard output, because that is no terminal.
    private var downloadsIntoPipe = false

    /// Creates an invocation with these words and no flags.
    init(words: RequestWords) {
        self.words = words
    }
}

extension Invocation {
    /// Whether the request is sent.
    var sends: Bool { !isOffline && !showsCurl }

    /// The destination of the body, or `nil` without a download.
    var download: Destination? {
        guard isDownload, !isOffline || showsCurl else { return nil }
        switch output {
        case nil: return downloadsIntoPipe ? .standardOutput : .newFile
        case "-": return .standardOutput
        case .some(let name): return .file(name)
        }
    }

    /// The file that receives the output, or `nil` for standard output.
    var outputFile: String? { download != nil || output == "-" ? nil : output }

    /// Whether a file is uploaded by the run of a queue.
    var queuesUpload: Bool {
        transfers.queue != nil && words.items.contains { $0.kind == .file && $0.name.isEmpty }
    }

    var followsRedirects: Bool { follow || download != nil }

    var checksStatus: Bool { checkStatus || download != nil }

    var showsAll: Bool { all || verbosity > 0 }

    /// Whether the request body may have to be read more than once: to show it, to compress it or to send it again. A
    /// session may hold Digest credentials, which send the request twice.
    var needsContentAgain: Bool {
        let showsContent = printLetters.map { $0.contains("B") } ?? (shortcut == nil && verbosity > 0)
        return followsRedirects || retryLimit > 0 || compression != .off || scheme == .digest || session != nil
            || transfers.isResumable || showsContent && sends
    }

    /// Downloads to standard output if that is a pipe or a redirected file, as HTTPie does.
    mutating func settleDownload(outputIsTerminal: Bool) {
        downloadsIntoPipe = sends && !outputIsTerminal
    }

    /// Sets the session.
    ///
    /// - Throws: `CommandFault` for an invalid name, or if the other session flag was given as well.
    mutating func take(session name: String, isReadOnly: Bool) throws(CommandFault) {
        guard session.map({ $0.isReadOnly == isReadOnly }) ?? true else {
            throw CommandFault("--session and --session-read-only can't both be used; drop one of them")
        }
        session = try SessionName(name, isReadOnly: isReadOnly)
    }

    /// Derives the properties that depend on several flags.
    private mutating func settle() throws(CommandFault) {
        formatOptions.sortsFields = isSorted
        formatOptions.sortsKeys = isSorted
        for list in formatLists { try formatOptions.take(list) }
        responseOverride = try ContentOverride(mediaType: responseMime, charset: responseCharset)
        try security.check()
        if !sends { try watching.checkUnsent() }
        if transfers.queue != nil { try settleQueueFlags() }
        try settleDownloadFlags()
        try settleTransferFlags()
    }

    /// Checks the flags of a transfer that is added to a queue. Standard input is not read, since a loop of a shell may
    /// have further URLs there.
    private mutating func settleQueueFlags() throws(CommandFault) {
        readsInput = false
        guard !queuesUpload else { return try checkQueuedUpload() }
        guard !transfers.isResumable else {
            throw CommandFault("--resumable needs a file to upload; add the item @FILE, or leave it out")
        }
        isDownload = true
        guard output != "-" else { throw Self.needsFile("--queue") }
    }

    private func checkQueuedUpload() throws(CommandFault) {
        let options = [
            ("--download", isDownload), ("--output", output != nil), ("--continue", continues),
            ("--checksum", checksum != nil), ("--segments", transfers.segments != nil),
            ("--compress", compression != .off),
        ]
        guard let (option, _) = options.first(where: { $0.1 }) else { return }
        throw CommandFault("\(option) has no use for an upload of --queue; leave it out, or the item @FILE")
    }

    /// Derives the properties that the run of a queue needs.
    private mutating func settleQueueRun() throws(CommandFault) {
        // As those of a download, its requests follow redirects.
        isDownload = true
        try security.check()
    }

    /// Checks the flags of segments and of uploads.
    private func settleTransferFlags() throws(CommandFault) {
        if transfers.segments != nil {
            guard isDownload else {
                throw CommandFault("--segments is for the file of a download; add --download")
            }
            guard output != "-" else { throw Self.needsFile("--segments") }
        }
        try transfers.checkUpload(isDownload: isDownload)
    }

    /// The error of a flag for a file, without a file.
    static func needsFile(_ option: String) -> CommandFault {
        CommandFault("\(option) needs a file, but the body goes to standard output; add --output FILE")
    }

    /// Checks the flags of downloads. `--continue` with a file downloads into it.
    private mutating func settleDownloadFlags() throws(CommandFault) {
        if continues {
            guard isDownload || output != nil else {
                throw CommandFault("--continue needs the file to go on with; add --download, or --output FILE")
            }
            guard output != "-" else { throw Self.continuesNoFile }
            isDownload = true
        }
        if checksum != nil, !isDownload {
            throw CommandFault("--checksum is for the file of a download; add --download")
        }
        let options = [
            ("--continue", continues), ("--checksum", checksum != nil), ("--segments", transfers.segments != nil),
            ("--resumable", transfers.isResumable),
        ]
        guard !sends, let (option, _) = options.first(where: { $0.1 }) else { return }
        throw CommandFault("\(option) needs an exchange, but nothing is sent; leave out --offline and --curl")
    }

    /// The error of `--continue` without a file.
    static var continuesNoFile: CommandFault {
        CommandFault("--continue goes on with a file, but the body goes to standard output; add --output FILE")
    }
}

extension Invocation {
    /// The action that the arguments request.
    enum Reading {
        case invocation(Invocation)
        /// Draw an archive instead of sending a request.
        case drawing(ArchiveDrawing)
        /// Perform the transfers of a queue.
        case queueRun(Invocation)
        /// List the transfers of a queue, or change single ones.
        case queueControl(Invocation)
        /// Show a text instead of sending a request.
        case text(String)
    }

    /// Parses the arguments of the command line, without the name of the program.
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
        try invocation.transfers.checkQueue(reader.flagNames, words: reader.words)
        if invocation.transfers.controlsQueue { return .queueControl(invocation) }
        if invocation.transfers.runsQueue {
            try invocation.settleQueueRun()
            return .queueRun(invocation)
        }
        invocation.words = try RequestWords(reader.words)
        try invocation.settle()
        return .invocation(invocation)
    }
}
