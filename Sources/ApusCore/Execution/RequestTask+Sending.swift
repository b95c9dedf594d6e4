extension RequestTask {
    /// A request as it is passed to the transport, and the settings of the session with those that it overrides.
    package typealias Sending = (message: RequestMessage, configuration: SessionConfiguration)

    /// Returns the request that is sent, as soon as it is known. Before the request is started, returns it as it would
    /// be sent now.
    ///
    /// - Throws: `ApusError`: the reason if the request failed before it was sent, or the cancellation of the caller.
    package func sending() async throws(ApusError) -> Sending {
        if let preview {
            let source = source
            let original = try await offEventLoop { () throws(ApusError) in try source.make() }
            return (try await preview.message(of: original), core.effectiveConfiguration(of: context))
        }
        let outcome = Deferred<Result<Sending, ApusError>>()
        watchSending { outcome.fulfill($0) }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(.failure(CancelReason.task.error))
        }.get()
    }

    /// Calls `watch` with the request that is sent, or the error if none is.
    package func watchSending(_ watch: @escaping @Sendable (Result<Sending, ApusError>) -> Void) {
        // The watch must not hold the request, which is cancelled when its last owner releases it.
        let (core, context) = (core, context)
        context.watchSending { outcome in
            watch(outcome.map { ($0, core.effectiveConfiguration(of: context)) })
        }
        // After the end of the request, no other code would call the watch.
        if let raw { context.endSending(raw.sending) }
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
        let original = try Self.build(request.asRequest)
        let preview = RequestPreview(core: core, options: options)
        let message = try await preview.message(of: original)
        return (message, core.effectiveConfiguration(of: preview.context))
    }
}

extension SessionCore {
    /// Returns the settings of the session, with those that the request overrides.
    fileprivate func effectiveConfiguration(of context: RequestContext) -> SessionConfiguration {
        var effective = configuration
        effective.timeouts.request = deadline(of: context)
        if let decoding = context[ContentDecoding.self] { effective.contentDecoding = decoding }
        if let policy = context[RedirectPolicy.self] { effective.redirects = policy }
        let redirector = context.latest(Redirector.self) ?? effective.redirectHandler.map { Redirector($0) }
        if redirector?.refusesAll == true { effective.redirects = .refuse }
        return effective
    }
}
