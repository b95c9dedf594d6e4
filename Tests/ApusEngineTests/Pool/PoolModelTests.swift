internal import ApusCore
internal import ApusTestServer
internal import Testing

@testable internal import ApusEngine

/// Drives the state machine with random steps as the pool does, and checks its invariants after each step.
@Suite struct PoolModelTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func keepsItsInvariants(seed: UInt64) {
        var model = PoolModel(seed: seed)
        for _ in 0..<1_500 { model.step() }
        model.finish()
    }
}

private struct PoolModel {
    private var random: SeededGenerator
    private var pool: PoolStateMachine
    private let limit: Int
    private let usesPerConnection: Int?
    private var now = MonotonicInstant(nanoseconds: 1)
    private var nextWaiter: Int = 0
    private var nextConnection = 0

    /// The expected state, kept separately from the pool.
    private var waiting: Set<Int> = []
    private var requiresNewConnection: Set<Int> = []
    private var priorities: [Int: RequestPriority] = [:]
    private var attempts: [Int] = []
    /// The attempts that were made to prepare a connection.
    private var prepared: Set<Int> = []
    /// The number of exchanges on each connection.
    private var uses: [Int: Int] = [:]
    private var leases: [Int: Int] = [:]
    private var draining: Set<Int> = []
    private var idle: Set<Int> = []
    private var outcomes: [Int: Int] = [:]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limit = Int.random(in: 1...6, using: &random)
        usesPerConnection = Bool.random(using: &random) ? Int.random(in: 1...5, using: &random) : nil
        pool = PoolStateMachine(
            limit: limit,
            idleTimeout: .seconds(Int.random(in: 1...20, using: &random)),
            maximumAge: Bool.random(using: &random) ? .seconds(Int.random(in: 5...60, using: &random)) : nil,
            usesPerConnection: usesPerConnection
        )
    }

    mutating func step() {
        now = now.advanced(by: .milliseconds(Int.random(in: 0...900, using: &random)))
        switch Int.random(in: 0..<100, using: &random) {
        case ..<28: acquire(isFresh: false)
        case ..<34: drain()
        case ..<50: release()
        case ..<65: attemptSucceeds()
        case ..<72: attemptFails()
        case ..<82: connectionDies()
        case ..<88: withdraw()
        case ..<93: gone(pool.expire(now: now))
        case ..<97: prepare()
        default: gone(pool.evictOldestIdle().map { [$0] } ?? [])
        }
        settle()
    }

    /// Completes all requests, and checks that every waiter got exactly one outcome.
    mutating func finish() {
        for _ in 0..<10_000 where !(waiting.isEmpty && leases.isEmpty && attempts.isEmpty) {
            if attempts.isEmpty { release() } else { attemptSucceeds() }
            settle()
        }
        #expect(waiting.isEmpty && leases.isEmpty && attempts.isEmpty)
        #expect(outcomes.count == Int(nextWaiter))
        #expect(outcomes.values.allSatisfy { $0 == 1 })
        let closing = pool.close()
        #expect(Set(closing.idle) == idle)
        #expect(closing.waiters.isEmpty)
        #expect(pool.isUnused)
    }

    // MARK: Steps

    private mutating func acquire(isFresh: Bool, again waiter: Int? = nil) {
        if waiter == nil { nextWaiter += 1 }
        let waiter = waiter ?? nextWaiter
        let priority = priorities[waiter] ?? RequestPriority(rawValue: Int.random(in: -1...1, using: &random))
        priorities[waiter] = priority
        switch pool.acquire(waiter, priority: priority, requiresNewConnection: isFresh, now: now) {
        case .lease(let id, let closing):
            gone(closing)
            #expect(!isFresh)
            #expect(idle.remove(id) != nil, "leased what was not idle")
            lease(id, to: waiter)
        case .wait(let closing):
            gone(closing)
            waiting.insert(waiter)
            if isFresh { requiresNewConnection.insert(waiter) }
        }
    }

    private mutating func release() {
        guard let (id, waiter) = leases.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
        leases[id] = nil
        draining.remove(id)
        outcomes[waiter, default: 0] += 1
        let action = pool.released(id, uses: uses[id] ?? 0, now: now)
        if isUsedUp(id) { #expect(action == .close) }
        perform(action, id)
    }

    private func isUsedUp(_ id: Int) -> Bool { usesPerConnection.map { uses[id] ?? 0 >= $0 } ?? false }

    private mutating func prepare() {
        let count = Int.random(in: -1...5, using: &random)
        let missing = pool.missingConnections(for: count)
        #expect(missing == max(min(count - idle.count - attempts.count, limit - pool.connectionCount), 0))
        for _ in 0..<missing {
            nextConnection += 1
            pool.beginPreparing(nextConnection, now: now)
            attempts.append(nextConnection)
            prepared.insert(nextConnection)
        }
        #expect(pool.missingConnections(for: count) == 0)
    }

    private mutating func drain() {
        guard let id = leases.keys.sorted().randomElement(using: &random) else { return }
        pool.drain(id, uses: uses[id] ?? 0)
        if !isUsedUp(id) { draining.insert(id) }
    }

    private mutating func attemptSucceeds() {
        guard !attempts.isEmpty else { return }
        let id = attempts.remove(at: Int.random(in: 0..<attempts.count, using: &random))
        perform(pool.connected(id, now: now), id)
    }

    private mutating func attemptFails() {
        guard !attempts.isEmpty else { return }
        let id = attempts.remove(at: Int.random(in: 0..<attempts.count, using: &random))
        let failed = pool.connectFailed(id)
        if prepared.contains(id) { #expect(failed.isEmpty) }
        for waiter in failed { end(waiter) }
    }

    /// Kills a connection. Its waiter retries with a new connection, or fails.
    private mutating func connectionDies() {
        guard let id = (Array(leases.keys) + idle).sorted().randomElement(using: &random) else { return }
        pool.remove(id)
        idle.remove(id)
        draining.remove(id)
        guard let waiter = leases.removeValue(forKey: id) else { return }
        if Bool.random(using: &random) {
            acquire(isFresh: true, again: waiter)
        } else {
            outcomes[waiter, default: 0] += 1
        }
    }

    private mutating func withdraw() {
        guard let waiter = waiting.sorted().randomElement(using: &random) else {
            #expect(pool.withdraw(nextWaiter + 1) == false)
            return
        }
        #expect(pool.withdraw(waiter) == true)
        end(waiter)
    }

    // MARK: Consequences

    private mutating func end(_ waiter: Int) {
        #expect(waiting.remove(waiter) != nil, "\(waiter) did not wait")
        requiresNewConnection.remove(waiter)
        outcomes[waiter, default: 0] += 1
    }

    private mutating func gone(_ ids: [Int]) {
        for id in ids { #expect(idle.remove(id) != nil, "\(id) was not idle") }
    }

    private mutating func perform(_ action: PoolStateMachine.ConnectionAction, _ id: Int) {
        switch action {
        case .lease(let waiter):
            #expect(waiting.remove(waiter) != nil, "\(waiter) did not wait")
            lease(id, to: waiter)
        case .keepIdle: idle.insert(id)
        case .stay: Issue.record("a connection of one request at a time is leased, idle or closed")
        case .close: break
        }
    }

    private mutating func lease(_ id: Int, to waiter: Int) {
        #expect(leases[id] == nil, "two waiters on one connection")
        leases[id] = waiter
        uses[id, default: 0] += 1
        #expect(uses[id] ?? 0 <= usesPerConnection ?? .max, "connection \(id) was used too often")
        guard requiresNewConnection.remove(waiter) == nil else { return }
        let overtaken = waiting.subtracting(requiresNewConnection).filter { isBefore($0, waiter) }
        #expect(overtaken.isEmpty, "\(waiter) overtook \(overtaken)")
    }

    /// Returns whether a waiter has to be served before another one.
    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        let (first, second) = (priorities[one] ?? .normal, priorities[other] ?? .normal)
        return first == second ? one < other : first > second
    }

    private mutating func settle() {
        let arriving = attempts.count + min(draining.count, waiting.count - requiresNewConnection.count)
        let isShort = arriving < waiting.count && pool.connectionCount < limit
        #expect(pool.wantsConnection == isShort, "\(arriving) arrive for \(waiting.count)")
        while pool.wantsConnection {
            nextConnection += 1
            pool.beginConnecting(nextConnection, now: now)
            attempts.append(nextConnection)
        }
        #expect(pool.connectionCount == attempts.count + leases.count + idle.count)
        #expect(pool.connectionCount <= limit, "more connections than allowed")
        #expect(pool.idleCount == idle.count)
        #expect(pool.waiterCount == waiting.count)
        #expect(idle.isEmpty || waiting == requiresNewConnection, "a request waits beside an idle connection")
        #expect(waiting.isEmpty || !attempts.isEmpty || !leases.isEmpty, "the waiters would never be served")
    }
}
