/// Where requests are made: it holds the connections, the configuration and the limits that they share.
///
/// ```swift
/// let session = Session()
/// let answer = try await session.get("https://example.org/").validate().string()
/// await session.shutdown()
/// ```
///
/// Callbacks come on `.main` unless another queue is named. On Linux the main queue runs only under an async `main`,
/// `dispatchMain()` or a `RunLoop`; a program that blocks it while it waits gets a hint in the log after 5 s.
///
/// When the last reference to a session goes away, what is in flight ends with `sessionGone`; a direct call, or a
/// streamed answer, keeps its session until it is over.
public final class Session: Sendable {
    /// Everything that a session can be told.
    public typealias Configuration = SessionConfiguration

    package let core: SessionCore

    /// Makes a session of its parts; the umbrella module has initialisers with a default chain.
    package init(environment: SessionEnvironment, chain: Chain) {
        self.core = SessionCore(environment: environment, chain: chain)
    }

    deinit {
        let core = core
        core.cancelAll(.sessionGone)
        Task {
            await core.roster.waitUntilIdle()
            await core.chain.transport.close(gracefully: false)
            core.tellEnd(dueTo: .sessionGone)
        }
    }

    /// Tells the session apart from others where monitors hear of its end.
    public var id: SessionID { core.id }

    /// What the session was told.
    public var configuration: Configuration { core.configuration }

    /// The executor on which exchanges with the origin of `url` cross no thread.
    ///
    /// Tasks that make many requests of one origin are a little cheaper on it; whatever blocks there delays every
    /// request of that loop. `nil` where the transport has none, or `url` is no URL.
    public func executor(for url: some URLConvertible) -> (any TaskExecutor)? {
        guard let target = try? url.asTarget() else { return nil }
        return core.chain.transport.executor(for: target.origin)
    }

    /// Ends the session: new requests are refused with `sessionShutDown`, those in flight may end, and what has not
    /// ended by then is cancelled.
    ///
    /// Until then retriers may retry the requests in flight. A request that their middleware, adapters and the like
    /// make of the session is not refused.
    ///
    /// If code of your own does not return, a middleware for example, the session waits for it one more second at most.
    ///
    /// - Parameter grace: How long requests in flight may take; 30 s by default, zero cancels them now.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the grace.
    public func shutdown(within grace: Duration = .seconds(30)) async {
        let core = core
        let reason = CancelReason.sessionShutDown
        core.roster.close(with: reason.error)
        let time = core.environment.time
        let deadline = time.now.advanced(by: grace)
        let isOver = Deferred<Void>()
        let cut = { @Sendable in
            // The transport before those who use it: what one gives up, another that waits for it would take.
            core.turnAway(reason)
            await core.chain.transport.close(gracefully: false)
            core.cancelAll(reason)
            let patience = Task {
                try? await time.sleep(until: time.now.advanced(by: .seconds(1)))
                isOver.fulfill(())
            }
            await isOver.value
            patience.cancel()
        }
        let end = Task {
            if grace > .zero { try? await time.sleep(until: deadline) }
            if Task.isCancelled, grace > .zero { return }
            await cut()
        }
        Task {
            await core.roster.waitUntilIdle()
            isOver.fulfill(())
        }
        await withTaskCancellationHandler {
            await isOver.value
        } onCancel: {
            Task { await cut() }
        }
        end.cancel()
        await core.chain.transport.close(gracefully: true)
        core.tellEnd(dueTo: nil)
    }

    /// How many requests are on their way, and how many wait for their turn.
    public var requestCounts: (inFlight: Int, waiting: Int) { core.roster.counts }

    /// What is alive on behalf of the session: nothing, once all is over.
    package var liveCounts: [String: Int] {
        var counts = core.environment.counters.nonZero
        for (name, count) in core.chain.transport.liveCounts where count != 0 { counts[name, default: 0] += count }
        let roster = core.roster.counts
        if roster.inFlight != 0 { counts["requests in flight"] = roster.inFlight }
        if roster.waiting != 0 { counts["requests waiting"] = roster.waiting }
        return counts
    }
}
