internal import Apus
internal import HTTPTypes

/// One run of the command, from the parsed arguments to the exit code.
struct Run {
    let invocation: Invocation
    let console: Console

    /// Sends the request and shows the response.
    @concurrent
    func run() async throws -> ExitCode {
        let (plan, kept) = try prepared()
        let (channel, file) = try shownOn()
        let selection = try selection(for: channel)
        let style = OutputStyle(
            pretty: invocation.pretty,
            isTerminal: channel.isTerminal,
            allowsColor: console.allowsColor,
            streams: invocation.streams,
            options: invocation.formatOptions
        )
        let transcript = Transcript(
            MessagePrinter(channel, style: style),
            selection: selection,
            showsAll: invocation.showsAll && !invocation.showsCurl,
            override: invocation.responseOverride,
            assumesHTTP2: invocation.protocols == .http2,
            endsWithSuccess: invocation.transfers.segments != nil
        )
        let message = try await invocation.compression.applied(to: plan.message())
        let watch =
            try invocation.watching.isWanted ? ExchangeWatchMiddleware(invocation.watching, console: console) : nil
        var configuration = try invocation.configuration(
            files: console.files,
            environment: console.environment,
            time: console.time,
            askPassword: console.askPassword
        )
        if let kept { configuration.cookies = .jar(kept.jar) }
        watch?.watch(&configuration)
        let continuation = try await continuation(of: plan)
        let segments = try await fileInSegments(of: plan, continuation)
        let upload = UploadMonitor(plan.content, invocation, console: console)
        // The requests of a resumable upload have parts of the progress.
        if let upload, !invocation.transfers.isResumable { configuration.eventMonitors.append(upload) }
        let session = session(plan, transcript, configuration)
        let knownHosts = session.hsts?.entries
        var outcome: Result<ExitCode, any Error>
        do {
            // Most servers ignore a body in a GET, but the user may know one that reads it.
            var options: RequestOptions = [GETBodyPolicy.allowed]
            let target = session.hsts?.upgrade(plan.target) ?? plan.target
            options[RequestCredential.self] = plan.credentials?.credential(for: target.origin)
            if let rate = invocation.rateLimit, segments == nil {
                options[TransferRateLimit.self] = TransferRateLimit(download: rate, upload: rate)
            }
            let exitCode: ExitCode
            if let segments {
                let fetched = await segments.fetch(message, in: session, options: options)
                exitCode = try await keeping(kept, session.hsts, unless: knownHosts) {
                    try await finish(fetched, of: segments, transcript, selection)
                }
            } else {
                let answer = try await answer(to: message, continuation) { message in
                    defer { upload?.stop() }
                    return try await send(message, in: session, options: options, upload)
                }
                if invocation.showsCurl {
                    exitCode = try await showCurl(plan, transcript, configuration)
                } else {
                    exitCode = try await keeping(kept, session.hsts, unless: knownHosts) {
                        try file?.open()
                        return try await finish(answer, transcript, selection, plan)
                    }
                }
            }
            outcome = .success(exitCode)
        } catch {
            outcome = .failure(error)
        }
        await continuation?.part.close()
        if let watch { outcome = await watch.finish(outcome) }
        if !console.endsWithCommand { await session.shutdown(within: .zero) }
        return try outcome.get()
    }

    /// Saves the session and the file of `--hsts`, even if the body is cut short, and then shows the response. An error
    /// of saving is thrown after that.
    private func keeping(
        _ kept: StoredSession?,
        _ hosts: HSTSStore?,
        unless known: [HSTSEntry]?,
        _ finish: () async throws -> ExitCode
    ) async throws -> ExitCode {
        let saving = Result { () throws(CommandFault) -> Void in if let kept { try kept.save() } }
        let remembering = await Self.saved(hosts, unless: known)
        let exitCode = try await finish()
        try saving.get()
        try remembering.get()
        return exitCode
    }

    /// Writes the file of `--hsts`, unless its entries are those that were read.
    static func saved(_ hosts: HSTSStore?, unless known: [HSTSEntry]?) async -> Result<Void, CommandFault> {
        guard let hosts, hosts.file != nil, hosts.entries != known else { return .success(()) }
        do throws(ApusError) {
            try await hosts.save()
            return .success(())
        } catch {
            return .failure(CommandFault("the file of --hsts can't be written: \(error.detail)"))
        }
    }

    private func showCurl(
        _ plan: RequestPlan,
        _ transcript: Transcript,
        _ configuration: Session.Configuration
    ) async throws -> ExitCode {
        guard let message = await transcript.message else { return .failure }
        let text = CurlText(invocation: invocation, plan: plan, files: console.files)
        try console.output.write(try await text.text(message, configuration: configuration) + "\n")
        return .success
    }

    /// Returns the typed request with the additions of the session.
    func prepared() throws(CommandFault) -> (RequestPlan, StoredSession?) {
        var plan = try plan()
        var kept: StoredSession?
        if let name = invocation.session {
            var session = try StoredSession(name, for: plan, console: console)
            try session.apply(to: &plan)
            kept = session
        }
        try authorize(&plan, &kept)
        return (plan, kept)
    }

    private func plan() throws(CommandFault) -> RequestPlan {
        var settings = RequestPlan.Settings()
        settings.style = invocation.style
        settings.defaultScheme = invocation.defaultScheme
        settings.boundary = invocation.boundary
        settings.rawBody = invocation.rawBody
        settings.isDownload = invocation.isDownload
        settings.holdsPipes = invocation.needsContentAgain
        let credentials = try typedCredentials()
        // If an item names standard input, the item reads it.
        if invocation.readsInput, !invocation.words.items.contains(where: \.namesStandardInput) {
            settings.input = try console.readInput(isHeld: settings.holdsPipes)
        }
        var plan = try RequestPlan(invocation.words, settings: settings, files: console.files)
        if let credentials { try plan.authorize(by: credentials) }
        return plan
    }

    /// Returns the channel for heads and bodies, and the file behind it if there is one.
    private func shownOn() throws(CommandFault) -> (OutputChannel, OutputFile?) {
        if invocation.showsCurl { return (console.output, nil) }
        switch invocation.download {
        case .standardOutput where console.output.isTerminal:
            throw CommandFault("a download can't go to a terminal; name a file with --output, or leave out --download")
        case .file(let name):
            try DownloadFile.check(replacing: name, files: console.files)
        case .newFile: try DownloadFile.checkNew(files: console.files)
        case .standardOutput, nil: break
        }
        if let name = invocation.outputFile {
            let file = try OutputFile(name, files: console.files)
            return (OutputChannel(file), file)
        }
        if invocation.isQuiet { return (OutputChannel(NullSink()), nil) }
        return (invocation.download == nil ? console.output : console.error, nil)
    }

    private func selection(for channel: OutputChannel) throws(CommandFault) -> OutputSelection {
        var selection = try OutputSelection.resolve(
            letters: invocation.printLetters,
            shortcut: invocation.shortcut,
            verbosity: invocation.verbosity,
            isOffline: invocation.isOffline,
            isDownload: invocation.download != nil,
            isTerminal: channel.isTerminal
        )
        // Without sending, there is no response to show.
        if !invocation.sends { selection.formIntersection(invocation.showsCurl ? [] : .request) }
        return selection
    }

    private func session(_ plan: RequestPlan, _ transcript: Transcript, _ base: Session.Configuration) -> Session {
        var configuration = base
        configuration.networkMiddleware = [
            RequestShapingMiddleware(
                removedFields: plan.removedFields,
                transcript: transcript,
                followsRedirects: configuration.redirects.limit > 0,
                showsAll: invocation.showsAll
            )
        ]
        guard !invocation.sends else { return Session(configuration: configuration) }
        return Session(configuration: configuration, transport: OfflineTransport())
    }

    /// Handles the response after its head has arrived: body, metrics and exit code.
    private func finish(
        _ answer: Answer,
        _ transcript: Transcript,
        _ selection: OutputSelection,
        _ plan: RequestPlan
    ) async throws -> ExitCode {
        let response = answer.response
        try await transcript.showFinalHeads()
        if invocation.isOffline { return .success }
        showConnection(response.metrics)
        var exitCode = try judge(response.status, response.fields, of: response.target, selection)
        if invocation.download != nil {
            if exitCode == .success {
                try await save(answer, of: plan, isCoded: await transcript.hasContentCoding)
            } else {
                try await discard(response, reads: invocation.watching.wantsContent)
            }
        } else if selection.contains(.responseBody) {
            if let complaint = transcript.complaint(of: response) { console.report(complaint) }
            try await transcript.showContent(of: response, readsOn: invocation.watching.wantsContent)
        } else {
            try await discard(response, reads: selection.contains(.metrics) || invocation.watching.wantsContent)
        }
        if selection.contains(.metrics) { try await transcript.show(lines: MetricsLines.lines(response.metrics)) }
        if !invocation.checksStatus { exitCode = .success }
        return exitCode
    }

    /// Discards a body that is not shown, or reads it to its end for the archive and the metrics.
    private func discard(_ response: ReceivedResponse, reads: Bool) async throws {
        if reads {
            for try await _ in response.body {}
        } else {
            response.body.discard()
        }
    }

    /// Describes the connection, with `--verbose`.
    func showConnection(_ metrics: RequestMetrics) {
        guard invocation.verbosity > 0, !invocation.isQuiet else { return }
        for line in ConnectionLines.lines(metrics) { try? console.error.write(line + "\n") }
    }

    /// Returns the exit code for the status, and reports a failure that the output does not show.
    func judge(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields,
        of target: TargetURI,
        _ selection: OutputSelection
    ) throws(CommandFault) -> ExitCode {
        let isRedirect = RedirectRules.isFollowable(status, fields)
        if invocation.followsRedirects, invocation.maxRedirects == 0, isRedirect {
            throw CommandFault(
                "\(target) redirects, but --max-redirects 0 follows none",
                exitCode: .tooManyRedirects
            )
        }
        guard invocation.checksStatus else { return .success }
        let exitCode = ExitCode(status: status.code, followsRedirects: invocation.followsRedirects)
        let isShown = selection.contains(.responseHead) && invocation.download == nil && !invocation.isQuiet
        let isSeen = isShown && invocation.outputFile == nil && console.output.isTerminal
        if exitCode != .success, !isSeen {
            let phrase = status.reasonPhrase.isEmpty ? "" : " \(Redaction.text(status.reasonPhrase))"
            let consequence = invocation.download == nil ? "" : "; nothing was saved"
            console.report("\(target) returned \(status.code)\(phrase)\(consequence)")
        }
        return exitCode
    }
}

/// Discards all output.
private struct NullSink: OutputSink {
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFault) {}
}
