internal import Foundation
internal import HTTPTypes

/// The attempts at one request, one after the other: adapt, attempt, and ask the retriers what becomes of it.
///
/// ```
///   adapt ─→ attempt ─→ settle ─→ retriers ─→ the outcome
///     ↑                              │
///     └──── a place ←── a delay ←────┘
/// ```
///
/// It begins with a place among the requests in flight. While an answer is settled, while retriers think and while a retry
/// waits for its time it has none, and it ends without one; but for an answer that goes on holding its own. Meanwhile it
/// counts as absent, so that its session, when it is shut down, gives it its time and sends it away at the end of that.
struct AttemptLoop<Work: AttemptedWork>: Sendable {
    let work: Work
    let interception: Interception

    private var core: SessionCore { work.core }

    private var context: RequestContext { work.context }

    private enum Verdict {
        case stands
        case ends(ApusError)
        case again(after: Duration)
    }

    /// Runs where its caller does, since to leave that and come back costs more than most adapters and retriers; those that
    /// may wait, and the attempts, leave it themselves.
    ///
    /// `adapted` is what adapters made of the request for its first attempt; `nil` where they were not asked yet.
    @inline(__always)
    func run(
        _ original: RequestMessage,
        adapted: Result<RequestMessage, ApusError>? = nil
    ) async -> AttemptOutcome<Work.Answer> {
        let outcome = await once(original, adapted)
        return isOpen(after: outcome) ? await settled(outcome, of: original) : outcome
    }

    /// Gives the place back; returns whether anybody has something to say of the outcome, or to make of it.
    private func isOpen(after outcome: AttemptOutcome<Work.Answer>) -> Bool {
        let isOpen = !interception.retriers.isEmpty && (outcome.isOfInterest || work.settles)
        if !keepsPlace(outcome) { core.roster.leave(isAbsent: isOpen && !work.hasHandle) }
        return isOpen
    }

    private func keepsPlace(_ outcome: AttemptOutcome<Work.Answer>) -> Bool { work.holdsPlace && outcome.isSuccess }

    /// What becomes of an attempt, and of those that follow it: most requests never get here.
    private func settled(
        _ outcome: AttemptOutcome<Work.Answer>,
        of original: RequestMessage
    ) async -> AttemptOutcome<Work.Answer> {
        var (outcome, original) = (outcome, original)
        repeat {
            var failure = outcome.result.failure
            if let answer = outcome.answer {
                let settlement = await work.settle(answer, to: outcome.request)
                outcome.isSettled = true
                guard case .settled(let error) = settlement else { return outcome }
                failure = error
            }
            let keepsPlace = keepsPlace(outcome)
            let verdict = await verdict(on: outcome, failure)
            if case .stands = verdict {
                if !keepsPlace, !work.hasHandle { core.roster.endAbsence() }
                return outcome
            }
            await work.rewind(outcome.answer)
            if keepsPlace { core.roster.leave(isAbsent: true) }
            do throws(ApusError) {
                defer { if !work.hasHandle { core.roster.endAbsence() } }
                let isTold = outcome.isSettled && work.hasHandle
                original = try await request(after: verdict, on: original, dueTo: failure, isTold: isTold)
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

    // MARK: An attempt

    // A function of its own would be one more that has to find out where it runs.
    @inline(__always)
    private func once(
        _ original: RequestMessage,
        _ adapted: Result<RequestMessage, ApusError>?
    ) async -> AttemptOutcome<Work.Answer> {
        let request: RequestMessage
        do throws(ApusError) {
            if let adapted {
                request = try adapted.get()
            } else {
                request = try await Adaptation(context: context, interception: interception).run(original)
            }
        } catch {
            return AttemptOutcome(request: original, result: .failure(error))
        }
        do throws(ApusError) {
            if !interception.retriers.isEmpty { context.environment.retryLedger?.noteAttempt(at: context.time.now) }
            let cause: HopCause = context.retryCount == 0 ? .first : .retry
            let answer =
                if let home = work.home, home.isIdentical(to: request.target) {
                    try await work.attempt(request, because: cause)
                } else {
                    try await core.onExecutor(for: request.target.origin) { () async throws(ApusError) in
                        try await work.attempt(request, because: cause)
                    }
                }
            let isOfInterest = interception.mayReconsider(work.status(of: answer))
            return AttemptOutcome(request: request, result: .success(answer), isOfInterest: isOfInterest)
        } catch {
            return AttemptOutcome(request: request, result: .failure(error))
        }
    }

    // MARK: What becomes of it

    /// The first retrier that decides; a request that was given up is offered to none.
    private func verdict(on outcome: AttemptOutcome<Work.Answer>, _ failure: ApusError?) async -> Verdict {
        let retriers = failure == nil ? interception.reconsiderers : interception.retriers
        guard !retriers.isEmpty, !Task.isCancelled, failure?.phase != .cancelled else { return .stands }
        // Most answers concern nobody, and are not described for that.
        guard failure != nil || outcome.isOfInterest else { return .stands }
        let attempt = attempt(outcome, failure)
        do throws(ApusError) {
            for retrier in retriers {
                switch try await ask(retrier, attempt, failure) {
                case .doNotRetry: continue
                case .retry: return .again(after: .zero)
                case .retryWithDelay(let delay):
                    // A retry that the deadline would cut off is not waited for: the outcome there is stands.
                    if context.hasTime(for: delay) { return .again(after: delay) }
                case .doNotRetryWithError(let error): return .ends(failureToRetry(error, attempt, failure))
                }
            }
            return .stands
        } catch {
            return .ends(error.because(of: failure))
        }
    }

    private func ask(
        _ asked: Interception.Asked,
        _ attempt: RequestAttempt,
        _ failure: ApusError?
    ) async throws(ApusError) -> RetryResult {
        if let retrier = asked.prompt { return retrier.decision(attempt, dueTo: failure) }
        if failure == nil, let retrier = asked.selective, !retrier.mayReconsider(attempt) { return .doNotRetry }
        return try await UserCode(environment: core.environment).run {
            if let failure { return await asked.retrier.retry(attempt, dueTo: failure) }
            return await asked.reconsiderer?.reconsider(attempt) ?? .doNotRetry
        }
    }

    private func attempt(_ outcome: AttemptOutcome<Work.Answer>, _ failure: ApusError?) -> RequestAttempt {
        let glimpse = outcome.answer.map { work.glimpse(of: $0) }
        return RequestAttempt(
            request: outcome.request,
            head: glimpse?.head ?? failure?.response.map { ResponseHead(status: $0.status, fields: $0.headerFields) },
            data: glimpse?.data ?? failure?.data,
            fileURL: glimpse?.fileURL,
            retryCount: context.retryCount,
            context: context
        )
    }

    private func failureToRetry(
        _ error: any Error,
        _ attempt: RequestAttempt,
        _ failure: ApusError?
    ) -> ApusError {
        let cause = RetryFailure(retryError: error, originalError: failure)
        return ApusError(.retryFailed, "a retrier says \(Redaction.text(String(describing: error)))", underlying: cause)
            .with(response: attempt.response, data: attempt.data)
    }

    /// What is attempted next, once its time has come and there is a place for it.
    ///
    /// `isTold`: whether monitors know already that the attempt is over.
    private func request(
        after verdict: Verdict,
        on original: RequestMessage,
        dueTo failure: ApusError?,
        isTold: Bool
    ) async throws(ApusError) -> RequestMessage {
        let delay: Duration
        switch verdict {
        case .stands: return original
        case .ends(let error): throw error
        case .again(let wanted): delay = wanted
        }
        if !work.isRemade { try checkReplay(of: original, dueTo: failure) }
        context.noteRetry()
        if !isTold { context.post(.completed(failure)) }
        context.post(.retrying(after: delay, dueTo: failure))
        do throws(ApusError) {
            try await wait(delay)
            let request = try await work.remake()
            try checkReplay(of: request, dueTo: failure)
            try await core.enter(again: true)
            return request
        } catch {
            throw error.because(of: failure)
        }
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
        let counters = core.environment.counters
        counters.add(to: .timers)
        let time = context.time
        let end = time.now.advanced(by: delay)
        let outcome = Deferred<Result<Void, ApusError>>()
        // In a task of its own: who shuts the session down can wake that one.
        let sleep = Task {
            try? await time.sleep(until: end)
            counters.remove(from: .timers)
            outcome.fulfill(.success(()))
        }
        try await core.roster.pausing(until: outcome) { error in
            outcome.fulfill(.failure(error))
            sleep.cancel()
        }
    }
}

extension ApusError {
    /// The error with the failure that it followed upon as its cause, and the answer that failed.
    fileprivate func because(of failure: ApusError?) -> ApusError {
        guard let failure, underlying == nil else { return self }
        var error = self
        error.contents.underlying = failure
        return error.with(response: response ?? failure.response, data: data ?? failure.data)
    }
}
