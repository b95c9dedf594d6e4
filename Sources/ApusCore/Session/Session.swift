/// Sends requests. A session owns the connections, the configuration and the limits that its requests share.
///
/// ```swift
/// let session = Session()
/// let response = try await session.get("https://example.org/").validate().string()
/// await session.shutdown()
/// ```
///
/// Handlers are called on `.main` unless another queue is named. On Linux the main queue runs only under an async
/// `main`, `dispatchMain()` or a `RunLoop`. If the program blocks the main queue for 5 s while handlers wait, a hint is
/// logged.
///
/// When the last reference to a session is released, requests in flight end with `sessionGone`. A direct call, a
/// streamed response or a stream request that was started keeps its session until it is complete.
public final class Session: Sendable {
    /// The settings of a session.
    public typealias Configuration = SessionConfiguration

    package let core: SessionCore
    /// Whether the requests of the session end with this object.
    let isOwner: Bool

    /// Creates a session from its parts. The umbrella module has initializers with a default chain.
    package init(environment: SessionEnvironment, chain: Chain) {
        self.core = SessionCore(environment: environment, chain: chain)
        self.isOwner = true
    }

    /// Creates another object for a session, which does not keep its requests alive.
    init(sharing core: SessionCore) {
        self.core = core
        self.isOwner = false
    }

    deinit {
        guard isOwner else { return }
        let core = core
        core.cancelAll(.sessionGone)
        Task {
            await core.settle()
            await core.chain.transport.close(gracefully: false)
            core.reportEnd(dueTo: .sessionGone)
        }
    }

    /// The identifier of the session, by which monitors recognize its end.
    public var id: SessionID { core.id }

    /// The settings that the session was created with.
    public var configuration: Configuration { core.configuration }

    /// Returns the executor on which exchanges with the origin of `url` need no thread change.
    ///
    /// Tasks that send many requests to one origin are a little cheaper on it. Code that blocks there delays every
    /// request of that loop. `nil` if the transport has no such executor, or `url` is no valid URL.
    public func executor(for url: some URLConvertible) -> (any TaskExecutor)? {
        guard let target = try? url.asTarget() else { return nil }
        return core.chain.executor(for: target.origin)
    }

    /// Shuts the session down: rejects new requests with `sessionShutDown`, waits for requests in flight, and cancels
    /// those that are not complete after the grace period.
    ///
    /// Until then retriers may retry the requests in flight. Requests that their middleware, adapters and the like send
    /// with the session are not rejected.
    ///
    /// If user code does not return, a middleware for example, the session waits for it one more second at most.
    ///
    /// - Parameter grace: The time for requests in flight. Zero cancels them now. Default: 30 s.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the grace period.
    public func shutdown(within grace: Duration = .seconds(30)) async {
        let core = core
        let reason = CancelReason.sessionShutDown
        core.limiter.close(with: reason.error)
        let time = core.environment.time
        let deadline = time.now.advanced(by: grace)
        let isOver = Deferred<Void>()
        let cut = { @Sendable in
            // Closes the transport first: a connection released by one request would be taken by a waiting one.
            core.rejectQueued(reason)
            await core.chain.transport.close(gracefully: false)
            core.cancelAll(reason)
            await core.settle()
            isOver.fulfill(())
        }
        // Not a `DeadlineTimer`: no timer may be counted when this method returns.
        let end = Task {
            if grace > .zero { try? await time.sleep(until: deadline) }
            if Task.isCancelled, grace > .zero { return }
            await cut()
        }
        Task {
            await core.limiter.waitUntilIdle()
            isOver.fulfill(())
        }
        await withTaskCancellationHandler {
            await isOver.value
        } onCancel: {
            Task { await cut() }
        }
        end.cancel()
        await core.chain.transport.close(gracefully: true)
        core.reportEnd(dueTo: nil)
    }

    /// The number of requests in flight, and the number of queued ones.
    public var requestCounts: (inFlight: Int, waiting: Int) { core.limiter.counts }

    /// The number of live objects of the session, by kind. Empty once all requests are complete.
    package var liveCounts: [String: Int] {
        var counts = core.environment.counters.nonZero
        let limiter = core.limiter.counts
        if limiter.inFlight != 0 { counts["requests in flight"] = limiter.inFlight }
        if limiter.waiting != 0 { counts["requests waiting"] = limiter.waiting }
        return counts
    }
}
