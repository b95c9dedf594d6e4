public import ApusCore

/// Has requests wait for a network where there is none, and go again as soon as there is.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.interceptor = Interceptor(retriers: [OfflineRetrier(maximumWait: .seconds(20)), RetryPolicy()])
/// ```
///
/// It is asked about failures. An error with one of `codes`, or one for which `isOffline` is true, means that there is
/// no network. The request then waits until `watch` reports a network, at most `maximumWait`, and is retried at once.
/// Otherwise, and after any other error, the next retrier is asked. If `watch` reports a network from the start, the
/// request is retried without a wait, so put it in front of a `RetryPolicy` and keep its limit small. The default codes
/// mean that nothing of the request has left this machine, so its method does not matter; but its content has to be
/// replayable. If a redirect was followed before, something was sent: then only requests with idempotent methods are
/// retried.
///
/// However many requests wait, one of them watches: the network is looked at once in `pollInterval`. With `maximumWaiting`
/// of them waiting no other does.
///
/// Sessions may share one, if they share their clock: who watches does so by the clock of its own session.
///
/// ## Cancellation
/// A request that is cancelled stops waiting.
public final class OfflineRetrier: RequestRetrier {
    /// `hostNotFound`, `resolveFailed` and `connectFailed`.
    public static let offlineCodes: Set<ApusError.Code> = [.hostNotFound, .resolveFailed, .connectFailed]

    private let maximumWait: Duration
    private let retryLimit: Int
    private let pollInterval: Duration
    private let codes: Set<ApusError.Code>
    private let watch: any NetworkWatch
    private let isOffline: @Sendable (ApusError) -> Bool
    private let line: Lock<OfflineLine>

    /// Makes a retrier.
    ///
    /// - Parameters:
    ///   - maximumWait: How long a request waits for a network each time; 5 s by default.
    ///   - retryLimit: How often a request may have gone again, for whatever reason, to go once more; 2 by default.
    ///   - pollInterval: How long it takes until the network is looked at again; 250 ms by default, at least 1 ms.
    ///   - maximumWaiting: How many requests may wait; 1024 by default.
    ///   - codes: The errors that mean that there is no network; `offlineCodes` by default.
    ///   - watch: Who knows whether there is one; the interfaces of this machine by default.
    ///   - isOffline: Whether another error means the same; none does by default.
    public init(
        maximumWait: Duration = .seconds(5),
        retryLimit: Int = 2,
        pollInterval: Duration = .milliseconds(250),
        maximumWaiting: Int = 1024,
        codes: Set<ApusError.Code> = OfflineRetrier.offlineCodes,
        watch: any NetworkWatch = InterfaceWatch(),
        isOffline: @escaping @Sendable (ApusError) -> Bool = { _ in false }
    ) {
        self.maximumWait = maximumWait
        self.retryLimit = retryLimit
        self.pollInterval = max(.milliseconds(1), pollInterval)
        self.codes = codes
        self.watch = watch
        self.isOffline = isOffline
        self.line = Lock(OfflineLine(maximumWaiting: maximumWaiting))
    }

    /// How many requests wait for a network.
    public var waitingCount: Int { line.withLock { $0.count } }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        guard attempt.retryCount < retryLimit, attempt.request.body.isReplayable, mayGoAgain(attempt),
            codes.contains(error.code) || isOffline(error)
        else { return .doNotRetry }
        return await networkIsThere(attempt.context) ? .retry : .doNotRetry
    }

    /// Whoever sent a redirect has carried the request out before, it may be.
    private func mayGoAgain(_ attempt: RequestAttempt) -> Bool {
        attempt.context.history.isEmpty || RetryPolicy.idempotentMethods.contains(attempt.request.method)
    }

    /// Returns `false` where there is none in time, where too many wait, or the task was cancelled.
    private func networkIsThere(_ context: RequestContext) async -> Bool {
        let time = context.time
        let deadline = time.now.advanced(by: maximumWait)
        switch line.withLock({ $0.enter() }) {
        case .full: return watch.isReachable()
        case .watching: return await lookOut(until: deadline, time, telling: context)
        case .following(let follower):
            context.post(.waitingForConnectivity)
            let turn = await follower.wait { [self] follower in line.withLock { $0.withdraw(follower) } }
            switch turn {
            case .watch: return await lookOut(until: deadline, time)
            case .goAgain: return true
            case nil: return false
            }
        }
    }

    /// Watches for all who wait; `context` tells that its request does, unless that is known.
    private func lookOut(
        until deadline: MonotonicInstant,
        _ time: any RequestTime,
        telling context: RequestContext? = nil
    ) async -> Bool {
        var untold = context
        while !Task.isCancelled {
            if watch.isReachable() {
                for follower in line.withLock({ $0.disband() }) { follower.call(.goAgain) }
                return true
            }
            let now = time.now
            guard now < deadline else { break }
            untold.take()?.post(.waitingForConnectivity)
            // Cancelled, it throws; the loop sees that.
            try? await time.sleep(until: min(deadline, now.advanced(by: pollInterval)))
        }
        line.withLock { $0.giveUp() }?.call(.watch)
        return false
    }
}
