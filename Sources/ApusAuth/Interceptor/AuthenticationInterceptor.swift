public import ApusCore

/// Adds a credential that can expire to requests, refreshes it in time, and retries requests that were refused with an
/// outdated one.
///
/// ```swift
/// let authenticator = OAuthAuthenticator()
/// let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: storedCredential)
/// var configuration = Session.Configuration()
/// configuration.interceptor = interceptor
/// let session = Session(configuration: configuration)
/// ```
///
/// If several requests find the credential expired or are refused, it is refreshed only once. During a refresh, new
/// requests wait and then use the new credential. A cancelled request stops waiting at once. A request that was refused
/// with another credential than the current one is retried without a refresh. If a refresh fails, all waiting requests
/// fail with its error as the cause of theirs, and the next request tries another refresh.
///
/// A service that refuses every credential does not cause endless retries. A request is retried at most three times in
/// a row, and at most one of these retries follows a refresh. After that, the refusal is the outcome. The
/// `RefreshWindow` limits the refreshes of all requests together. A request whose body cannot be sent again stays
/// refused, but the credential is still refreshed for later requests.
///
/// A refusal counts whether or not the response is validated, so the interceptor also inspects successful requests,
/// such as direct calls. `adapt` and `retry` wait until a refresh completes.
///
/// Requests that an `Authenticator` sends to refresh, through a session with this interceptor, are sent unchanged.
public final class AuthenticationInterceptor<A: Authenticator>: RequestInterceptor, ResponseRetrier {
    private typealias Machine = AuthenticationStateMachine<A.Credential>

    private let authenticator: A
    private let state: Lock<Machine>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - authenticator: Applies and refreshes the credential.
    ///   - credential: The first credential. Without one, requests fail with `AuthenticationError.missingCredential`.
    ///     Default: `nil`.
    ///   - refreshWindow: The limit of refreshes. `nil` means no limit. Default: 5 refreshes in 30 s.
    public init(
        authenticator: A,
        credential: A.Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow(interval: .seconds(30), maximumAttempts: 5)
    ) {
        self.authenticator = authenticator
        self.state = Lock(AuthenticationStateMachine(credential, window: refreshWindow))
    }

    /// The current credential. It may be set at any time: when the user signs in or, to `nil`, signs out.
    ///
    /// A credential set during a refresh supersedes the result of the refresh. Waiting requests continue with it.
    public var credential: A.Credential? {
        get { state.withLock { $0.credential } }
        set { state.withLock { $0.replace(newValue) }.resumeWaiters() }
    }

    /// The number of requests that wait for a refresh.
    var waiterCount: Int { state.withLock { $0.waiterCount } }

    /// The refreshes that have not completed.
    var running: [RefreshMark] { state.withLock { $0.running } }

    /// The credential state for a request, or `nil` for a request made by a running refresh, which is sent unchanged.
    private var offer: Machine.Offer? {
        let (offer, running) = state.withLock { ($0.offer, $0.running) }
        // Usually no refresh is running, and the task-local value need not be read.
        return running.contains { $0.isAround } ? nil : offer
    }

    // MARK: Adaptation

    /// Adds the credential to a request, after a refresh if necessary.
    ///
    /// - Throws: `AuthenticationError`, an error of the authenticator, or `CancellationError`.
    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        guard authenticator.authenticates(request) else { return request }
        // A refreshed credential is used once, even if it is already expired by the local clock.
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
                let wait = state.withLock { $0.refresh(version, waiter, now: now) }
                outcome = await result(of: waiter, wait, context)
            case .refreshing(let mark):
                try Task.checkCancellation()
                let waiter = Machine.Waiter()
                outcome = await result(of: waiter, state.withLock { $0.join(mark, waiter) }, context)
            }
            switch outcome {
            case .refreshed(let version): refreshed = version
            case .replaced, nil: continue
            case .failed(let error): throw Self.cause(error)
            case .cancelled: throw CancellationError()
            }
        }
    }

    /// Wraps an error of another request: its URL and response do not belong to this one.
    private static func cause(_ error: any Error) -> any Error {
        guard let error = error as? ApusError else { return error }
        return ApusError(.adaptationFailed, "its credential could not be refreshed: \(error)", underlying: error)
    }

    // MARK: Retries

    /// Decides whether a failed request is retried.
    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        await decide(attempt, error)
    }

    /// Decides whether a request is retried whose response was not validated.
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
                switch await result(of: waiter, wait, attempt.context) {
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

    /// Returns the decision, or `nil` if there is no credential.
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
                if let (credential, mark) = refresh { begin(credential, mark, context) }
                return .stand
            }
            return state.withLock {
                $0.refused(context, comparedWith: version, carriedIt: carriedIt, waiter, now: now)
            }
        }
    }

    // MARK: Refreshing

    /// Returns the outcome for a waiter, or `nil` if the state has changed and must be read again.
    private func result(
        of waiter: Machine.Waiter,
        _ wait: Machine.Wait,
        _ context: RequestContext
    ) async -> Machine.Outcome? {
        switch wait {
        case .join: break
        case .begin(let credential, let mark): begin(credential, mark, context)
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

    /// Refreshes in a separate task, which inherits the task-local values of the request that caused the refresh.
    private func begin(_ credential: A.Credential, _ mark: RefreshMark, _ context: RequestContext) {
        let session = context.session
        Task {
            let release: Machine.Release?
            do {
                let next = try await mark.around { try await authenticator.refresh(credential, for: session) }
                release = state.withLock { $0.refreshed(mark, next) }
            } catch {
                let error = Self.waiterError(error)
                release = state.withLock { $0.failed(mark, error) }
            }
            release?.resumeWaiters()
            mark.end.fulfill(())
        }
    }

    /// Returns the error for the waiters. They were not cancelled, so a cancelled refresh becomes another error.
    private static func waiterError(_ error: any Error) -> any Error {
        let isCancelled = error is CancellationError || (error as? ApusError)?.isCancelled == true
        return isCancelled ? AuthenticationError.refreshCancelled : error
    }
}

// The default reflection could print tokens.

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    /// Whether there is a credential, without revealing it.
    public var description: String { credential == nil ? "no credential" : "credential \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

// The common case, a valid credential and an accepted response, does not leave the event loop.

extension AuthenticationInterceptor: SynchronousAdapter, SynchronousRetrier {
    public func adaptNow(_ request: inout RequestMessage, context: RequestContext) throws -> Bool {
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

    public func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
        // The record of a retried request that is now accepted must be removed.
        error != nil || attempt.retryCount > 0 || isRefusal(attempt, nil) ? nil : .doNotRetry
    }
}
