/// The rest of the chain as seen by one middleware.
///
/// It can be called more than once, also concurrently. Each call is an exchange with its own record. A repeated call
/// should pass its reason as `cause`, and the body from `replayed(for:)`.
public struct Next: Sendable {
    private let chain: Chain
    private let index: Int
    package let cause: ExchangeCause
    /// The executor that calls from user code return to. `nil` if the caller is not user code.
    private let executor: (any TaskExecutor)?

    init(chain: Chain, index: Int = 0, cause: ExchangeCause = .first, executor: (any TaskExecutor)? = nil) {
        self.chain = chain
        self.index = index
        self.cause = cause
        self.executor = executor
    }

    /// Passes the request to the rest of the chain.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context that the middleware was given.
    ///   - cause: The reason for the exchange. `nil` keeps the current reason. Default: `nil`.
    /// - Returns: The response. Its body may still be arriving.
    /// - Throws: The errors of the rest of the chain.
    public func callAsFunction(
        _ request: consuming RequestMessage,
        context: RequestContext,
        because cause: ExchangeCause? = nil
    ) async throws -> ResponseMessage {
        let cause = cause ?? self.cause
        if let executor { return try await hand(request, to: executor, context: context, because: cause) }
        return try await chain.run(request, context: context, index: index, cause: cause)
    }

    @inline(never)
    private func hand(
        _ request: RequestMessage,
        to executor: any TaskExecutor,
        context: RequestContext,
        because cause: ExchangeCause
    ) async throws -> ResponseMessage {
        try await withTaskExecutorPreference(executor) {
            try await chain.step(request, context: context, index: index, cause: cause)
        }
    }

    /// The position of a middleware in a chain.
    package struct Place: Sendable, Hashable {
        let chain: ObjectIdentifier
        let index: Int
    }

    /// The position that the rest of the chain begins at. Another session has another chain, and so has each request
    /// with its own credential.
    package var place: Place { Place(chain: ObjectIdentifier(chain), index: index) }

    /// Returns a copy for user code that runs elsewhere. Its calls return to `executor`.
    func returning(to executor: (any TaskExecutor)?) -> Next {
        Next(chain: chain, index: index, cause: cause, executor: executor)
    }
}
