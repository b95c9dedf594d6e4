package import ApusCore
internal import HTTPTypes
package import NIOCore
internal import NIOPosix

/// The socket transport: HTTP/1.1 and HTTP/2 over TCP and TLS, on SwiftNIO's event loops.
///
/// Each origin is assigned to one event loop, which holds its pool and connections. A task on that loop's executor
/// sends its requests without a thread switch.
package final class SocketTransport: EventLoopTransport {
    private let shared: EngineContext

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration.
    ///   - counters: The counters of live objects.
    ///   - group: The event loops. The engine never shuts them down. Default: the process-wide group.
    ///   - resolver: Resolves host names into addresses. Default: `nil`, the resolver of the configuration, or else the
    ///     operating system's.
    ///   - proxyAuthenticator: Makes the credentials for HTTP proxies. Default: `nil`, none are sent.
    package init(
        configuration: SessionConfiguration,
        counters: LiveCounters,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        resolver: (any HostResolver)? = nil,
        proxyAuthenticator: (any ProxyAuthenticator)? = nil
    ) {
        let engineLoops = group.makeIterator().map { EngineLoop(loop: $0) }
        self.shared = EngineContext(
            configuration: configuration,
            counters: counters,
            resolver: resolver ?? Self.resolver(of: configuration),
            proxyAuthenticator: proxyAuthenticator,
            engineLoops: engineLoops
        )
        for engineLoop in engineLoops { engineLoop.install(shared) }
    }

    deinit {
        for engineLoop in shared.engineLoops { engineLoop.tearDown() }
    }

    private static func resolver(of configuration: SessionConfiguration) -> any HostResolver {
        guard let resolver = configuration.resolver else { return SystemResolver.shared }
        return AsyncResolver(resolver: resolver)
    }

    package var capabilities: TransportCapabilities {
        [.rawContentCoding, .rawRedirects]
    }

    package func executor(for origin: Origin) -> (any TaskExecutor)? {
        shared.engineLoop(for: origin).executor
    }

    package func guestExecutor(for origin: Origin) -> (any TaskExecutor)? {
        shared.engineLoop(for: origin).guestExecutor
    }

    package func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void) {
        shared.engineLoop(for: origin).jobs.atEndOfTurn(work)
    }

    package func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        guard !Task.isCancelled else { throw CancelReason.task.error }
        return try await response(to: input(request, context, record), shared.engineLoop(for: request.target.origin))
    }

    /// A function apart from `send`, so that its temporary values take no room in the frame that awaits the response.
    @inline(never)
    private func input(
        _ request: borrowing RequestMessage,
        _ context: RequestContext,
        _ record: ExchangeRecord
    ) -> Exchange.Input {
        shared.counters.add(to: .exchanges)
        let session = shared.configuration.timeouts
        let timeouts = request.options[RequestTimeouts.self]?.applied(to: session) ?? session
        let hold = RequestUpload.mayWait(request.body, request.fields) ? context.contentHold : nil
        return Exchange.Input(request: copy request, record: record, timeouts: timeouts, hold: hold)
    }

    // Inlined into `send`, because a separate async function would need a frame of its own.
    @inline(__always)
    private func response(to input: Exchange.Input, _ engineLoop: EngineLoop) async throws -> ResponseMessage {
        let slot = ExchangeSlot(loop: engineLoop.loop)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                engineLoop.run { engine in
                    slot.start(Exchange(input, engine: engine, continuation: continuation), on: engine)
                }
            }
        } onCancel: {
            slot.cancel()
        }
    }

    package func prepare(_ origin: Origin, count: Int) async throws(ApusError) -> Int {
        guard !Task.isCancelled else { throw CancelReason.task.error }
        let outcome = Deferred<Result<Int, ApusError>>()
        shared.engineLoop(for: origin).run { engine in
            engine.prepare(origin, count: count) { outcome.fulfill($0) }
        }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(.failure(CancelReason.task.error))
        }.get()
    }

    package func close(gracefully: Bool) async {
        for engineLoop in shared.engineLoops { engineLoop.run { $0.shutDown(gracefully: gracefully) } }
        // A channel is closed in a later turn of its loop. Wait for these turns before returning.
        for engineLoop in shared.engineLoops {
            for _ in 0..<3 {
                await withUnsafeContinuation { continuation in
                    engineLoop.loop.execute { continuation.resume() }
                }
            }
        }
    }
}
