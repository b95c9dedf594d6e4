public import ApusCore
public import Dispatch

extension Request {
    /// Returns a curl command that sends the same request, for any POSIX shell.
    ///
    /// ```swift
    /// let request = session.request("https://api.example.org/users/1", method: .delete)
    /// print(try await request.cURLDescription())
    /// ```
    ///
    /// The command describes the request on the wire: changed by adapters and middleware, with the session's fields and
    /// cookies, the credentials of the URL, those that the server is known to accept, and the encoded body. It is for
    /// the latest attempt, with the credentials sent after a challenge. Redirects are followed by curl, as far as the
    /// session's policy allows.
    ///
    /// If the request was not started, the command shows how it would be sent now. Adapters and middleware run, but the
    /// transport throws a cancellation instead of sending, and no event is reported. If the request was started, this
    /// call waits until it is sent.
    ///
    /// A body in memory is included up to 1 MiB. Files, also those of forms, are named and not read. The `description`
    /// of a request contains none of this.
    ///
    /// - Parameter includesSecrets: Whether the command includes passwords, tokens and cookies, so that it sends the
    ///   same request. Otherwise it is meant for logs, redacted like the archive of a `HARRecorder`, and sends another
    ///   request. Default: `true`.
    /// - Returns: The command, on one line unless the body has line breaks.
    /// - Throws: `ApusError`: the reason if the request failed before it was sent, `invalidRequest` if a command can't
    ///   express it, for example because the body is a stream, `invalidConfiguration` if curl has no option for the
    ///   session's trust settings.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the wait. The request continues.
    public func cURLDescription(includesSecrets: Bool = true) async throws(ApusError) -> String {
        try CurlCommand.text(of: try await task.sending(), includesSecrets: includesSecrets)
    }

    /// The curl command of this request with its secrets, if it was sent. `nil` before, and if curl can't express it.
    public var cURLDescriptionIfMade: String? {
        task.sent.flatMap { try? CurlCommand.text(of: $0, includesSecrets: true) }
    }

    /// Calls a handler with the curl command of this request, once it is sent. See `cURLDescription()`.
    ///
    /// ```swift
    /// session.request("https://api.example.org/users/1")
    ///     .cURLDescription { print($0) }
    ///     .responseDecodable(of: User.self) { print($0.result) }
    /// ```
    ///
    /// Does not start the request. It can be called several times, before or after the start, and each handler is
    /// called once. If there is no command, because the request could not be built, was cancelled or released before it
    /// was sent, or can't be expressed, the handler gets a shell comment with the reason.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - includesSecrets: Whether the command includes passwords, tokens and cookies, so that it sends the same
    ///     request. Otherwise it is meant for logs. Default: `true`.
    ///   - handler: Called with the command.
    /// - Returns: The request.
    @discardableResult
    public func cURLDescription(
        on queue: DispatchQueue = .main,
        includesSecrets: Bool = true,
        calling handler: @escaping @Sendable (String) -> Void
    ) -> Self {
        let queueWatch = task.core.mainQueueWatch
        task.watchSending { outcome in
            queueWatch.deliver(on: queue) {
                handler(CurlCommand.textOrComment(for: outcome, includesSecrets: includesSecrets))
            }
        }
        return self
    }
}

extension Session {
    /// Returns a curl command that sends the same request as a direct call would now, for any POSIX shell.
    ///
    /// ```swift
    /// let search = try RequestMessage("https://api.example.org/users?name=Ada")
    /// print(try await session.cURLDescription(of: search))
    /// ```
    ///
    /// Adapters and middleware run, but the transport throws a cancellation instead of sending. No event is reported.
    /// The contents of the command are described at a handle's `cURLDescription()`.
    ///
    /// - Parameters:
    ///   - request: The request, or a value that builds it.
    ///   - options: The options of the request, which override those of the session.
    ///   - includesSecrets: Whether the command includes passwords, tokens and cookies, so that it sends the same
    ///     request. Otherwise it is meant for logs. Default: `true`.
    /// - Returns: The command.
    /// - Throws: `ApusError`: the reason if the request can't be sent, `invalidRequest` if a command can't express it,
    ///   `invalidConfiguration` if curl has no option for the session's trust settings.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the wait for adapters and middleware.
    public func cURLDescription(
        of request: some RequestConvertible,
        options: RequestOptions = .none,
        includesSecrets: Bool = true
    ) async throws(ApusError) -> String {
        try CurlCommand.text(of: try await preview(of: request, options: options), includesSecrets: includesSecrets)
    }
}

extension RequestMessage {
    /// Returns a curl command that sends this message unchanged, without anything that a session would add.
    ///
    /// - Parameter includesSecrets: Whether the command includes passwords, tokens and cookies, so that it sends the
    ///   same message. Otherwise it is meant for logs. Default: `true`.
    /// - Returns: The command, which follows no redirects.
    /// - Throws: `ApusError` with the code `invalidRequest` if a command can't express the message.
    public func cURLDescription(includesSecrets: Bool = true) throws(ApusError) -> String {
        var configuration = SessionConfiguration()
        configuration.redirects = .refuse
        return try CurlCommand.text(self, configuration: configuration, includesSecrets: includesSecrets)
    }
}

extension CurlCommand {
    /// Returns the command, or throws an error that names the request.
    fileprivate static func text(
        of sending: RequestTask.Sending,
        includesSecrets: Bool
    ) throws(ApusError) -> String {
        do throws(ApusError) {
            return try text(sending.message, configuration: sending.configuration, includesSecrets: includesSecrets)
        } catch {
            throw error.about(method: sending.message.method, target: sending.message.target)
        }
    }

    /// Returns the command, or a shell comment with the reason if there is none.
    fileprivate static func textOrComment(
        for outcome: Result<RequestTask.Sending, ApusError>,
        includesSecrets: Bool
    ) -> String {
        do throws(ApusError) {
            return try text(of: try outcome.get(), includesSecrets: includesSecrets)
        } catch {
            // Quoted, because some interactive shells do not ignore comments.
            let reason = "\(error)".replacing("'", with: "’").replacing("\n", with: " ")
            return "# no curl command: \(ShellText.word(reason.utf8))"
        }
    }
}
