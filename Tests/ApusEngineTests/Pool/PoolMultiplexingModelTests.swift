internal import ApusCore
internal import ApusTestServer
internal import Testing

@testable internal import ApusEngine

/// Drives the state machine with random steps as the pool does, with connections that serve several requests at a time,
/// and checks its invariants after each step.
@Suite struct PoolMultiplexingModelTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func servesEveryRequest(seed: UInt64) {
        var model = MultiplexingModel(seed: seed)
        for _ in 0..<1_000 { model.step() }
        model.finish()
    }

    @Test(arguments: 100..<120 as Range<UInt64>)
    func closesWhileConnectionsAreInUse(seed: UInt64) {
        var model = MultiplexingModel(seed: seed)
        for _ in 0..<300 { model.step() }
        model.close()
    }
}

private struct MultiplexingModel {
    /// A connection that was made.
    private struct Line {
        let created: MonotonicInstant
        let isMultiplexed: Bool
        var capacity: Int
        var isRetired = false
        /// The number of requests so far.
        var uses = 0
        var requests: Set<Int> = []
    }

    private var random: SeededGenerator
    private var pool: PoolStateMachine
    private let limit: Int
    private let maximumAge: Duration?
    private let usesPerConnection: Int?
    /// The capacities of new connections.
    private let capacities: ClosedRange<Int>
    private var now = MonotonicInstant(nanoseconds: 1)
    private var nextWaiter = 0
    private var nextConnection = 0

    /// The expected state, kept separately from the pool.
    private var waiting: Set<Int> = []
    private var requiresNewConnection: Set<Int> = []
    private var priorities: [Int: RequestPriority] = [:]
    /// The order of arrival. A request that is resent arrives again.
    private var arrivals: [Int: Int] = [:]
    private var arrivalCount = 0
    private var attempts: [Int] = []
    /// The attempts that were made to prepare a connection.
    private var prepared: Set<Int> = []
    private var begun: [Int: MonotonicInstant] = [:]
    private var expectedCapacity: Int?
    private var lines: [Int: Line] = [:]
    private var idle: Set<Int> = []
    private var draining: Set<Int> = []
    /// The requests on connections.
    private var active: Set<Int> = []
    private var outcomes: [Int: Int] = [:]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limit = Int.random(in: 1...5, using: &random)
        maximumAge = Bool.random(using: &random) ? .seconds(Int.random(in: 5...60, using: &random)) : nil
        usesPerConnection = Bool.random(using: &random) ? Int.random(in: 1...12, using: &random) : nil
        // HTTP/2 only, or a mixture with HTTP/1.1, or that with small capacities.
        switch Int.random(in: 0..<3, using: &random) {
        case 0: capacities = 2...8
        case 1: capacities = 1...8
        default: capacities = 1...2
        }
        expectedCapacity = Bool.random(using: &random) ? Int.random(in: 1...8, using: &random) : nil
        pool = PoolStateMachine(
            limit: limit,
            idleTimeout: .seconds(Int.random(in: 1...20, using: &random)),
            maximumAge: maximumAge,
            usesPerConnection: usesPerConnection,
            expectedCapacity: expectedCapacity
        )
    }

    mutating func step() {
        now = now.advanced(by: .milliseconds(Int.random(in: 0...600, using: &random)))
        switch Int.random(in: 0..<100, using: &random) {
        case ..<30: arrive(1)
        case ..<32: arrive(Int.random(in: 2...20, using: &random))
        case ..<35: drain()
        case ..<60: release()
        case ..<70: attemptSucceeds()
        case ..<74: attemptFails()
        case ..<79: connectionDies()
        case ..<85: changeCapacity()
        case ..<88: retire()
        case ..<92: withdraw()
        case ..<95: gone(pool.expire(now: now))
        case ..<98: prepare()
        default: gone(pool.evictOldestIdle().map { [$0] } ?? [])
        }
        settle()
    }

    /// Completes all requests, and checks that every one got exactly one outcome.
    mutating func finish() {
        for _ in 0..<20_000 where !(waiting.isEmpty && active.isEmpty && attempts.isEmpty) {
            if attempts.isEmpty { release() } else { attemptSucceeds() }
            settle()
        }
        #expect(waiting.isEmpty && active.isEmpty && attempts.isEmpty)
        #expect(Set(lines.keys) == idle)
        close()
    }

    /// Closes the pool, and completes the requests that are on connections.
    mutating func close() {
        let closing = pool.close()
        #expect(Set(closing.idle) == idle)
        #expect(Set(closing.waiters) == waiting)
        gone(closing.idle)
        for waiter in closing.waiters { end(waiter) }
        for id in attempts {
            if Bool.random(using: &random) {
                let capacity = Int.random(in: capacities, using: &random)
                let action = pool.connected(id, capacity: capacity, isMultiplexed: capacity > 1, now: now)
                #expect(action == .close)
            } else {
                let failed = pool.connectFailed(id)
                #expect(failed.isEmpty)
            }
        }
        for id in lines.keys.sorted() {
            guard let line = lines[id] else { continue }
            for (index, request) in line.requests.sorted().enumerated() {
                let isLast = index == line.requests.count - 1
                let expected: PoolStateMachine.ConnectionAction =
                    isLast ? .close : PoolStateMachine.ConnectionAction.stay
                let action = pool.released(id, uses: line.uses, now: now)
                #expect(action == expected, "connection \(id) after request \(request)")
                outcomes[request, default: 0] += 1
            }
        }
        #expect(outcomes.count == nextWaiter)
        #expect(outcomes.values.allSatisfy { $0 == 1 })
        #expect(pool.isUnused)
        #expect(pool.idle.isEmpty && pool.multiplexed.isEmpty && pool.withFreeSlots.isEmpty)
    }

    // MARK: Steps

    private mutating func arrive(_ count: Int) {
        // A short queue keeps the checks fast.
        guard waiting.count < 60 else { return release() }
        for _ in 0..<count { acquire() }
    }

    private mutating func acquire(again number: Int? = nil, isFresh: Bool = false) {
        if number == nil { nextWaiter += 1 }
        let waiter = number ?? nextWaiter
        arrivalCount += 1
        arrivals[waiter] = arrivalCount
        let priority = priorities[waiter] ?? RequestPriority(rawValue: Int.random(in: -1...1, using: &random))
        priorities[waiter] = priority
        let mayLease = !isFresh && waiting == requiresNewConnection
        let hasFreeSlotInUse = lines.values.contains { !$0.requests.isEmpty && hasFreeSlot($0) }
        switch pool.acquire(waiter, priority: priority, requiresNewConnection: isFresh, now: now) {
        case .lease(let id, let closing):
            gone(closing)
            #expect(mayLease, "\(waiter) overtook those that wait")
            let wasIdle = idle.remove(id) != nil
            #expect(!wasIdle || !hasFreeSlotInUse, "an idle connection was taken beside one with a free slot")
            lease(id, to: waiter)
        case .wait(let closing):
            gone(closing)
            #expect(!mayLease || !hasFreeSlotInUse, "\(waiter) waits beside a connection with a free slot")
            waiting.insert(waiter)
            if isFresh { requiresNewConnection.insert(waiter) }
        }
    }

    private mutating func release() {
        let busy = lines.keys.filter { lines[$0]?.requests.isEmpty == false }.sorted()
        guard let id = busy.randomElement(using: &random), var line = lines[id] else { return }
        guard let request = line.requests.sorted().randomElement(using: &random) else { return }
        line.requests.remove(request)
        if isUsedUp(line) || isTooOld(line) { line.isRetired = true }
        lines[id] = line
        active.remove(request)
        draining.remove(id)
        outcomes[request, default: 0] += 1
        let action = pool.released(id, uses: line.uses, now: now)
        perform(action, id)
    }

    private mutating func drain() {
        let ids = lines.keys.filter { lines[$0]?.isMultiplexed == false && !idle.contains($0) }.sorted()
        guard let id = ids.randomElement(using: &random), let line = lines[id] else { return }
        pool.drain(id, uses: line.uses)
        if !isUsedUp(line) { draining.insert(id) }
    }

    private mutating func prepare() {
        let count = Int.random(in: -1...5, using: &random)
        let missing = pool.missingConnections(for: count)
        let allowed = max(min(count - idle.count - attempts.count, limit - pool.connectionCount), 0)
        // One connection that serves several requests is enough.
        let most = expectedCapacity == 1 ? allowed : min(allowed, attempts.isEmpty ? 1 : 0)
        let expected = pool.hasFreeSlot ? 0 : most
        #expect(missing == expected)
        for _ in 0..<missing {
            let id = beginAttempt()
            pool.beginPreparing(id, now: now)
            prepared.insert(id)
        }
        #expect(pool.missingConnections(for: count) == 0)
    }

    private mutating func attemptSucceeds() {
        guard let id = takeAttempt() else { return }
        let capacity = Int.random(in: capacities, using: &random)
        lines[id] = Line(created: begun[id] ?? now, isMultiplexed: capacity > 1, capacity: capacity)
        expectedCapacity = capacity
        let action = pool.connected(id, capacity: capacity, isMultiplexed: capacity > 1, now: now)
        perform(action, id)
        fill(id)
    }

    private mutating func attemptFails() {
        guard let id = takeAttempt() else { return }
        let hasServer = lines.values.contains { line in
            !line.requests.isEmpty && line.capacity > 0 && !line.isRetired && !isUsedUp(line) && !isTooOld(line)
        }
        let failed = pool.connectFailed(id)
        if prepared.contains(id) { #expect(failed.isEmpty) }
        if hasServer { #expect(failed.count <= 1, "waiters failed that a connection in use would have served") }
        for waiter in failed { end(waiter) }
    }

    /// Kills a connection. Its requests are resent, on a new connection or on any, or fail.
    private mutating func connectionDies() {
        guard let id = lines.keys.sorted().randomElement(using: &random), let line = lines[id] else { return }
        // A connection may fail its requests before it reports its own end.
        let isRemovedFirst = Bool.random(using: &random)
        if isRemovedFirst { lose(id) }
        for request in line.requests.sorted() {
            active.remove(request)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: outcomes[request, default: 0] += 1
            case 1 where isRemovedFirst: acquire(again: request)
            default: acquire(again: request, isFresh: true)
            }
        }
        if !isRemovedFirst { lose(id) }
    }

    private mutating func changeCapacity() {
        let ids = lines.keys.filter { lines[$0]?.isMultiplexed == true }.sorted()
        guard let id = ids.randomElement(using: &random), var line = lines[id] else { return }
        line.capacity = Int.random(in: 0...9, using: &random)
        lines[id] = line
        if line.capacity > 0 { expectedCapacity = line.capacity }
        let isUnusable = pool.capacityChanged(id, to: line.capacity)
        #expect(isUnusable == (line.requests.isEmpty && line.capacity == 0))
        if isUnusable { gone([id]) }
        fill(id)
    }

    private mutating func retire() {
        let ids = lines.keys.filter { lines[$0]?.isMultiplexed == true }.sorted()
        guard let id = ids.randomElement(using: &random), let line = lines[id] else { return }
        lines[id]?.isRetired = true
        let isUnusable = pool.retire(id)
        #expect(isUnusable == line.requests.isEmpty)
        if isUnusable { gone([id]) }
        fill(id)
    }

    private mutating func withdraw() {
        guard let waiter = waiting.sorted().randomElement(using: &random) else {
            let isWithdrawn = pool.withdraw(nextWaiter + 1)
            #expect(!isWithdrawn)
            return
        }
        let isWithdrawn = pool.withdraw(waiter)
        #expect(isWithdrawn)
        end(waiter)
    }

    // MARK: Consequences

    /// Adds an attempt, and returns its number.
    private mutating func beginAttempt() -> Int {
        nextConnection += 1
        attempts.append(nextConnection)
        begun[nextConnection] = now
        return nextConnection
    }

    private mutating func takeAttempt() -> Int? {
        guard !attempts.isEmpty else { return nil }
        return attempts.remove(at: Int.random(in: 0..<attempts.count, using: &random))
    }

    /// Gives a waiter its outcome without a connection.
    private mutating func end(_ waiter: Int) {
        let hasWaited = waiting.remove(waiter) != nil
        #expect(hasWaited, "\(waiter) did not wait")
        requiresNewConnection.remove(waiter)
        outcomes[waiter, default: 0] += 1
    }

    /// Removes idle connections.
    private mutating func gone(_ ids: [Int]) {
        for id in ids {
            let wasIdle = idle.remove(id) != nil
            #expect(wasIdle, "\(id) was not idle")
            lines[id] = nil
        }
    }

    private mutating func lose(_ id: Int) {
        pool.remove(id)
        lines[id] = nil
        idle.remove(id)
        draining.remove(id)
    }

    private mutating func perform(_ action: PoolStateMachine.ConnectionAction, _ id: Int) {
        guard let line = lines[id] else { return }
        let takesMore = !line.isRetired && line.requests.count < line.capacity
        switch action {
        case .lease(let waiter):
            #expect(takesMore, "connection \(id) has no free slot")
            serve(waiter, on: id)
        case .keepIdle:
            #expect(takesMore && line.requests.isEmpty && waiting.isEmpty)
            idle.insert(id)
        case .stay:
            #expect(!line.requests.isEmpty, "connection \(id) is neither in use nor idle")
            #expect(!takesMore || waiting.isEmpty, "connection \(id) has a slot for a waiter")
        case .close:
            #expect(!takesMore && line.requests.isEmpty)
            lines[id] = nil
        }
    }

    private mutating func fill(_ id: Int) {
        while let waiter = pool.serveAnother(on: id, now: now) { serve(waiter, on: id) }
    }

    /// Handles the lease of a connection to the first waiter.
    private mutating func serve(_ waiter: Int, on id: Int) {
        let hasWaited = waiting.remove(waiter) != nil
        #expect(hasWaited, "\(waiter) did not wait")
        if requiresNewConnection.remove(waiter) == nil {
            let overtaken = waiting.filter { requiresNewConnection.contains($0) || isBefore($0, waiter) }
            #expect(overtaken.isEmpty, "\(waiter) overtook \(overtaken)")
        }
        lease(id, to: waiter)
    }

    private mutating func lease(_ id: Int, to waiter: Int) {
        let isNew = active.insert(waiter).inserted
        #expect(isNew, "\(waiter) was leased twice")
        guard var line = lines[id] else {
            Issue.record("connection \(id) does not exist")
            return
        }
        #expect(!line.isRetired, "connection \(id) takes no more requests")
        #expect(line.requests.count < line.capacity, "connection \(id) has more requests than allowed")
        line.requests.insert(waiter)
        line.uses += 1
        lines[id] = line
    }

    // MARK: Checks

    private func isUsedUp(_ line: Line) -> Bool { usesPerConnection.map { line.uses >= $0 } ?? false }

    private func isTooOld(_ line: Line) -> Bool { maximumAge.map { line.created.duration(to: now) >= $0 } ?? false }

    /// Whether a connection has to serve another request now.
    private func hasFreeSlot(_ line: Line) -> Bool {
        line.isMultiplexed && !line.isRetired && line.requests.count < line.capacity && !isUsedUp(line)
            && !isTooOld(line)
    }

    /// Returns whether a waiter has to be served before another one.
    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        let (first, second) = (priorities[one] ?? .normal, priorities[other] ?? .normal)
        return first == second ? arrivals[one] ?? 0 < arrivals[other] ?? 0 : first > second
    }

    private mutating func settle() {
        #expect(pool.wantsConnection == isShort)
        while pool.wantsConnection {
            let id = beginAttempt()
            pool.beginConnecting(id, now: now)
        }
        #expect(!isShort)
        #expect(pool.connectionCount == attempts.count + lines.count)
        #expect(pool.connectionCount <= limit, "more connections than allowed")
        #expect(pool.waiterCount == waiting.count)
        let unused = lines.keys.filter { lines[$0]?.requests.isEmpty == true }
        #expect(Set(unused) == idle)
        #expect(idle.isEmpty || waiting == requiresNewConnection, "a request waits beside an idle connection")
        #expect(waiting.isEmpty || !attempts.isEmpty || !active.isEmpty, "the waiters would never be served")
        let isSlotFree = lines.values.contains { hasFreeSlot($0) }
        #expect(!isSlotFree || waiting == requiresNewConnection, "a request waits beside a connection with a free slot")
        #expect(!isSlotFree || pool.hasFreeSlot)
        checkLists()
    }

    /// Whether the attempts that are under way leave waiters without a connection.
    private var isShort: Bool {
        let rest = waiting.count - min(draining.count, waiting.count - requiresNewConnection.count)
        guard rest > 0, attempts.count + lines.count < limit else { return false }
        return expectedCapacity.map { attempts.count * $0 < rest } ?? attempts.isEmpty
    }

    /// Compares the pool's lists with the connections: nothing is left in them, and nothing is in them twice.
    private func checkLists() {
        #expect(pool.idle.count == idle.count && Set(pool.idle) == idle)
        let multiplexed = lines.filter { $0.value.isMultiplexed }
        #expect(pool.multiplexed == Set(multiplexed.keys))
        #expect(Set(pool.withFreeSlots).count == pool.withFreeSlots.count, "a connection is listed twice")
        for id in pool.withFreeSlots {
            let line = multiplexed[id]
            let mayTakeMore = line.map { !$0.isRetired && $0.requests.count < $0.capacity } ?? false
            #expect(mayTakeMore && line?.requests.isEmpty == false, "connection \(id) has no free slot")
        }
        for (id, line) in multiplexed {
            #expect(pool.connections[id]?.used == line.requests.count, "connection \(id) leaks a slot")
            let isListed = idle.contains(id) || pool.withFreeSlots.contains(id)
            #expect(isListed || !hasFreeSlot(line), "connection \(id) has slots that are never used")
        }
    }
}
