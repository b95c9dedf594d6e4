internal import ApusCore

/// The state of an interceptor: the credential, its refresh, and the refused requests.
///
/// ```
///   refresh   none → under way → none            on success, on failure, or when a credential is set
///   waiter    waiting → released | withdrawn     a refresh releases all of its waiters at once
///   request   refused → sent again … → stands    removed when a response is not a refusal
/// ```
///
/// A failed refresh changes nothing, but it counts in the window. A refresh that is superseded by a credential from
/// outside still runs to completion, so several refreshes can run at once.
struct AuthenticationStateMachine<Credential: Sendable> {
    /// The result of a refresh for a waiter.
    enum Outcome: Sendable {
        /// The refresh succeeded. The new credential has that version.
        case refreshed(version: Int)
        /// The credential was set or removed from outside, which supersedes the refresh.
        case replaced
        case failed(any Error)
        /// The waiter was cancelled.
        case cancelled
    }

    typealias Waiter = Deferred<Outcome>

    /// The waiters to resume and their outcome. They are resumed after the lock is released.
    struct Release: Sendable {
        var waiters: [Waiter] = []
        let outcome: Outcome

        func resumeWaiters() {
            for waiter in waiters { waiter.fulfill(outcome) }
        }
    }

    private struct Refresh {
        let mark: RefreshMark
        /// The waiters, numbered in order of arrival.
        var waiters: [ObjectIdentifier: (number: Int, waiter: Waiter)] = [:]
        var nextNumber = 0

        mutating func add(_ waiter: Waiter) {
            waiters[ObjectIdentifier(waiter)] = (nextNumber, waiter)
            nextNumber += 1
        }
    }

    /// The history of a refused request.
    private struct History {
        weak var request: RequestContext?
        /// The number of times that it was sent again since its last accepted response.
        var turns = 0
        /// Whether it has waited for a refresh.
        var hasWaited = false
        /// The version of the credential that it was last sent again with.
        var version: Int?
    }

    /// The maximum number of times in a row that a request is sent again, for any reason.
    static var turnLimit: Int { 3 }

    private(set) var credential: Credential?
    /// The version of the credential, which increases with each change.
    private(set) var version = 0
    private var refresh: Refresh?
    /// The refreshes that have not completed: the current one and superseded ones.
    private(set) var running: [RefreshMark] = []
    let window: RefreshWindow?
    /// The start times of the refreshes within the window.
    private var beginnings: [MonotonicInstant] = []
    /// The refused requests. Each is kept as long as its context exists, so that no request is retried without end.
    private var histories: [RequestID: History] = [:]
    private var courseLimit = 64

    init(_ credential: Credential?, window: RefreshWindow?) {
        self.credential = credential
        self.window = window
    }

    var waiterCount: Int { refresh?.waiters.count ?? 0 }
    /// The number of remembered requests. For tests.
    var courseCount: Int { histories.count }

    // MARK: Requests

    /// The state of the credential for a request.
    enum Offer: Sendable {
        case missing
        case refreshing(RefreshMark)
        case credential(Credential, version: Int)
    }

    var offer: Offer {
        if let refresh { return .refreshing(refresh.mark) }
        return credential.map { .credential($0, version: version) } ?? .missing
    }

    /// The next step of a waiter.
    enum Wait: Sendable {
        /// Wait for the current refresh.
        case join
        /// Begin a refresh of the credential, and wait for it.
        case begin(Credential, RefreshMark)
        /// Fail: the window allows no more refreshes.
        case excessive
        /// Check again: the state has changed since it was read.
        case lookAgain
    }

    /// The decision about a refused request.
    enum Verdict: Sendable {
        /// Send it again with the current credential.
        case goAgain
        /// Return the refusal as its outcome.
        case stand
        /// Send it again after a refresh.
        case wait(Wait)
    }

    /// Adds a request that was not sent yet to the waiters of the current refresh.
    mutating func join(_ mark: RefreshMark, _ waiter: Waiter) -> Wait {
        guard refresh?.mark === mark else { return .lookAgain }
        refresh?.add(waiter)
        return .join
    }

    /// Adds a refused request to the waiters of the current refresh.
    mutating func join(_ mark: RefreshMark, _ waiter: Waiter, refused request: RequestContext) -> Verdict {
        guard refresh?.mark === mark else { return .wait(.lookAgain) }
        guard var history = unfinishedHistory(of: request), !history.hasWaited else { return .stand }
        note(&history, of: request, version: version + 1, waits: true)
        return .wait(join(mark, waiter))
    }

    /// Begins a refresh for a request that was not sent yet, because its credential has expired.
    ///
    /// - Parameters:
    ///   - expired: The version of the credential.
    ///   - waiter: The waiter of the request.
    ///   - now: The current time.
    /// - Returns: The next step of the waiter.
    mutating func refresh(_ expired: Int, _ waiter: Waiter, now: MonotonicInstant) -> Wait {
        guard let credential = present(expired) else { return .lookAgain }
        return begin(with: credential, waiter, now: now)
    }

    /// Decides how to proceed with a refused request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - compared: The version of the credential that the request was compared with.
    ///   - carriedIt: Whether the request was sent with that credential.
    ///   - waiter: The waiter of the request, used if it has to wait for a refresh.
    ///   - now: The current time.
    /// - Returns: The decision.
    mutating func refused(
        _ request: RequestContext,
        comparedWith compared: Int,
        carriedIt: Bool,
        _ waiter: Waiter,
        now: MonotonicInstant
    ) -> Verdict {
        guard let credential = present(compared) else { return .wait(.lookAgain) }
        guard var history = unfinishedHistory(of: request) else { return .stand }
        // A request already sent again for this version has used the credential, even if the comparison denies it.
        if !carriedIt, history.version != version {
            note(&history, of: request, version: version, waits: false)
            return .goAgain
        }
        guard !history.hasWaited else { return .stand }
        let wait = begin(with: credential, waiter, now: now)
        if case .begin = wait { note(&history, of: request, version: version + 1, waits: true) }
        return .wait(wait)
    }

    /// Begins a refresh without a waiter, for a refused request that cannot be sent again.
    ///
    /// - Parameters:
    ///   - refused: The version of the credential that the request was sent with.
    ///   - now: The current time.
    /// - Returns: The refresh to begin, or `nil` if none is needed or the window allows none.
    mutating func refreshForOthers(_ refused: Int, now: MonotonicInstant) -> (Credential, RefreshMark)? {
        guard let credential = present(refused), case .begin(_, let mark) = begin(with: credential, nil, now: now)
        else { return nil }
        return (credential, mark)
    }

    /// Removes a cancelled waiter.
    mutating func withdraw(_ waiter: Waiter) {
        refresh?.waiters[ObjectIdentifier(waiter)] = nil
    }

    /// Forgets the history of a request after a response that is not a refusal.
    mutating func forget(_ request: RequestID) {
        guard !histories.isEmpty else { return }
        histories[request] = nil
    }

    // MARK: End of a refresh

    /// Stores the credential that a refresh returned.
    mutating func refreshed(_ mark: RefreshMark, _ credential: Credential) -> Release? {
        running.removeAll { $0 === mark }
        guard refresh?.mark === mark else { return nil }
        self.credential = credential
        version += 1
        return release(.refreshed(version: version))
    }

    /// Records that a refresh failed.
    mutating func failed(_ mark: RefreshMark, _ error: any Error) -> Release? {
        running.removeAll { $0 === mark }
        guard refresh?.mark === mark else { return nil }
        return release(.failed(error))
    }

    /// Sets a credential from outside, which supersedes the current refresh.
    mutating func replace(_ credential: Credential?) -> Release {
        self.credential = credential
        version += 1
        return release(.replaced)
    }

    // MARK: Steps

    /// Returns the credential if it still has that version and is not being refreshed.
    private func present(_ version: Int) -> Credential? {
        refresh == nil && version == self.version ? credential : nil
    }

    private mutating func admitsRefresh(_ now: MonotonicInstant) -> Bool {
        guard let window else { return true }
        beginnings.removeAll { $0.duration(to: now) >= window.interval }
        guard beginnings.count < window.maximumAttempts else { return false }
        beginnings.append(now)
        return true
    }

    private mutating func begin(with credential: Credential, _ waiter: Waiter?, now: MonotonicInstant) -> Wait {
        guard admitsRefresh(now) else { return .excessive }
        var begun = Refresh(mark: RefreshMark())
        if let waiter { begun.add(waiter) }
        refresh = begun
        running.append(begun.mark)
        return .begin(credential, begun.mark)
    }

    private mutating func release(_ outcome: Outcome) -> Release {
        let waiters = refresh?.waiters.values.sorted { $0.number < $1.number }.map(\.waiter) ?? []
        refresh = nil
        return Release(waiters: waiters, outcome: outcome)
    }

    /// Returns the history of a request, or `nil` if it has reached the limit of repetitions.
    private func unfinishedHistory(of request: RequestContext) -> History? {
        let history = histories[request.id] ?? History(request: request)
        return history.turns < Self.turnLimit ? history : nil
    }

    /// Records that a request is sent again.
    private mutating func note(_ history: inout History, of request: RequestContext, version: Int, waits: Bool) {
        history.turns += 1
        history.version = version
        if waits { history.hasWaited = true }
        if histories.count >= courseLimit {
            // Cancelled requests do not report their end, so they are removed here.
            histories = histories.filter { $0.value.request != nil }
            courseLimit = max(64, 2 * histories.count)
        }
        histories[request.id] = history
    }
}
