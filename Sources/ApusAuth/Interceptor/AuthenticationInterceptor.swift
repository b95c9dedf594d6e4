public import ApusCore

/// Gives requests a credential that expires, refreshes it in time, and sends requests again that were refused with an old
/// one.
///
/// ```swift
/// let authenticator = OAuthAuthenticator(session: Session())
/// let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: storedCredential)
/// var configuration = Session.Configuration()
/// configuration.interceptor = interceptor
/// let session = Session(configuration: configuration)
/// ```
///
/// However many requests find the credential expired, or are refused, there is one refresh. While it is under way no request
/// is given a credential: all wait, and go on with the new one; who is cancelled stops waiting at once. A request that was
/// refused with another credential than the present one goes again without a refresh. Where a refresh fails, all who wait
/// fail with its error (the cause of theirs), and whoever comes next tries anew.
///
/// A service that refuses every credential does not cause endless requests: a request is retried three times in a row
/// at most, and one refresh at most is among the reasons. After that the refusal is the outcome. The `RefreshWindow`
/// limits the refreshes of all requests together. A request whose content can't be sent again stays refused; the
/// credential is refreshed for later requests.
///
/// A refusal counts whether it failed validation or nobody asked for validation, as with direct calls: the interceptor looks
/// at successes too. It waits in `adapt` and `retry` as long as a refresh takes.
///
/// What an `Authenticator` asks of a session with this interceptor, while it refreshes, is sent as it is and does not wait.
public final class AuthenticationInterceptor<A: Authenticator>: RequestInterceptor, ResponseRetrier {
    private typealias Machine = AuthenticationStateMachine<A.Credential>

    private let authenticator: A
    private let state: Lock<Machine>

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - authenticator: Knows how a credential is applied and refreshed.
    ///   - credential: The first credential; with `nil` (the default) requests fail with
    ///     `AuthenticationError.missingCredential` until there is one.
    ///   - refreshWindow: How often there may be a refresh; 5 times in 30 s by default, any number with `nil`.
    public init(
        authenticator: A,
        credential: A.Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow(interval: .seconds(30), maximumAttempts: 5)
    ) {
        self.authenticator = authenticator
        self.state = Lock(AuthenticationStateMachine(credential, window: refreshWindow))
    }

    /// The credential that counts; it may be set at any time: when somebody signs in or, to `nil`, out.
    ///
    /// One that is set while a refresh is under way counts instead of what the refresh gives. Who waits goes on with it.
    public var credential: A.Credential? {
        get { state.withLock { $0.credential } }
        set { state.withLock { $0.replace(newValue) }.tell() }
    }

    /// How many requests wait for a refresh.
    var waiterCount: Int { state.withLock { $0.waiterCount } }

    /// The refreshes that have not come to their end.
    var running: [RefreshMark] { state.withLock { $0.running } }

    /// What there is for a request; `nil` where it is part of a refresh, even of one that was overtaken: it is left as it is.
    private var offer: Machine.Offer? {
        let (offer, running) = state.withLock { ($0.offer, $0.running) }
        // Mostly there is none, and the task is not asked.
        return running.contains { $0.isAround } ? nil : offer
    }

    // MARK: Before a request is sent

    /// Gives a request the credential, refreshed where it has to be.
    ///
    /// - Throws: `AuthenticationError`, what the authenticator threw, or `CancellationError`.
    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        guard authenticator.authenticates(request) else { return request }
        // What a refresh gave is used once, even where it should have expired by the clock of this machine.
        var refreshed: Int?
        while true {
            let outcome: Machine.Outcome?
            switch offer {
            case nil:
                return request
            case .missing:
                throw AuthenticationError.missingCredential
            case .credential(let credential, let version):
                guard version != refreshed, credential.requiresRefresh(at: context.time.wallClock) else {
                    var request = request
                    try authenticator.apply(credential, to: &request)
                    return request
                }
                try Task.checkCancellation()
                let (waiter, now) = (Machine.Waiter(), context.time.now)
                outcome = await result(of: waiter, state.withLock { $0.refresh(version, waiter, now: now) })
            case .refreshing(let mark):
                try Task.checkCancellation()
                let waiter = Machine.Waiter()
                outcome = await result(of: waiter, state.withLock { $0.join(mark, waiter) })
            }
            switch outcome {
            case .refreshed(let version): refreshed = version
            case .replaced, nil: continue
            case .failed(let error): throw Self.cause(error)
            case .cancelled: throw CancellationError()
            }
        }
    }

    /// Another request's error is the cause of this one's, and not the same: its URL and answer are not this one's.
    private static func cause(_ error: any Error) -> any Error {
        guard let error = error as? ApusError else { return error }
        return ApusError(.adaptationFailed, "its credential could not be refreshed: \(error)", underlying: error)
    }

    // MARK: After an answer

    /// Says whether a request goes again that failed.
    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        await decide(attempt, error)
    }

    /// Says whether a request goes again whose answer was not validated.
    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
        await decide(attempt, nil)
    }

    private func decide(_ attempt: RequestAttempt, _ error: ApusError?) async -> RetryResult {
        guard isRefusal(attempt, error) else {
            state.withLock { $0.forget(attempt.context.id) }
            return .doNotRetry
        }
        while !Task.isCancelled {
            let waiter = Machine.Waiter()
            switch verdict(on: attempt, waiter) {
            case .goAgain: return .retry
            case .stand: return .doNotRetry
            case nil: return .doNotRetryWithError(AuthenticationError.missingCredential)
            case .wait(let wait):
                switch await result(of: waiter, wait) {
                case .refreshed: return .retry
                case .replaced where credential == nil:
                    return .doNotRetryWithError(AuthenticationError.missingCredential)
                case .replaced: return .retry
                case .failed(let error): return .doNotRetryWithError(error)
                case .cancelled: return .doNotRetry
                case nil: continue
                }
            }
        }
        return .doNotRetry
    }

    private func isRefusal(_ attempt: RequestAttempt, _ error: ApusError?) -> Bool {
        guard let response = attempt.response, authenticator.authenticates(attempt.request) else { return false }
        return authenticator.didRequest(attempt, with: response, failDueToAuthenticationError: error)
    }

    /// `nil` where there is no credential.
    private func verdict(on attempt: RequestAttempt, _ waiter: Machine.Waiter) -> Machine.Verdict? {
        let context = attempt.context
        let canGoAgain = attempt.request.body.isReplayable
        switch offer {
        case nil:
            return .stand
        case .missing:
            return nil
        case .refreshing(let mark):
            guard canGoAgain else { return .stand }
            return state.withLock { $0.join(mark, waiter, refused: context) }
        case .credential(let credential, let version):
            let carriedIt = authenticator.isRequest(attempt.request, authenticatedWith: credential)
            let now = context.time.now
            guard canGoAgain else {
                let refresh = carriedIt ? state.withLock { $0.refreshForOthers(version, now: now) } : nil
                if let (credential, mark) = refresh { begin(credential, mark) }
                return .stand
            }
            return state.withLock {
                $0.refused(context, comparedWith: version, carriedIt: carriedIt, waiter, now: now)
            }
        }
    }

    // MARK: Refreshing

    /// What a waiter waits for; `nil` where it is nothing, and all has to be looked at again.
    private func result(of waiter: Machine.Waiter, _ wait: Machine.Wait) async -> Machine.Outcome? {
        switch wait {
        case .join: break
        case .begin(let credential, let mark): begin(credential, mark)
        case .excessive: return .failed(AuthenticationError.excessiveRefresh)
        case .lookAgain: return nil
        }
        return await withTaskCancellationHandler {
            await waiter.value
        } onCancel: {
            state.withLock { $0.withdraw(waiter) }
            waiter.fulfill(.cancelled)
        }
    }

    /// Refreshes in a task of its own, which has the task-local values of the request that was first.
    private func begin(_ credential: A.Credential, _ mark: RefreshMark) {
        Task {
            let release: Machine.Release?
            do {
                let next = try await mark.around { try await authenticator.refresh(credential) }
                release = state.withLock { $0.refreshed(mark, next) }
            } catch {
                let told = Self.told(error)
                release = state.withLock { $0.failed(mark, told) }
            }
            release?.tell()
            mark.end.fulfill(())
        }
    }

    /// The error of a refresh as those are told it who waited: they were not cancelled.
    private static func told(_ error: any Error) -> any Error {
        let isCancelled = error is CancellationError || (error as? ApusError)?.isCancelled == true
        return isCancelled ? AuthenticationError.refreshCancelled : error
    }
}

// Left to reflection, it could print tokens.

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    /// Whether it has a credential; nothing of it.
    public var description: String { credential == nil ? "no credential" : "credential \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

// Mostly the credential is there and fresh, and the answer no refusal: for that no request leaves its loop.

extension AuthenticationInterceptor: EagerAdapter, SelectiveRetrier {
    package var adaptation: EagerAdaptation? {
        EagerAdaptation { request, context in try self.adaptAtOnce(&request, context: context) }
    }

    func adaptAtOnce(_ request: inout RequestMessage, context: RequestContext) throws -> Bool {
        guard authenticator.authenticates(request) else { return true }
        switch offer {
        case nil: return true
        case .missing: throw AuthenticationError.missingCredential
        case .credential(let credential, _):
            guard !credential.requiresRefresh(at: context.time.wallClock) else { return false }
            try authenticator.apply(credential, to: &request)
            return true
        case .refreshing: return false
        }
    }

    package func mayReconsider(_ attempt: RequestAttempt) -> Bool {
        // What went again because it was refused, and is no more, is forgotten.
        attempt.retryCount > 0 || isRefusal(attempt, nil)
    }
}
