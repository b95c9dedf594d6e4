/// The rest of the chain, from one middleware's point of view.
///
/// It is a value: it may be called again, also concurrently; each call is an exchange of its own with its own record.
/// Who calls it again says why, and asks the body for a replay.
public struct Next: Sendable {
    private let chain: Chain
    private let index: Int
    let cause: HopCause
    /// Where the chain runs on when it was left for user code.
    private let executor: (any TaskExecutor)?

    init(chain: Chain, index: Int = 0, cause: HopCause = .first, executor: (any TaskExecutor)? = nil) {
        self.chain = chain
        self.index = index
        self.cause = cause
        self.executor = executor
    }

    /// Hands the request on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context that was handed in.
    ///   - cause: Why there is an exchange; `nil` (the default) means for the reason there was.
    /// - Returns: The answer; its content may still be on its way.
    /// - Throws: What the rest of the chain throws.
    public func callAsFunction(
        _ request: consuming RequestMessage,
        context: RequestContext,
        because cause: HopCause? = nil
    ) async throws -> ResponseMessage {
        let cause = cause ?? self.cause
        if let executor {
            let request = request
            return try await withTaskExecutorPreference(executor) {
                try await chain.step(request, context: context, index: index, cause: cause)
            }
        }
        return try await chain.run(request, context: context, index: index, cause: cause)
    }

    /// The same, but its caller is user code that runs elsewhere: the call comes back to `executor`.
    func returning(to executor: (any TaskExecutor)?) -> Next {
        Next(chain: chain, index: index, cause: cause, executor: executor)
    }
}

/// The middlewares in their order, and the transport behind them.
package final class Chain: Sendable {
    private let middlewares: [any Middleware]
    /// Where challenges are answered: one place in `middlewares`, or the empty range ahead of one.
    private let authentication: Range<Int>
    package let transport: any Transport

    /// - Parameters:
    ///   - middlewares: From the user to the wire.
    ///   - authentication: Where among them challenges are answered; an empty range where none are, unless a request says
    ///     otherwise. Ahead of all by default.
    ///   - transport: What stands behind them.
    package init(
        middlewares: [any Middleware],
        authentication: Range<Int> = 0..<0,
        transport: any Transport
    ) {
        self.middlewares = middlewares
        self.authentication = authentication
        self.transport = transport
    }

    /// Sends a request through the whole chain. Its challenges are answered with `credential`, which its handle was given;
    /// without one as its options say, or else its session.
    func callAsFunction(
        _ request: consuming RequestMessage,
        context: RequestContext,
        credential: RequestCredential? = nil,
        because cause: HopCause = .first
    ) async throws -> ResponseMessage {
        guard let credential = credential ?? context[RequestCredential.self] else {
            return try await run(request, context: context, index: 0, cause: cause)
        }
        let chain = answering(challengesBy: credential.authentication(request.target.origin))
        return try await chain.run(request, context: context, index: 0, cause: cause)
    }

    /// The chain of a request that has a credential of its own.
    private func answering(challengesBy own: any Middleware) -> Chain {
        var middlewares = middlewares
        middlewares.replaceSubrange(authentication, with: CollectionOfOne(own))
        let place = authentication.lowerBound..<authentication.lowerBound + 1
        return Chain(middlewares: middlewares, authentication: place, transport: transport)
    }

    /// `run`, which leaves the caller's actor for the preferred executor.
    @concurrent
    fileprivate func step(
        _ request: consuming RequestMessage,
        context: RequestContext,
        index: Int,
        cause: HopCause
    ) async throws -> ResponseMessage {
        try await run(request, context: context, index: index, cause: cause)
    }

    fileprivate func run(
        _ request: consuming RequestMessage,
        context: RequestContext,
        index: Int,
        cause: HopCause
    ) async throws -> ResponseMessage {
        guard index == middlewares.count else {
            let next = Next(chain: self, index: index + 1, cause: cause)
            return try await middlewares[index].handle(request, context: context, next: next)
        }
        let record = context.openRecord(for: request, cause: cause)
        do {
            try RequestRules.check(request, context)
            return try await transport.send(request, context: context, record: record)
        } catch {
            let failure = ApusError.wrapping(error) { ApusError(.sendFailed, "the transport failed", underlying: $0) }
                .about(method: record.method, target: record.target)
            record.close(at: context.time.now, error: failure)
            throw failure
        }
    }
}
