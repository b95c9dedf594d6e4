public import Dispatch

extension Request {
    /// The command for curl that sends what this request sends, to be run by any POSIX shell.
    ///
    /// ```swift
    /// let request = session.request("https://api.example.org/users/1", method: .delete)
    /// print(try await request.cURLDescription())
    /// ```
    ///
    /// It is what goes over the wire: made by adapters and middleware, with the session's fields and cookies, with the
    /// credentials of the URL and those that a server is known to take, and with the content, coded as it is. Of several
    /// attempts it is the last one that was begun; an answered challenge counts, since what was asked for went out again. A
    /// redirect is followed by curl itself, as far as the session's policy says.
    ///
    /// Of a request that was not started it is what would be sent now, and nothing is sent and no event told for it:
    /// adapters and middleware are asked, but for the place of the transport, and end like those of a cancelled request. Of
    /// one that was started it is waited for until it is on its way.
    ///
    /// A content that is in memory stands in the command up to 1 MiB; files are named and not read, those of forms too. The
    /// `description` of a request never has any of this.
    ///
    /// - Parameter includesSecrets: Whether the command does what the request does, with its passwords, tokens and cookies.
    ///   It does by default. Otherwise it is for logs, and what a `HARRecorder` would take out is taken out: such a command
    ///   sends something else.
    /// - Returns: The command, in one line unless its content has more.
    /// - Throws: `ApusError`: why nothing was sent, where the request failed ahead of that; `invalidRequest` where no
    ///   command line can say the same, for a content that is a stream for example; `invalidConfiguration` where curl has no
    ///   word for whom the session trusts.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the waiting; the request goes on.
    public func cURLDescription(includesSecrets: Bool = true) async throws(ApusError) -> String {
        try await task.curlText(includesSecrets: includesSecrets)
    }

    /// Tells the command for curl that sends what this request sends, once it is on its way; see `cURLDescription()`.
    ///
    /// ```swift
    /// session.request("https://api.example.org/users/1")
    ///     .cURLDescription { print($0) }
    ///     .responseDecodable(of: User.self) { print($0.result) }
    /// ```
    ///
    /// It starts nothing. Any number may be asked for, before the request is started and after, and each is told once. Where
    /// there is no command, since the request could not be built, was cancelled or let go before it was sent, or can't be
    /// said to curl, the text is a comment for the shell that says why.
    ///
    /// - Parameters:
    ///   - queue: Where `handler` is called; `.main` by default.
    ///   - includesSecrets: Whether the command does what the request does, with its passwords, tokens and cookies. It does
    ///     by default; otherwise it is for logs.
    ///   - handler: Given the command.
    /// - Returns: The request.
    @discardableResult
    public func cURLDescription(
        on queue: DispatchQueue = .main,
        includesSecrets: Bool = true,
        calling handler: @escaping @Sendable (String) -> Void
    ) -> Self {
        task.tellCurlText(on: queue, includesSecrets: includesSecrets, handler)
        return self
    }
}

extension Session {
    /// The command for curl that sends what a direct call would send now, to be run by any POSIX shell.
    ///
    /// ```swift
    /// let search = try RequestMessage("https://api.example.org/users?name=Ada")
    /// print(try await session.cURLDescription(of: search))
    /// ```
    ///
    /// Nothing is sent and no event is told: adapters and middleware are asked, and end like those of a cancelled request.
    /// What the command holds, and what becomes of contents, is as for a handle's `cURLDescription()`.
    ///
    /// - Parameters:
    ///   - request: The request, or what builds it.
    ///   - options: What this request sets otherwise than the session.
    ///   - includesSecrets: Whether the command does what the request does, with its passwords, tokens and cookies. It does
    ///     by default; otherwise it is for logs.
    /// - Returns: The command.
    /// - Throws: `ApusError`: why nothing could be sent; `invalidRequest` where no command line can say the same;
    ///   `invalidConfiguration` where curl has no word for whom the session trusts.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the waiting for adapters and middleware.
    public func cURLDescription(
        of request: some RequestConvertible,
        options: RequestOptions = .none,
        includesSecrets: Bool = true
    ) async throws(ApusError) -> String {
        let original = try Self.build(request.asRequest)
        let rehearsal = Rehearsal(core: core, options: options)
        let message = try await rehearsal.message(of: original)
        return try core.curlText(message, rehearsal.context, includesSecrets: includesSecrets)
    }
}

extension RequestMessage {
    /// The command for curl that sends this message as it is, with nothing that a session would add.
    ///
    /// - Parameter includesSecrets: Whether the command does what the message does, with its passwords, tokens and cookies.
    ///   It does by default; otherwise it is for logs.
    /// - Returns: The command, which follows no redirect.
    /// - Throws: `ApusError` with the code `invalidRequest`, where no command line can say the same.
    public func cURLDescription(includesSecrets: Bool = true) throws(ApusError) -> String {
        var configuration = SessionConfiguration()
        configuration.redirects = .refuse
        return try CurlCommand.text(self, configuration: configuration, includesSecrets: includesSecrets)
    }
}

extension RequestTask {
    fileprivate func curlText(includesSecrets: Bool) async throws(ApusError) -> String {
        let message: RequestMessage
        if let rehearsal {
            let source = source
            let original = try await offLoop { () throws(ApusError) in try source.make() }
            message = try await rehearsal.message(of: original)
        } else {
            message = try await sent()
        }
        return try core.curlText(message, context, includesSecrets: includesSecrets)
    }

    fileprivate func tellCurlText(
        on queue: DispatchQueue,
        includesSecrets: Bool,
        _ handler: @escaping @Sendable (String) -> Void
    ) {
        let (core, context) = (core, context)
        watchSending { outcome in
            core.mainQueueWatch.deliver(on: queue) {
                handler(core.curlText(outcome, context, includesSecrets: includesSecrets))
            }
        }
    }

    /// What is sent, as soon as that is known.
    private func sent() async throws(ApusError) -> RequestMessage {
        let outcome = Deferred<Result<RequestMessage, ApusError>>()
        watchSending { outcome.fulfill($0) }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(.failure(CancelReason.task.error))
        }.get()
    }

    private func watchSending(_ watch: @escaping RequestContext.SendingWatch) {
        context.watchSending(watch)
        // Behind the end nobody else would tell.
        if let raw { context.endSending(raw.sending) }
    }
}

extension SessionCore {
    /// The command for a request that is sent as `message`.
    fileprivate func curlText(
        _ message: RequestMessage,
        _ context: RequestContext,
        includesSecrets: Bool
    ) throws(ApusError) -> String {
        var told = configuration
        told.timeouts.request = deadline(of: context)
        if let decoding = context[ContentDecoding.self] { told.contentDecoding = decoding }
        if let policy = context[RedirectPolicy.self] { told.redirects = policy }
        let redirector = context.latest(Redirector.self) ?? told.redirectHandler.map { Redirector($0) }
        if redirector?.refusesAll == true { told.redirects = .refuse }
        do throws(ApusError) {
            return try CurlCommand.text(message, configuration: told, includesSecrets: includesSecrets)
        } catch {
            throw error.about(method: message.method, target: message.target)
        }
    }

    /// The same, or else a comment that says why there is no command.
    fileprivate func curlText(
        _ outcome: Result<RequestMessage, ApusError>,
        _ context: RequestContext,
        includesSecrets: Bool
    ) -> String {
        do throws(ApusError) {
            return try curlText(try outcome.get(), context, includesSecrets: includesSecrets)
        } catch {
            // In quotes, since there are shells that take no comments from a keyboard.
            let reason = "\(error)".replacing("'", with: "’").replacing("\n", with: " ")
            return "# no command for curl: \(ShellText.word(reason.utf8))"
        }
    }
}

extension RawResponse {
    /// What there is to say of a request that ended and was not sent: why, or what it was that needed no sending.
    var sending: Result<RequestMessage, ApusError> {
        if let error { return .failure(error) }
        guard let request else { return .failure(CancelReason.user.error) }
        return .success(request)
    }
}
