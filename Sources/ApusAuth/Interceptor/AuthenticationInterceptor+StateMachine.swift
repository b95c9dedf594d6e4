internal import ApusCore

/// The credential of an interceptor, its refresh, and the requests that were refused.
///
/// ```
///   refresh   none → under way → none            by its success, its failure, or a credential from outside
///   waiter    waiting → released | withdrawn     a refresh releases all of its waiters at once
///   request   refused → sent again … → stands    forgotten as soon as its answer is no refusal
/// ```
///
/// A failed refresh leaves nothing behind but its place in the window. One that a credential from outside has overtaken
/// still runs to its end, so there may be several that run.
struct AuthenticationStateMachine<Credential: Sendable> {
    /// How a refresh ended for one who waited.
    enum Outcome: Sendable {
        /// The credential of that version is there.
        case refreshed(version: Int)
        /// Another credential, or none, came from outside, and counts.
        case replaced
        case failed(any Error)
        /// The one who waited was cancelled.
        case cancelled
    }

    typealias Waiter = Deferred<Outcome>

    /// Those who waited, with what they are told; outside of the lock.
    struct Release: Sendable {
        var waiters: [Waiter] = []
        let outcome: Outcome

        func tell() {
            for waiter in waiters { waiter.fulfill(outcome) }
        }
    }

    private struct Refresh {
        let mark: RefreshMark
        /// Numbered in the order of their coming.
        var waiters: [ObjectIdentifier: (number: Int, waiter: Waiter)] = [:]
        var nextNumber = 0

        mutating func add(_ waiter: Waiter) {
            waiters[ObjectIdentifier(waiter)] = (nextNumber, waiter)
            nextNumber += 1
        }
    }

    /// What became so far of a request that was refused.
    private struct Course {
        weak var request: RequestContext?
        /// How often it was sent again since its last answer that was no refusal.
        var turns = 0
        /// Whether a refresh was among the reasons.
        var hasWaited = false
        /// The version that it was sent again for.
        var version: Int?
    }

    /// How often a request is sent again in a row, whatever the reason.
    static var turnLimit: Int { 3 }

    private(set) var credential: Credential?
    /// Counts the credentials.
    private(set) var version = 0
    private var refresh: Refresh?
    /// The refreshes that have not come to their end: the one under way, and those that were overtaken.
    private(set) var running: [RefreshMark] = []
    let window: RefreshWindow?
    /// When the refreshes within the window began.
    private var beginnings: [MonotonicInstant] = []
    private var courses: [RequestID: Course] = [:]
    private var courseLimit = 64

    init(_ credential: Credential?, window: RefreshWindow?) {
        self.credential = credential
        self.window = window
    }

    var waiterCount: Int { refresh?.waiters.count ?? 0 }
    /// How many requests are remembered.
    var courseCount: Int { courses.count }

    // MARK: Asking

    /// What there is for a request now.
    enum Offer: Sendable {
        case missing
        case refreshing(RefreshMark)
        case credential(Credential, version: Int)
    }

    var offer: Offer {
        if let refresh { return .refreshing(refresh.mark) }
        return credential.map { .credential($0, version: version) } ?? .missing
    }

    /// What a waiter is in for.
    enum Wait: Sendable {
        /// The refresh that is under way.
        case join
        /// A refresh of the credential, which is to be begun.
        case begin(Credential, RefreshMark)
        /// Nothing: the window allows no refresh.
        case excessive
        /// Nothing: something has changed meanwhile, so ask again.
        case lookAgain
    }

    /// What becomes of a request that was refused.
    enum Verdict: Sendable {
        /// It is sent again, with the present credential.
        case goAgain
        /// The refusal is its outcome.
        case stand
        /// It is sent again after a refresh.
        case wait(Wait)
    }

    /// Has a request that was not sent yet wait for a refresh that is under way.
    mutating func join(_ mark: RefreshMark, _ waiter: Waiter) -> Wait {
        guard refresh?.mark === mark else { return .lookAgain }
        refresh?.add(waiter)
        return .join
    }

    /// Has a request that was refused wait for a refresh that is under way.
    mutating func join(_ mark: RefreshMark, _ waiter: Waiter, refused request: RequestContext) -> Verdict {
        guard refresh?.mark === mark else { return .wait(.lookAgain) }
        guard var course = unfinishedCourse(of: request), !course.hasWaited else { return .stand }
        note(&course, of: request, version: version + 1, waits: true)
        return .wait(join(mark, waiter))
    }

    /// Has a request that was not sent yet wait for a refresh, since its credential has expired.
    ///
    /// - Parameters:
    ///   - expired: The version of the credential.
    ///   - waiter: Who waits.
    ///   - now: The time.
    /// - Returns: What it is in for.
    mutating func refresh(_ expired: Int, _ waiter: Waiter, now: MonotonicInstant) -> Wait {
        guard let credential = present(expired) else { return .lookAgain }
        return begin(with: credential, waiter, now: now)
    }

    /// Decides about a request that was refused.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - compared: The version of the credential that the request was compared with.
    ///   - carriedIt: Whether the request was sent with that credential.
    ///   - waiter: Who waits where there is a refresh.
    ///   - now: The time.
    /// - Returns: What becomes of it.
    mutating func refused(
        _ request: RequestContext,
        comparedWith compared: Int,
        carriedIt: Bool,
        _ waiter: Waiter,
        now: MonotonicInstant
    ) -> Verdict {
        guard let credential = present(compared) else { return .wait(.lookAgain) }
        guard var course = unfinishedCourse(of: request) else { return .stand }
        // Who was sent again for this credential has had it, whatever the comparison says.
        if !carriedIt, course.version != version {
            note(&course, of: request, version: version, waits: false)
            return .goAgain
        }
        guard !course.hasWaited else { return .stand }
        let wait = begin(with: credential, waiter, now: now)
        if case .begin = wait { note(&course, of: request, version: version + 1, waits: true) }
        return .wait(wait)
    }

    /// Begins a refresh that nobody waits for: a request was refused that can't be sent again.
    ///
    /// - Parameters:
    ///   - refused: The version of the credential that the request was sent with.
    ///   - now: The time.
    /// - Returns: What is to be begun; `nil` where there is no need, or the window allows no refresh.
    mutating func refreshForOthers(_ refused: Int, now: MonotonicInstant) -> (Credential, RefreshMark)? {
        guard let credential = present(refused), case .begin(_, let mark) = begin(with: credential, nil, now: now)
        else { return nil }
        return (credential, mark)
    }

    /// Takes somebody out who waits no longer.
    mutating func withdraw(_ waiter: Waiter) {
        refresh?.waiters[ObjectIdentifier(waiter)] = nil
    }

    /// Forgets what became of a request: its answer was no refusal.
    mutating func forget(_ request: RequestID) {
        guard !courses.isEmpty else { return }
        courses[request] = nil
    }

    // MARK: Ending

    /// A refresh gave a credential.
    mutating func refreshed(_ mark: RefreshMark, _ credential: Credential) -> Release? {
        running.removeAll { $0 === mark }
        guard refresh?.mark === mark else { return nil }
        self.credential = credential
        version += 1
        return release(.refreshed(version: version))
    }

    /// A refresh failed.
    mutating func failed(_ mark: RefreshMark, _ error: any Error) -> Release? {
        running.removeAll { $0 === mark }
        guard refresh?.mark === mark else { return nil }
        return release(.failed(error))
    }

    /// A credential came from outside; what a refresh that is under way will give does not count any more.
    mutating func replace(_ credential: Credential?) -> Release {
        self.credential = credential
        version += 1
        return release(.replaced)
    }

    // MARK: Steps

    /// The credential of that version, where it still counts and is not being refreshed.
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

    /// What became of a request so far; `nil` where it was sent again as often as it may be.
    private func unfinishedCourse(of request: RequestContext) -> Course? {
        let course = courses[request.id] ?? Course(request: request)
        return course.turns < Self.turnLimit ? course : nil
    }

    /// Notes that a request is sent again.
    private mutating func note(_ course: inout Course, of request: RequestContext, version: Int, waits: Bool) {
        course.turns += 1
        course.version = version
        if waits { course.hasWaited = true }
        if courses.count >= courseLimit {
            // Requests that were given up tell nobody.
            courses = courses.filter { $0.value.request != nil }
            courseLimit = max(64, 2 * courses.count)
        }
        courses[request.id] = course
    }
}
