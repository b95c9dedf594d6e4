internal import Logging

/// Runs a request through its adapters and the chain, up to the transport, without sending it. No monitor is notified.
struct RequestPreview: Sendable {
    let core: SessionCore
    let context: RequestContext
    /// The adapters and retriers of the request's handle.
    private let added: InterceptorSet
    private let credential: RequestCredential?

    /// - Parameters:
    ///   - core: The core of the session.
    ///   - options: The options of the request, which override those of the session.
    ///   - added: The adapters and retriers of the request's handle. They follow those of the session and the options.
    ///   - credential: The credentials of the request's handle for challenges.
    init(
        core: SessionCore,
        options: RequestOptions,
        adding added: InterceptorSet = InterceptorSet(),
        credential: RequestCredential? = nil
    ) {
        self.core = core
        self.context = RequestContext(core: core, environment: core.environment.silenced, options: options)
        self.added = added
        self.credential = credential
    }

    /// Returns the request as it would be sent. If a middleware responds itself, returns the request as adapted.
    ///
    /// Returns as soon as that is known or the task is cancelled, even if a middleware ignores its cancellation.
    func message(of original: RequestMessage) async throws(ApusError) -> RequestMessage {
        let outcome = Deferred<Result<RequestMessage, ApusError>>()
        let chain = core.chain.previewed(by: PreviewTransport(sent: outcome), hasEnds: core.environment.ends != nil)
        let counters = core.environment.counters
        counters.add(to: .tasks)
        let work = Task(executorPreference: globalConcurrentExecutor) {
            outcome.fulfill(await result(of: original, in: chain))
            counters.remove(from: .tasks)
        }
        defer { work.cancel() }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(.failure(CancelReason.task.error))
        }.get()
    }

    private func result(of original: RequestMessage, in chain: Chain) async -> Result<RequestMessage, ApusError> {
        do {
            let interceptors = core.interceptors(for: original.options, added)
            let request = try await Adaptation(context: context, interceptors: interceptors).run(original)
            let response = try await chain(request, context: context, credential: credential)
            response.discard()
            return .success(request)
        } catch {
            let failure = ApusError(wrapping: error, as: .middlewareFailed)
            return .failure(failure.about(method: original.method, target: original.target))
        }
    }
}

/// Captures the request and throws a cancellation error, which does not count as a fault of the server.
private struct PreviewTransport: Transport {
    let sent: Deferred<Result<RequestMessage, ApusError>>

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        sent.fulfill(.success(request))
        throw CancelReason.task.error
    }
}

extension SessionEnvironment {
    /// The same environment, without monitors, tracing and debug logs.
    fileprivate var silenced: SessionEnvironment {
        var configuration = configuration
        configuration.eventMonitors = []
        configuration.logger.logLevel = max(configuration.logger.logLevel, .info)
        configuration.options[TracingMiddleware.self] = nil
        return SessionEnvironment(configuration: configuration, counters: counters)
    }
}
