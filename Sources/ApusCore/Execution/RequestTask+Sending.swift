extension RequestTask {
    /// A request as it is passed to the transport, and the settings of the session with those that it overrides.
    package typealias Sending = (message: RequestMessage, configuration: SessionConfiguration)

    /// Returns the request that is sent, as soon as it is known. Before the request is started, returns it as it would
    /// be sent now.
    ///
    /// - Throws: `ApusError`: the reason if the request failed before it was sent, or the cancellation of the caller.
    package func sending() async throws(ApusError) -> Sending {
        if let preview {
            let (source, context) = (source, context)
            let original = try await offEventLoop { () throws(ApusError) in try source.make(in: context) }
            let message = try await preview.message(of: original)
            return (message, core.effectiveConfiguration(for: message, context))
        }
        let outcome = Deferred<Result<Sending, ApusError>>()
        watchSending { outcome.fulfill($0) }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(.failure(CancelReason.task.error))
        }.get()
    }

    /// The request that was sent last to its own target, if one was.
    package var sent: Sending? { context.sent.map { ($0, core.effectiveConfiguration(for: $0, context)) } }

    /// Calls `watch` with the request that is sent, or the error if none is.
    package func watchSending(_ watch: @escaping @Sendable (Result<Sending, ApusError>) -> Void) {
        // The watch must not hold the request, which is cancelled when its last owner releases it.
        let (core, context) = (core, context)
        context.watchSending { outcome in
            watch(outcome.map { ($0, core.effectiveConfiguration(for: $0, context)) })
        }
        // After the end of the request, no other code would call the watch.
        if let raw { context.end(raw.sending) }
    }
}

extension RawResponse {
    /// The outcome for a request that ended without being sent: its error, or a request that needed no sending.
    var sending: Result<RequestMessage, ApusError> {
        if let error { return .failure(error) }
        guard let request else { return .failure(CancelReason.user.error) }
        return .success(request)
    }
}

extension Session {
    /// Returns a request as a direct call would send it now, and the settings that it would be sent with.
    package func preview(
        of request: some RequestConvertible,
        options: RequestOptions
    ) async throws(ApusError) -> RequestTask.Sending {
        let preview = RequestPreview(core: core, options: options)
        let original = try Self.build { try request.asRequest(in: preview.context) }
        let message = try await preview.message(of: original)
        return (message, core.effectiveConfiguration(for: message, preview.context))
    }
}

extension SessionCore {
    /// Returns the settings of the session, with those that the request overrides.
    fileprivate func effectiveConfiguration(
        for message: RequestMessage,
        _ context: RequestContext
    ) -> SessionConfiguration {
        let options = message.options
        var effective = configuration
        effective.timeouts.request = timeLimit(for: options)
        if let decoding = options[ContentDecoding.self] { effective.contentDecoding = decoding }
        if let policy = options[RedirectPolicy.self] { effective.redirects = policy }
        let redirector =
            context.override(Redirector.self) ?? options[Redirector.self]
            ?? effective.redirectHandler.map { Redirector($0) }
        if redirector?.refusesAll == true { effective.redirects = .refuse }
        return effective
    }
}
