/// The time limit of a request, and the timer that ends the request.
struct TimeLimit: Sendable {
    /// Ends the request. Gets the limit.
    typealias Expiry = @Sendable (Duration) -> Void

    /// The action of the timer. A class, since a request without a limit needs no room for it.
    final class Action: Sendable {
        let expire: Expiry
        /// The executor of the timer. `nil` for the global one.
        let executor: (any TaskExecutor)?

        init(_ expire: @escaping Expiry, on executor: (any TaskExecutor)?) {
            self.expire = expire
            self.executor = executor
        }
    }

    /// The start of the request.
    let begin: MonotonicInstant
    /// The time that the request has. `nil` means no limit.
    var duration: Duration?
    /// `nil` if no timer ends the request as a whole, or if the request has ended.
    var action: Action?
    var timer: DeadlineTimer?

    /// The deadline with the limit that it comes from.
    var deadline: (instant: MonotonicInstant, limit: Duration)? { duration.map { (begin.advanced(by: $0), $0) } }
}

/// The time limit of a request. It is known when the request starts, and an adapter may change it.
extension RequestContext {
    /// Starts a timer that calls `expire` when the request has lasted for `duration`.
    func startLimit(
        _ duration: Duration,
        on executor: (any TaskExecutor)? = nil,
        _ expire: @escaping TimeLimit.Expiry
    ) {
        let now = self.now
        let limit = withLimit { limit in
            let action = TimeLimit.Action(expire, on: executor)
            let new = TimeLimit(begin: limit?.begin ?? now, duration: duration, action: action)
            limit = new
            return new
        }
        startTimer(of: limit)
    }

    /// Records the start of a request that has no limit, and whose adapters may set one.
    func noteStart() {
        let begin = now
        withLimit { if $0 == nil { $0 = TimeLimit(begin: begin) } }
    }

    /// Whether a limit may be changed. It was not recorded for a request without a limit and without adapters.
    var hasLimit: Bool { withLimit { $0 != nil } }

    /// Applies the time limit of a message that was made or adapted after the request has started.
    ///
    /// - Parameter duration: The limit. `nil` means none.
    /// - Returns: The limit if no timer ends the request, so that the caller has to.
    func changeLimit(_ duration: Duration?) -> Duration? {
        let (untimed, changed) = withLimit { limit -> (Duration?, TimeLimit?) in
            guard limit != nil else { return (nil, nil) }
            let isTimed = limit?.action != nil
            guard limit?.duration != duration else { return (isTimed ? nil : duration, nil) }
            limit?.duration = duration
            return isTimed ? (nil, limit) : (duration, nil)
        }
        if let changed { startTimer(of: changed) }
        return untimed
    }

    /// Replaces the timer.
    private func startTimer(of limit: TimeLimit) {
        var timer: DeadlineTimer?
        if let deadline = limit.deadline, let action = limit.action {
            timer = DeadlineTimer(at: deadline.instant, in: environment, on: action.executor) {
                action.expire(deadline.limit)
            }
        }
        let unused = withLimit { current -> DeadlineTimer? in
            // The request may have ended in the meantime, or have another limit.
            guard current?.action != nil, current?.duration == limit.duration else { return timer }
            defer { current?.timer = timer }
            return current?.timer
        }
        unused?.cancel()
    }

    /// Stops the timer. The limit stays known.
    func endLimit() {
        let (timer, action) = withLimit { limit in
            defer {
                limit?.timer = nil
                limit?.action = nil
            }
            return (limit?.timer, limit?.action)
        }
        // Released outside the lock, since it may hold the last reference to the request.
        withExtendedLifetime(action) { timer?.cancel() }
    }

    /// The deadline of the request with its limit, once it is known.
    var deadline: (instant: MonotonicInstant, limit: Duration)? { withLimit { $0?.deadline } }

    /// Returns whether the request's deadline is later than `delay` from now.
    func hasTime(for delay: Duration) -> Bool {
        guard let deadline else { return true }
        return now.advanced(by: delay) < deadline.instant
    }
}
