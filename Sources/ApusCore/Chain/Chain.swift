/// The middleware in order, followed by the transport.
package final class Chain: Sendable {
    /// A middleware of one of two kinds, chosen when the link is created. A cast would take 0.1 ms the first time.
    package final class Link: Sendable {
        fileprivate let synchronous: (any SynchronousMiddleware)?
        fileprivate let other: (any Middleware)?

        package init(_ synchronous: any SynchronousMiddleware) {
            self.synchronous = synchronous
            self.other = nil
        }

        package init(_ middleware: any Middleware) {
            self.synchronous = nil
            self.other = middleware
        }
    }

    private let links: [Link]
    /// For each index in `links`, the end of the sequence of synchronous links that starts there.
    private let synchronousEnds: [Int]
    /// Whether a link handles plain responses, even to requests without options.
    private let handlesPlainResponses: Bool
    /// The position of authentication: one index in `links`, or the empty range before one.
    private let authentication: Range<Int>
    /// Upgrades targets to https. One of the links does the same for each exchange.
    private let upgrader: (any TargetUpgrading)?
    package let transport: any Transport
    /// The transport, if it runs on event loops. A cast for each request would cost more.
    let eventLoopTransport: (any EventLoopTransport)?

    /// - Parameters:
    ///   - links: The links, from the caller to the wire.
    ///   - authentication: The position of the link that handles challenges. An empty range if the session has none and
    ///     only requests with their own credential are authenticated. Default: the empty range at the start.
    ///   - upgrader: The link that upgrades targets to https. Default: `nil`.
    ///   - transport: The transport after the links.
    package init(
        _ links: [Link],
        authentication: Range<Int> = 0..<0,
        upgrader: (any TargetUpgrading)? = nil,
        transport: any Transport
    ) {
        self.links = links
        self.synchronousEnds = links.indices.map { Self.endOfSynchronousLinks(links, from: $0) } + [links.count]
        self.handlesPlainResponses = links.contains { $0.synchronous?.isConcerned(byAnyResponseTo: .none) == true }
        self.authentication = authentication
        self.upgrader = upgrader
        self.transport = transport
        self.eventLoopTransport = transport as? any EventLoopTransport
    }

    private static func endOfSynchronousLinks(_ links: [Link], from index: Int) -> Int {
        links[index...].firstIndex { $0.synchronous == nil } ?? links.count
    }

    /// Sends a request through the whole chain. Its challenges are handled with `credential`, which was set on its
    /// handle, else with the credential in its options, else with the session's credentials.
    // Inlined, since with a frame of its own the task of a handle would allocate memory once more.
    @inline(__always)
    func callAsFunction(
        _ request: consuming RequestMessage,
        context: RequestContext,
        credential: RequestCredential? = nil,
        because cause: ExchangeCause = .first
    ) async throws -> ResponseMessage {
        try RequestCheck.check(request)
        // There is only one call to `run`, since each call takes space in the caller's frame.
        let chain = chain(for: credential ?? request.options[RequestCredential.self], request, context)
        return try await chain.run(request, context: context, index: 0, cause: cause)
    }

    /// Returns the chain that authenticates with a request's own credential, or `self`. A function of its own, so that its
    /// values take no space in the frame of the call.
    @inline(never)
    private func chain(
        for credential: RequestCredential?,
        _ request: borrowing RequestMessage,
        _ context: RequestContext
    ) -> Chain {
        guard let credential else { return self }
        // The credential belongs to the origin that the request is sent to.
        let origin = settled(request.target, request.options).origin
        return authenticating(with: credential.authentication(origin, context.environment.credentialProofs))
    }

    /// Returns the executor for requests to `origin`, or `nil` if the transport has none.
    func executor(for origin: Origin) -> (any TaskExecutor)? {
        // A class costs less to call than a transport of any kind.
        guard let eventLoopTransport else { return transport.executor(for: origin) }
        return eventLoopTransport.executor(for: origin)
    }

    /// Returns the target that a request is sent to: its own, or the one over https that replaces it.
    func settled(_ target: TargetURI, _ options: RequestOptions) -> TargetURI {
        upgrader?.upgrade(target, options) ?? target
    }

    /// Returns the same chain with another transport and without the middleware of `TracingMiddleware`.
    func previewed(by transport: some Transport, hasEnds: Bool) -> Chain {
        let inner = hasEnds ? links.dropFirst().dropLast() : links[...]
        let place = authentication.lowerBound - inner.startIndex
        return Chain(
            Array(inner),
            authentication: place..<place + authentication.count,
            upgrader: upgrader,
            transport: transport
        )
    }

    /// Returns the chain for a request with a credential of its own.
    private func authenticating(with own: any Middleware) -> Chain {
        var links = links
        links.replaceSubrange(authentication, with: CollectionOfOne(Link(own)))
        let place = authentication.lowerBound..<authentication.lowerBound + 1
        return Chain(links, authentication: place, upgrader: upgrader, transport: transport)
    }

    /// Calls `run` after leaving the caller's actor for the preferred executor.
    @concurrent
    func step(
        _ request: consuming RequestMessage,
        context: RequestContext,
        index: Int,
        cause: ExchangeCause
    ) async throws -> ResponseMessage {
        try await run(request, context: context, index: index, cause: cause)
    }

    /// Sends a request through the links from `index` on. Prepares it with the synchronous links at the front, in
    /// order, and leaves the rest to the first link that is not synchronous.
    func run(
        _ request: consuming RequestMessage,
        context: RequestContext,
        index: Int,
        cause: ExchangeCause
    ) async throws -> ResponseMessage {
        let end = synchronousEnds[index]
        var original = copy request
        try prepare(&request, context, links: index..<end)
        let isUpgraded = Self.adopt(request, in: &original)
        let response: ResponseMessage
        if end == links.count {
            let record = context.openRecord(for: request, cause: cause)
            do {
                try RequestCheck.check(request)
                response = try await transport.send(request, context: context, record: record)
            } catch {
                let reason: any Error = failure(error, of: record, context)
                throw isUpgraded ? explained(reason, of: original) : reason
            }
        } else {
            do {
                response = try await hand(request, to: end, context: context, cause: cause)
            } catch {
                throw isUpgraded ? explained(error, of: original) : error
            }
        }
        if response.isPlain, original.options.isEmpty, !handlesPlainResponses { return response }
        guard let last = lastConcerned(by: response, to: original.options, in: index..<end) else { return response }
        return try await conclude(response, to: original, context: context, links: index...last, cause: cause)
    }

    /// Copies the target of a prepared request, if a link has upgraded it, so that links conclude the response to the
    /// request that was sent. Returns whether it was upgraded.
    private static func adopt(_ request: borrowing RequestMessage, in original: inout RequestMessage) -> Bool {
        guard !request.target.isIdentical(to: original.target) else { return false }
        original.target = request.target
        return true
    }

    @inline(never)
    private func explained(_ error: any Error, of request: RequestMessage) -> any Error {
        guard let upgrader, let failure = error as? ApusError else { return error }
        return upgrader.explained(failure, of: request.target, request.options)
    }

    /// Lets a link that is not synchronous handle the request. Not inlined, since most requests do not need its frame.
    @inline(never)
    private func hand(
        _ request: consuming RequestMessage,
        to index: Int,
        context: RequestContext,
        cause: ExchangeCause
    ) async throws -> ResponseMessage {
        let next = Next(chain: self, index: index + 1, cause: cause)
        guard let middleware = links[index].other else { return try await next(request, context: context) }
        return try await middleware.handle(request, context: context, next: next)
    }

    /// Lets synchronous links change a request.
    @inline(never)
    private func prepare(
        _ request: inout RequestMessage,
        _ context: RequestContext,
        links range: Range<Int>
    ) throws {
        for index in range { try links[index].synchronous?.prepare(&request, context: context) }
    }

    private func lastConcerned(
        by response: borrowing ResponseMessage,
        to options: RequestOptions,
        in range: Range<Int>
    ) -> Int? {
        for index in range.reversed() {
            if let link = links[index].synchronous, isConcerned(link, by: response, to: options) { return index }
        }
        return nil
    }

    private func isConcerned(
        _ link: any SynchronousMiddleware,
        by response: borrowing ResponseMessage,
        to options: RequestOptions
    ) -> Bool {
        if !response.isPlain, link.isConcerned(by: response) { return true }
        return link.isConcerned(byAnyResponseTo: options)
    }

    /// Passes a response to the synchronous links that it concerns, from the wire to the caller.
    @inline(never)
    private func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        links range: ClosedRange<Int>,
        cause: ExchangeCause
    ) async throws -> ResponseMessage {
        var response = response
        for index in range.reversed() {
            guard let link = links[index].synchronous, isConcerned(link, by: response, to: request.options) else {
                continue
            }
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
        record.close(at: context.now, error: failure)
        return failure
    }
}
