internal import Foundation
internal import HTTPTypes

/// Runs the attempts at one request, one after the other: adapts the request, attempts it, and calls the retriers.
///
/// ```
///   adapt ─→ attempt ─→ process ─→ retriers ─→ the outcome
///     ↑                               │
///     └──── a slot ←── a delay ←──────┘
/// ```
///
/// It begins with a slot. It holds none while a response is serialized, while retriers decide or during a retry delay,
/// and ends without one. Only a response that keeps its slot is an exception. Without a slot the request counts as
/// retrying, so that a session that shuts down waits for it in its grace period and cancels it afterwards.
struct AttemptLoop<C: Call>: Sendable {
    let call: C
    let interceptors: InterceptorSet

    private var core: SessionCore { call.core }

    private var context: RequestContext { call.context }

    private enum Verdict {
        case stands
        case ends(ApusError)
        case again(after: Duration)
    }

    /// Runs on the caller's executor, since a change costs more than most adapters and retriers take. Attempts, and
    /// interceptors that may wait, change the executor themselves.
    ///
    /// `adapted` is the adapted request of the first attempt. `nil` if the adapters have not run yet.
    @inline(__always)
    func run(
        _ original: RequestMessage,
        adapted: Result<RequestMessage, ApusError>? = nil
    ) async -> AttemptOutcome<C.Output> {
        let outcome = await once(original, adapted)
        guard isOpen(after: outcome) else { return outcome }
        return await retried(consume outcome, of: original)
    }

    /// Releases the slot. Returns whether the retriers or the serializers still have to see the outcome.
    private func isOpen(after outcome: AttemptOutcome<C.Output>) -> Bool {
        let isOpen = !interceptors.retriers.isEmpty && (outcome.isOfInterest || call.handle != nil)
        if !keepsSlot(outcome) { core.limiter.leave(isRetrying: isOpen && call.handle == nil) }
        return isOpen
    }

    private func keepsSlot(_ outcome: AttemptOutcome<C.Output>) -> Bool { call.keepsSlot && outcome.isSuccess }

    /// Returns the outcome of an attempt and of its retries. Most requests never get here.
    private func retried(
        _ outcome: consuming AttemptOutcome<C.Output>,
        of original: consuming RequestMessage
    ) async -> AttemptOutcome<C.Output> {
        repeat {
            var failure = outcome.result.failure
            if let output = outcome.output {
                let result = await call.process(output, of: outcome.request)
                outcome.isProcessed = true
                guard case .processed(let error) = result else { return outcome }
                failure = error
            }
            let keepsSlot = keepsSlot(outcome)
            // Most responses concern no retrier, so they need no description.
            let isOfInterest = failure != nil || outcome.isOfInterest
            let verdict = isOfInterest ? await verdict(on: outcome, failure) : .stands
            if case .stands = verdict {
                if !keepsSlot, call.handle == nil { core.limiter.endRetrying() }
                return outcome
            }
            await call.reset(outcome.output)
            if keepsSlot { core.limiter.leave(isRetrying: true) }
            do throws(ApusError) {
                defer { if call.handle == nil { core.limiter.endRetrying() } }
                original = try await request(after: verdict, on: original, outcome, dueTo: failure)
            } catch {
                return AttemptOutcome(
                    request: outcome.request,
                    result: .failure(error.about(method: original.method, target: original.target))
                )
            }
            outcome = await once(original, nil)
        } while isOpen(after: outcome)
        return outcome
    }

    // MARK: Attempts

    // Inlined, since another async function would be one more that checks its executor.
    @inline(__always)
    private func once(
        _ original: RequestMessage,
        _ adapted: Result<RequestMessage, ApusError>?
    ) async -> AttemptOutcome<C.Output> {
        let request: RequestMessage
        do throws(ApusError) {
            if let adapted {
                request = try adapted.get()
            } else {
                request = try await Adaptation(context: context, interceptors: interceptors).run(original)
            }
        } catch {
            return AttemptOutcome(request: original, result: .failure(error))
        }
        do throws(ApusError) {
            if !interceptors.retriers.isEmpty { context.environment.retryLedger?.noteAttempt(at: context.now) }
            let cause: ExchangeCause = context.retryCount == 0 ? .first : .retry
            let output = try await attempt(request, of: original, because: cause)
            let isOfInterest = interceptors.mayReconsider(call.status(of: output))
            return AttemptOutcome(request: request, result: .success(output), isOfInterest: isOfInterest)
        } catch {
            return AttemptOutcome(request: request, result: .failure(error))
        }
    }

    /// Makes an attempt, within the time limit that an adapter may have set.
    @inline(__always)
    private func attempt(
        _ request: RequestMessage,
        of original: RequestMessage,
        because cause: ExchangeCause
    ) async throws(ApusError) -> C.Output {
        let limit = limitToKeep(request)
        // An adapter may have cancelled the request. Once its timer has ended, a limited attempt would outlive its slot.
        guard interceptors.adapters.isEmpty || !Task.isCancelled else { throw CancelReason.task.error }
        if let limit { return try await attempt(request, because: cause, within: limit) }
        // The task of a handle starts on the executor of the request's origin, which few adapters change.
        let isThere = call.handle != nil && cause == .first && request.target.isIdentical(to: original.target)
        return try await call.attemptOnExecutor(request, because: cause, isThere: isThere)
    }

    /// Returns the time limit that the attempt has to keep, if no timer ends the request.
    private func limitToKeep(_ request: borrowing RequestMessage) -> Duration? {
        guard !interceptors.adapters.isEmpty, let limit = context.changeLimit(core.timeLimit(for: request.options))
        else { return nil }
        guard let handle = call.handle else { return limit }
        handle.startDeadline(limit)
        return nil
    }

    @inline(never)
    private func attempt(
        _ request: RequestMessage,
        because cause: ExchangeCause,
        within limit: Duration
    ) async throws(ApusError) -> C.Output {
        guard context.hasTime(for: .zero) else { throw CancelReason.deadline(limit).error }
        let call = call
        let discardLate = { @Sendable (output: C.Output) in call.discard(output) }
        return try await core.bounded(by: limit, of: context, to: request.target.origin, late: discardLate) {
            () async throws(ApusError) in
            try await call.attemptOnExecutor(request, because: cause)
        }
    }

    // MARK: The decision of the retriers

    /// Returns the decision of the first retrier that makes one. None is called for a cancelled request.
    private func verdict(on outcome: AttemptOutcome<C.Output>, _ failure: ApusError?) async -> Verdict {
        let retriers = failure == nil ? interceptors.reconsiderers : interceptors.retriers
        guard !retriers.isEmpty, !Task.isCancelled, failure?.phase != .cancelled else { return .stands }
        let attempt = attempt(outcome, failure)
        do throws(ApusError) {
            for retrier in retriers {
                let decision = try await ask(retrier, attempt, failure)
                if let verdict = verdict(decision, dueTo: failure, attempt) { return verdict }
            }
            return .stands
        } catch {
            return .ends(error.because(of: failure))
        }
    }

    /// Returns the verdict of one retrier, or `nil` if the next one decides.
    private func verdict(
        _ decision: RetryResult,
        dueTo failure: ApusError?,
        _ attempt: RequestAttempt? = nil
    ) -> Verdict? {
        switch decision {
        case .doNotRetry: nil
        // A retry that the deadline would cut off is pointless, so the next retrier decides.
        case .retry: context.hasTime(for: .zero) ? .again(after: .zero) : nil
        case .retryWithDelay(let delay): context.hasTime(for: delay) ? .again(after: delay) : nil
        case .doNotRetryWithError(let error): .ends(failureToRetry(error, attempt, failure))
        }
    }

    private func ask(
        _ entry: InterceptorSet.RetrierEntry,
        _ attempt: RequestAttempt,
        _ failure: ApusError?
    ) async throws(ApusError) -> RetryResult {
        if let decision = entry.synchronous?.decision(attempt, dueTo: failure) { return decision }
        return try await UserCode(environment: core.environment).run {
            if let failure { return await entry.retrier.retry(attempt, dueTo: failure) }
            return await entry.reconsiderer?.reconsider(attempt) ?? .doNotRetry
        }
    }

    private func attempt(_ outcome: AttemptOutcome<C.Output>, _ failure: ApusError?) -> RequestAttempt {
        if let output = outcome.output { return call.requestAttempt(at: outcome.request, output) }
        let head = failure?.response.map { ResponseHead($0) }
        return RequestAttempt(request: outcome.request, head: head, data: failure?.data, context: context)
    }

    private func failureToRetry(
        _ error: any Error,
        _ attempt: RequestAttempt?,
        _ failure: ApusError?
    ) -> ApusError {
        let cause = RetryFailure(retryError: error, originalError: failure)
        return ApusError(
            .retryFailed,
            "a retrier failed: \(Redaction.text(String(describing: error)))",
            underlying: cause
        )
        .with(response: attempt?.response, data: attempt?.data)
    }

    /// Returns the request of the next attempt, after the retry delay and once it has a slot.
    private func request(
        after verdict: Verdict,
        on original: RequestMessage,
        _ outcome: AttemptOutcome<C.Output>,
        dueTo failure: ApusError?
    ) async throws(ApusError) -> RequestMessage {
        let delay: Duration
        switch verdict {
        case .stands: return original
        case .ends(let error): throw error
        case .again(let wanted): delay = wanted
        }
        if call.handle?.rebuildsRequest != true { try checkReplay(of: original, dueTo: failure) }
        context.noteRetry()
        // The monitors were already notified of a response that was serialized.
        if call.handle == nil || !outcome.isProcessed { context.post(.completed(summary(of: outcome, failure))) }
        context.post(.retrying(after: delay, dueTo: failure))
        do throws(ApusError) {
            try await wait(delay)
            let request = try await rebuilt(original)
            try checkReplay(of: request, dueTo: failure)
            try await core.enter(again: true, with: request.options)
            return request
        } catch {
            throw error.because(of: failure)
        }
    }

    // MARK: Building

    /// Returns the request of another attempt. That of a handle may be built again.
    private func rebuilt(_ original: RequestMessage) async throws(ApusError) -> RequestMessage {
        guard let handle = call.handle else { return original }
        do throws(ApusError) {
            return try await handle.rebuildRequest()
        } catch {
            return try await rebuilt(after: error)
        }
    }

    /// Builds the request of a handle again, until it succeeds or no retrier asks for it. Runs without a slot.
    func rebuilt(after failure: ApusError) async throws(ApusError) -> RequestMessage {
        guard let handle = call.handle, handle.rebuildsRequest else { throw failure }
        var failure = failure
        while true {
            switch try await verdict(onBuilding: failure) {
            case .stands: throw failure
            case .ends(let error): throw error
            case .again(let delay):
                context.noteRetry()
                context.post(.retrying(after: delay, dueTo: failure))
                do throws(ApusError) { try await wait(delay) } catch { throw error.because(of: failure) }
            }
            // A retrier without a delay must not keep a thread to itself.
            await Task.yield()
            do throws(ApusError) { return try await handle.rebuildRequest() } catch { failure = error }
        }
    }

    private func verdict(onBuilding failure: ApusError) async throws(ApusError) -> Verdict {
        guard failure.phase != .cancelled else { return .stands }
        for entry in interceptors.retriers {
            guard !Task.isCancelled else { return .stands }
            let decision = try await UserCode(environment: core.environment).run {
                await entry.retrier.retryCreation(dueTo: failure, context: context)
            }
            if let verdict = verdict(decision, dueTo: failure) { return verdict }
        }
        return .stands
    }

    private func summary(of outcome: AttemptOutcome<C.Output>, _ failure: ApusError?) -> ResponseSummary {
        let attempt = attempt(outcome, failure)
        return context.summary(of: RawResponse(attempt, metrics: context.metrics, error: failure))
    }

    private func checkReplay(of request: RequestMessage, dueTo failure: ApusError?) throws(ApusError) {
        do throws(ApusError) {
            _ = try request.body.replayed(for: "the retry")
        } catch {
            throw error.because(of: failure)
        }
    }

    private func wait(_ delay: Duration) async throws(ApusError) {
        guard delay > .zero else { return }
        let outcome = Deferred<Result<Void, ApusError>>()
        // Not the task's own sleep, so that a session's shutdown can end it.
        let timer = DeadlineTimer(at: context.now.advanced(by: delay), in: core.environment) {
            outcome.fulfill(.success(()))
        }
        try await core.limiter.pausing(until: outcome) { error in
            outcome.fulfill(.failure(error))
            timer.cancel()
        }
    }
}

extension ApusError {
    /// Returns the error with the earlier failure as its cause, and with the failed response.
    func because(of failure: ApusError?) -> ApusError {
        guard let failure, underlying == nil else { return self }
        var error = self
        error.contents.underlying = failure
        return error.with(response: response ?? failure.response, data: data ?? failure.data)
    }
}
