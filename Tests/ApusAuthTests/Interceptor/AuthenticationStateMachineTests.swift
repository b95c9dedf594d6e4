internal import Apus
internal import ApusTesting
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

@Suite struct AuthenticationStateMachineTests {
    private typealias Machine = AuthenticationStateMachine<String>

    private let now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private let bench = InterceptorBench(GatedAuthenticator(), nil)

    // MARK: States

    private func idle(_ credential: String? = "a", window: RefreshWindow? = nil) -> Machine {
        Machine(credential, window: window)
    }

    /// Returns a machine with a refresh under way, the mark of the refresh, and its waiters.
    private func refreshing(waiters: Int = 1) throws -> (Machine, RefreshMark, [Machine.Waiter]) {
        var machine = idle()
        let all = (0..<waiters).map { _ in Machine.Waiter() }
        let first = try #require(all.first)
        guard case .begin("a", let mark) = machine.refresh(0, first, now: now) else { throw RefreshFailure() }
        for waiter in all.dropFirst() { #expect(name(machine.join(mark, waiter)) == "join") }
        return (machine, mark, all)
    }

    private func name(_ wait: Machine.Wait) -> String {
        if case .begin(let credential, _) = wait { "begin \(credential)" } else { "\(wait)" }
    }

    private func name(_ verdict: Machine.Verdict) -> String {
        if case .wait(let wait) = verdict { name(wait) } else { "\(verdict)" }
    }

    private func name(_ offer: Machine.Offer) -> String {
        if case .refreshing = offer { "refreshing" } else { "\(offer)" }
    }

    private func name(_ release: Machine.Release?) -> String { release.map { "\($0.outcome)" } ?? "nothing" }

    // MARK: Credentials

    @Test func offersTheCurrentCredential() throws {
        #expect(name(idle(nil).offer) == "missing")
        #expect(name(idle().offer) == #"credential("a", version: 0)"#)
        #expect(name(try refreshing().0.offer) == "refreshing")
    }

    /// The decision in each state for a request whose credential of version 0 has expired or was refused.
    @Test(arguments: [
        ("nothing", "lookAgain", "lookAgain"), ("idle", "begin a", "begin a"), ("refreshing", "lookAgain", "lookAgain"),
        ("refreshed", "lookAgain", "lookAgain"), ("failed", "begin a", "begin a"),
        ("replaced", "lookAgain", "lookAgain"), ("removed", "lookAgain", "lookAgain"),
        ("exhausted", "excessive", "excessive"),
    ])
    func decidesByItsState(state: String, expired: String, refused: String) throws {
        let machine = try self.machine(in: state)
        var copy = machine
        #expect(name(copy.refresh(0, Machine.Waiter(), now: now)) == expired)
        copy = machine
        let context = bench.context()
        let verdict = copy.refused(context, comparedWith: 0, carriedIt: true, Machine.Waiter(), now: now)
        #expect(name(verdict) == refused)
        copy = machine
        let isBegun = copy.refreshForOthers(0, now: now) != nil
        #expect(isBegun == (expired == "begin a"))
        #expect(copy.waiterCount == machine.waiterCount)
    }

    private func machine(in state: String) throws -> Machine {
        switch state {
        case "nothing": return idle(nil)
        case "idle": return idle()
        case "exhausted": return idle(window: RefreshWindow(maximumAttempts: 0))
        default: break
        }
        var (machine, mark, _) = try refreshing()
        switch state {
        case "refreshed": #expect(name(machine.refreshed(mark, "b")) == "refreshed(version: 1)")
        case "failed": #expect(name(machine.failed(mark, RefreshFailure())).hasPrefix("failed"))
        case "replaced": #expect(name(machine.replace("c")) == "replaced")
        case "removed": #expect(name(machine.replace(nil)) == "replaced")
        default: break
        }
        return machine
    }

    // MARK: Waiting

    @Test func releasesWaitersInOrder() throws {
        var (machine, mark, waiters) = try refreshing(waiters: 20)
        machine.withdraw(waiters[3])
        machine.withdraw(waiters[3])
        #expect(machine.waiterCount == 19)
        let refreshed = machine.refreshed(mark, "b")
        let release = try #require(refreshed)
        let expected = waiters.enumerated().filter { $0.offset != 3 }.map(\.element)
        #expect(release.waiters.map { ObjectIdentifier($0) } == expected.map { ObjectIdentifier($0) })
        #expect(machine.credential == "b" && machine.version == 1 && machine.waiterCount == 0)
    }

    @Test func joinsNoRefreshThatHasEnded() throws {
        var (machine, mark, waiters) = try refreshing()
        _ = machine.failed(mark, RefreshFailure())
        machine.withdraw(waiters[0])
        #expect(name(machine.join(mark, Machine.Waiter())) == "lookAgain")
        #expect(name(machine.join(mark, Machine.Waiter(), refused: bench.context())) == "lookAgain")
        #expect(machine.waiterCount == 0)
    }

    @Test func ignoresASupersededRefresh() throws {
        var (machine, mark, _) = try refreshing()
        #expect(machine.replace("c").waiters.count == 1)
        #expect(machine.running.count == 1)
        #expect(name(machine.refreshed(mark, "b")) == "nothing")
        #expect(machine.running.isEmpty)
        #expect(name(machine.failed(mark, RefreshFailure())) == "nothing")
        #expect(name(machine.offer) == #"credential("c", version: 1)"#)
        // It does not end a refresh that began later either.
        #expect(name(machine.refresh(1, Machine.Waiter(), now: now)) == "begin c")
        #expect(name(machine.refreshed(mark, "b")) == "nothing")
        #expect(machine.waiterCount == 1 && machine.credential == "c" && machine.running.count == 1)
    }

    @Test func incrementsTheVersionForEachCredential() throws {
        var (machine, mark, _) = try refreshing()
        _ = machine.refreshed(mark, "a")
        #expect(machine.version == 1)
        #expect(machine.replace("a").waiters.isEmpty)
        #expect(machine.version == 2)
        #expect(name(machine.refresh(0, Machine.Waiter(), now: now)) == "lookAgain")
    }

    // MARK: Rejected requests

    @Test func letsARequestWaitForOnlyOneRefresh() throws {
        var (machine, mark, _) = try refreshing()
        let context = bench.context()
        #expect(name(machine.join(mark, Machine.Waiter(), refused: context)) == "join")
        #expect(name(machine.join(mark, Machine.Waiter(), refused: context)) == "stand")
        _ = machine.refreshed(mark, "b")
        for carriedIt in [true, false] {
            let verdict = machine.refused(
                context,
                comparedWith: 1,
                carriedIt: carriedIt,
                Machine.Waiter(),
                now: now
            )
            #expect(name(verdict) == "stand")
        }
        machine.forget(context.id)
        let verdict = machine.refused(context, comparedWith: 1, carriedIt: true, Machine.Waiter(), now: now)
        #expect(name(verdict) == "begin b")
    }

    @Test func doesNotCountARefusalIfNoRefreshIsAllowed() {
        var machine = idle(window: RefreshWindow(maximumAttempts: 0))
        let context = bench.context()
        for _ in 0..<5 {
            let verdict = machine.refused(context, comparedWith: 0, carriedIt: true, Machine.Waiter(), now: now)
            #expect(name(verdict) == "excessive")
        }
        #expect(machine.courseCount == 0)
    }

    @Test func removesReleasedRequests() {
        var machine = idle()
        let kept = (0..<10).map { _ in bench.context() }
        for context in kept + (0..<1000).map({ _ in bench.context() }) {
            _ = machine.refused(context, comparedWith: 0, carriedIt: false, Machine.Waiter(), now: now)
        }
        // Each context is released before the next one is created.
        for _ in 0..<5000 {
            _ = machine.refused(bench.context(), comparedWith: 0, carriedIt: false, Machine.Waiter(), now: now)
        }
        #expect(machine.courseCount <= 128)
        for context in kept {
            var copy = machine
            let verdict = copy.refused(context, comparedWith: 0, carriedIt: false, Machine.Waiter(), now: now)
            // A removed request would be retried first.
            #expect(name(verdict) == "begin a")
        }
    }
}
