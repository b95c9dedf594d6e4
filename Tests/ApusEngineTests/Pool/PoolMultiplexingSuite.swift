internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// The steps that the suites about connections of several requests share.
protocol PoolMultiplexingSuite {}

extension PoolMultiplexingSuite {
    var start: MonotonicInstant { MonotonicInstant(nanoseconds: 1_000_000_000) }

    /// The action for a connection that stays in use.
    var stays: PoolStateMachine.ConnectionAction { .stay }

    /// Returns a pool whose protocol is unknown, unless there is an expected capacity.
    func pool(
        limit: Int = 3,
        maximumAge: Duration? = nil,
        usesPerConnection: Int? = nil,
        expectedCapacity: Int? = nil
    ) -> PoolStateMachine {
        PoolStateMachine(
            limit: limit,
            idleTimeout: .seconds(60),
            maximumAge: maximumAge,
            usesPerConnection: usesPerConnection,
            expectedCapacity: expectedCapacity
        )
    }

    func after(_ duration: Duration) -> MonotonicInstant { start.advanced(by: duration) }

    /// Serves the waiters that a connection has slots for, as the pool does after a change of the connection.
    func fill(_ id: Int, in pool: inout PoolStateMachine) -> [Int] {
        var served: [Int] = []
        while let waiter = pool.serveAnother(on: id, now: start) { served.append(waiter) }
        return served
    }

    /// Adds a connection in use, for waiters that no other one has a slot for.
    func multiplex(
        _ id: Int,
        capacity: Int,
        serving waiters: [Int],
        in pool: inout PoolStateMachine,
        at now: MonotonicInstant? = nil
    ) {
        let now = now ?? start
        for waiter in waiters { _ = pool.acquire(waiter, now: now) }
        pool.beginConnecting(id, now: now)
        var served: [Int] = []
        if case .lease(let waiter) = pool.connected(id, capacity: capacity, isMultiplexed: capacity > 1, now: now) {
            served.append(waiter)
        }
        served += fill(id, in: &pool)
        #expect(served == waiters)
        #expect(pool.isMultiplexed(id))
    }

    /// Adds an idle connection.
    func keepIdle(_ id: Int, capacity: Int, in pool: inout PoolStateMachine, at now: MonotonicInstant? = nil) {
        pool.beginPreparing(id, now: now ?? start)
        #expect(pool.connected(id, capacity: capacity, isMultiplexed: capacity > 1, now: now ?? start) == .keepIdle)
    }
}
