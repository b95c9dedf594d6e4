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
        if let executor { return try await hand(request, to: executor, context: context, because: cause) }
        return try await chain.run(request, context: context, index: index, cause: cause)
    }

    @inline(never)
    private func hand(
        _ request: RequestMessage,
        to executor: any TaskExecutor,
        context: RequestContext,
        because cause: HopCause
    ) async throws -> ResponseMessage {
        try await withTaskExecutorPreference(executor) {
            try await chain.step(request, context: context, index: index, cause: cause)
        }
    }

    /// The same, but its caller is user code that runs elsewhere: the call comes back to `executor`.
    func returning(to executor: (any TaskExecutor)?) -> Next {
        Next(chain: chain, index: index, cause: cause, executor: executor)
    }
}

/// The middlewares in their order, and the transport behind them.
package final class Chain: Sendable {
    /// A middleware of one of two kinds, named where the link is made. A cast would take 0.1 ms the first time.
    package final class Link: Sendable {
        fileprivate let prompt: (any PromptMiddleware)?
        fileprivate let other: (any Middleware)?

        package init(_ prompt: any PromptMiddleware) {
            self.prompt = prompt
            self.other = nil
        }

        package init(_ middleware: any Middleware) {
            self.prompt = nil
            self.other = middleware
        }
    }

    private let links: [Link]
    /// For each place in `links`: where the prompt links end that begin there.
    private let promptEnds: [Int]
    /// Where challenges are answered: one place in `links`, or the empty range ahead of one.
    private let authentication: Range<Int>
    package let transport: any Transport

    /// - Parameters:
    ///   - links: From the user to the wire.
    ///   - authentication: Where among them challenges are answered; an empty range where none are, unless a request says
    ///     otherwise. Ahead of all by default.
    ///   - transport: What stands behind them.
    package init(_ links: [Link], authentication: Range<Int> = 0..<0, transport: any Transport) {
        self.links = links
        self.promptEnds = links.indices.map { Self.endOfPromptLinks(links, from: $0) } + [links.count]
        self.authentication = authentication
        self.transport = transport
    }

    private static func endOfPromptLinks(_ links: [Link], from index: Int) -> Int {
        links[index...].firstIndex { $0.prompt == nil } ?? links.count
    }

    /// Sends a request through the whole chain. Its challenges are answered with `credential`, which its handle was given;
    /// without one as its options say, or else its session.
    func callAsFunction(
        _ request: consuming RequestMessage,
        context: RequestContext,
        credential: RequestCredential? = nil,
        because cause: HopCause = .first
    ) async throws -> ResponseMessage {
        // There is one call, since each call takes room in the frame of the caller.
        let credential = credential ?? context[RequestCredential.self]
        let chain =
            credential.map {
                answering(challengesBy: $0.authentication(request.target.origin, context.environment.credentialProofs))
            } ?? self
        return try await chain.run(request, context: context, index: 0, cause: cause)
    }

    /// The same chain in front of another transport, and without what watches at its ends.
    func rehearsed(by transport: some Transport, hasEnds: Bool) -> Chain {
        let inner = hasEnds ? links.dropFirst().dropLast() : links[...]
        let place = authentication.lowerBound - inner.startIndex
        return Chain(
            Array(inner),
            authentication: place..<place + authentication.count,
            transport: transport
        )
    }

    /// The chain of a request that has a credential of its own.
    private func answering(challengesBy own: any Middleware) -> Chain {
        var links = links
        links.replaceSubrange(authentication, with: CollectionOfOne(Link(own)))
        let place = authentication.lowerBound..<authentication.lowerBound + 1
        return Chain(links, authentication: place, transport: transport)
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

    /// Sends a request through the links from `index` on: the prompt ones ahead of all here, one after the other, and the
    /// rest by the first link that has a call of its own.
    fileprivate func run(
        _ request: consuming RequestMessage,
        context: RequestContext,
        index: Int,
        cause: HopCause
    ) async throws -> ResponseMessage {
        let end = promptEnds[index]
        let original = copy request
        try prepare(&request, context, links: index..<end)
        let response: ResponseMessage
        if end == links.count {
            let record = context.openRecord(for: request, cause: cause)
            do {
                try RequestRules.check(request, context)
                response = try await transport.send(request, context: context, record: record)
            } catch {
                throw failure(error, of: record, context)
            }
        } else {
            response = try await hand(request, to: end, context: context, cause: cause)
        }
        guard !response.isPlain, let last = lastConcerned(by: response, in: index..<end) else { return response }
        return try await conclude(response, to: original, context: context, links: index...last, cause: cause)
    }

    /// Has a link that is not prompt handle the request. A frame of its own: most requests meet none.
    @inline(never)
    private func hand(
        _ request: consuming RequestMessage,
        to index: Int,
        context: RequestContext,
        cause: HopCause
    ) async throws -> ResponseMessage {
        let next = Next(chain: self, index: index + 1, cause: cause)
        guard let middleware = links[index].other else { return try await next(request, context: context) }
        return try await middleware.handle(request, context: context, next: next)
    }

    /// Has prompt links change a request.
    @inline(never)
    private func prepare(
        _ request: inout RequestMessage,
        _ context: RequestContext,
        links range: Range<Int>
    ) throws {
        for index in range { try links[index].prompt?.prepare(&request, context: context) }
    }

    private func lastConcerned(by response: borrowing ResponseMessage, in range: Range<Int>) -> Int? {
        for index in range.reversed() where links[index].prompt?.isConcerned(by: response) == true { return index }
        return nil
    }

    /// Hands an answer to the prompt links that it concerns, from the wire to the user.
    @inline(never)
    private func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        links range: ClosedRange<Int>,
        cause: HopCause
    ) async throws -> ResponseMessage {
        var response = response
        for index in range.reversed() {
            guard let link = links[index].prompt, link.isConcerned(by: response) else { continue }
            let next = Next(chain: self, index: index + 1, cause: cause)
            var given = request
            if link.resends { try prepare(&given, context, links: range.lowerBound..<index) }
            response = try await link.conclude(response, to: given, context: context, next: next)
        }
        return response
    }

    private func failure(_ error: any Error, of record: ExchangeRecord, _ context: RequestContext) -> ApusError {
        let failure = ApusError.wrapping(error) { ApusError(.sendFailed, "the transport failed", underlying: $0) }
            .about(method: record.method, target: record.target)
        record.close(at: context.time.now, error: failure)
        return failure
    }
}
