public import ApusCore

/// Holds requests back while there is no network, and retries them as soon as there is one.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.interceptor = Interceptor(retriers: [OfflineRetrier(maximumWait: .seconds(20)), RetryPolicy()])
/// ```
///
/// The retrier acts on failures. An error with one of `codes`, or one for which `isOffline` returns true, means that
/// there is no network. The request then waits until `watch` reports a network, at most `maximumWait`, and is retried
/// at once. On a timeout, and for any other error, the next retrier is called. The default codes mean that nothing was
/// sent, so requests with any method are retried if their body is replayable. After a redirect something was sent, so
/// then only idempotent requests are retried.
///
/// If a network is available, the request is retried at once. Place this retrier before a `RetryPolicy`, and keep its
/// `retryLimit` small.
///
/// However many requests wait, only one of them polls the network, once per `pollInterval`. Once `maximumWaiting`
/// requests wait, further ones do not.
///
/// Sessions may share a retrier if they share a clock, since the polling request uses the clock of its own session.
///
/// ## Cancellation
/// A request that is cancelled stops waiting.
public final class OfflineRetrier: RequestRetrier {
    /// The default `codes`: `hostNotFound`, `resolveFailed` and `connectFailed`.
    public static let offlineCodes: Set<ApusError.Code> = [.hostNotFound, .resolveFailed, .connectFailed]

    private let maximumWait: Duration
    private let retryLimit: Int
    private let pollInterval: Duration
    private let codes: Set<ApusError.Code>
    private let watch: any NetworkWatch
    private let isOffline: @Sendable (ApusError) -> Bool
    private let queue: Lock<OfflineQueue>

    /// Creates a retrier.
    ///
    /// - Parameters:
    ///   - maximumWait: The longest time a request waits for a network, per failure. Default: 5 s.
    ///   - retryLimit: A request is retried only if it has had fewer retries than this, for any reason. Default: 2.
    ///   - pollInterval: The time between two checks of the network, at least 1 ms. Default: 250 ms.
    ///   - maximumWaiting: The maximum number of waiting requests. Default: 1024.
    ///   - codes: The error codes that mean that there is no network. Default: `offlineCodes`.
    ///   - watch: Reports whether there is a network. Default: the interfaces of this machine.
    ///   - isOffline: Whether any other error means that there is no network. By default, none does.
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
        self.queue = Lock(OfflineQueue(maximumWaiting: maximumWaiting))
    }

    /// The number of requests that wait for a network.
    public var waitingCount: Int { queue.withLock { $0.count } }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        guard attempt.retryCount < retryLimit, attempt.request.body.isReplayable, mayRetry(attempt),
            codes.contains(error.code) || isOffline(error)
        else { return .doNotRetry }
        return await waitForNetwork(attempt.context) ? .retry : .doNotRetry
    }

    /// A redirect may mean that the server has already processed the request.
    private func mayRetry(_ attempt: RequestAttempt) -> Bool {
        attempt.context.redirects.isEmpty || attempt.isIdempotent
    }

    /// Returns `false` on a timeout, if too many requests wait and there is no network, or if the task was cancelled.
    private func waitForNetwork(_ context: RequestContext) async -> Bool {
        let time = context.time
        let deadline = time.now.advanced(by: maximumWait)
        switch queue.withLock({ $0.enter() }) {
        case .full: return watch.isReachable()
        case .watching: return await lookOut(until: deadline, time, notifying: context)
        case .following(let follower):
            context.post(.waitingForConnectivity)
            let turn = await follower.wait { [self] follower in queue.withLock { $0.withdraw(follower) } }
            switch turn {
            case .watch: return await lookOut(until: deadline, time)
            case .retry: return true
            case nil: return false
            }
        }
    }

    /// Polls the network for all waiting requests. Reports through `context`, if given, that its request waits.
    private func lookOut(
        until deadline: MonotonicInstant,
        _ time: any SessionClock,
        notifying context: RequestContext? = nil
    ) async -> Bool {
        var unnotified = context
        while !Task.isCancelled {
            if watch.isReachable() {
                for follower in queue.withLock({ $0.disband() }) { follower.call(.retry) }
                return true
            }
            let now = time.now
            guard now < deadline else { break }
            unnotified.take()?.post(.waitingForConnectivity)
            // A cancelled sleep throws, and the loop condition ends the wait.
            try? await time.sleep(until: min(deadline, now.advanced(by: pollInterval)))
        }
        queue.withLock { $0.stopWatching() }?.call(.watch)
        return false
    }
}

extension RequestRetrier where Self == OfflineRetrier {
    /// A new `OfflineRetrier` with its defaults, where a retrier is expected: `request.retry(using: .offlineRetrier)`.
    public static var offlineRetrier: OfflineRetrier { OfflineRetrier() }
}
