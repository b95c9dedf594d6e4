internal import DequeModule

/// Who is on the way, who waits to be, and who wants to know when all are done.
///
/// Above the in-flight limit a request waits here, before anything is done for it, holding its handle alone.
final class Roster: Sendable {
    /// Someone who waits to be let in.
    final class Applicant: Sendable {
        let enter: @Sendable (ApusError?) -> Void

        init(enter: @escaping @Sendable (ApusError?) -> Void) {
            self.enter = enter
        }
    }

    /// A place that is held until a content was read: whoever ends the session takes it back.
    protocol Lease: AnyObject, Sendable {
        func giveUp(_ error: ApusError)
    }

    /// Someone whose request waits for code of the user's, or for the time of its retry, and who can be sent away.
    final class Pause: Sendable {
        let giveUp: @Sendable (ApusError) -> Void

        init(giveUp: @escaping @Sendable (ApusError) -> Void) {
            self.giveUp = giveUp
        }
    }

    private struct WeakLease {
        weak var lease: (any Lease)?
    }

    /// Someone who waits until certain handles are over.
    private struct Farewell {
        var handles: Set<ObjectIdentifier>
        let continuation: UnsafeContinuation<Void, Never>
    }

    /// What becomes of an application.
    enum Admission {
        case admitted
        case waiting
        case refused(ApusError)
    }

    private struct State {
        var inFlight = 0
        var waiting = Deque<Applicant>()
        var handles = SlotList<RequestTask>()
        var leases: [ObjectIdentifier: WeakLease] = [:]
        /// How many have given their place back and may want another: those that have no handle.
        var absent = 0
        var pauses: [ObjectIdentifier: Pause] = [:]
        var refusal: ApusError?
        var dismissal: ApusError?
        var idleWaiters: [UnsafeContinuation<Void, Never>] = []
        var farewells: [Farewell] = []

        var isIdle: Bool { inFlight == 0 && waiting.isEmpty && handles.isEmpty && absent == 0 }

        mutating func takeIdleWaiters() -> [UnsafeContinuation<Void, Never>] {
            guard isIdle else { return [] }
            defer { idleWaiters = [] }
            return idleWaiters
        }

        mutating func takeFarewells(to handle: ObjectIdentifier) -> [UnsafeContinuation<Void, Never>] {
            guard !farewells.isEmpty else { return [] }
            for index in farewells.indices { farewells[index].handles.remove(handle) }
            defer { farewells.removeAll { $0.handles.isEmpty } }
            return farewells.filter(\.handles.isEmpty).map(\.continuation)
        }
    }

    /// The rosters whose requests with a place wait for what runs now: what it asks for there needs no place.
    @TaskLocal private static var awaited: [ObjectIdentifier] = []

    private let limit: Int
    private let state = Lock(State())

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Runs code of the user's that requests with a place wait for, which may hold every place there is: what it asks of
    /// the same session needs none.
    func awaiting<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await Self.$awaited.withValue(Self.awaited + [ObjectIdentifier(self)]) { try await operation() }
    }

    /// The same, for what begins such code.
    func beginningAwaited<Value>(_ operation: () -> Value) -> Value {
        Self.$awaited.withValue(Self.awaited + [ObjectIdentifier(self)], operation: operation)
    }

    /// Whether who asks now is code of the user's that requests wait for, whichever session they are of.
    static var isAskedByUserCode: Bool { !awaited.isEmpty }

    private var isAwaited: Bool { Self.awaited.contains(ObjectIdentifier(self)) }

    /// Applies for a place; `applicant` is asked for only where there is none now.
    ///
    /// - Parameters:
    ///   - again: Whether its request had one before: while a session that is closed has its grace, those are let in who
    ///     were in flight already, and whom they wait for.
    ///   - applicant: Who waits, where that has to be.
    /// - Returns: What becomes of it.
    func enter(again: Bool = false, _ applicant: () -> Applicant) -> Admission {
        state.withLock { state in
            if let refusal = state.refusal {
                if let dismissal = state.dismissal { return .refused(dismissal) }
                guard again || isAwaited else { return .refused(refusal) }
            }
            guard state.inFlight >= limit || !state.waiting.isEmpty, !isAwaited else {
                state.inFlight += 1
                return .admitted
            }
            state.waiting.append(applicant())
            return .waiting
        }
    }

    /// Takes a place where nothing stands against it; else it changes nothing.
    func entersAtOnce() -> Bool {
        state.withLock { state in
            guard state.refusal == nil, state.inFlight < limit, state.waiting.isEmpty else { return false }
            state.inFlight += 1
            return true
        }
    }

    /// Gives a place back, to whoever waits first.
    ///
    /// - Parameter isAbsent: Whether its request may want another, and has no handle to be known by: it counts as absent
    ///   until it returns.
    func leave(isAbsent: Bool = false) {
        let (next, idle) = state.withLock { state -> (Applicant?, [UnsafeContinuation<Void, Never>]) in
            if isAbsent { state.absent += 1 }
            // Above the limit is who was admitted at once: that place is nobody's.
            if state.inFlight <= limit, let next = state.waiting.popFirst() { return (next, []) }
            state.inFlight -= 1
            return (nil, state.takeIdleWaiters())
        }
        next?.enter(nil)
        for waiter in idle { waiter.resume() }
    }

    /// Ends an absence: there is another place, or none is wanted.
    func endAbsence() {
        let idle = state.withLock { state in
            state.absent -= 1
            return state.takeIdleWaiters()
        }
        for waiter in idle { waiter.resume() }
    }

    /// Lists who waits for something else than a place or the wire; who was sent away already is so at once.
    func begin(_ pause: Pause) {
        let dismissal = state.withLock { state in
            state.pauses[ObjectIdentifier(pause)] = pause
            return state.dismissal
        }
        if let dismissal { pause.giveUp(dismissal) }
    }

    func end(_ pause: Pause) {
        state.withLock { $0.pauses[ObjectIdentifier(pause)] = nil }
    }

    /// Those who wait for something else than a place or the wire.
    var pauses: [Pause] { state.withLock { Array($0.pauses.values) } }

    /// Withdraws an application; `false` where it was granted already.
    func withdraw(_ applicant: Applicant) -> Bool {
        let (isWithdrawn, idle) = state.withLock { state -> (Bool, [UnsafeContinuation<Void, Never>]) in
            guard let index = state.waiting.firstIndex(where: { $0 === applicant }) else { return (false, []) }
            state.waiting.remove(at: index)
            return (true, state.takeIdleWaiters())
        }
        for waiter in idle { waiter.resume() }
        return isWithdrawn
    }

    /// Withdraws many applications, all in one pass; returns those that were not granted yet.
    func withdraw(_ applicants: [Applicant]) -> [Applicant] {
        guard !applicants.isEmpty else { return [] }
        let unwanted = Set(applicants.map { ObjectIdentifier($0) })
        let (withdrawn, idle) = state.withLock { state -> ([Applicant], [UnsafeContinuation<Void, Never>]) in
            let withdrawn = state.waiting.filter { unwanted.contains(ObjectIdentifier($0)) }
            state.waiting.removeAll { unwanted.contains(ObjectIdentifier($0)) }
            return (Array(withdrawn), state.takeIdleWaiters())
        }
        for waiter in idle { waiter.resume() }
        return withdrawn
    }

    /// Lists a handle until its request is over; returns the place to remove it from.
    func insert(_ task: RequestTask) -> Int { state.withLock { $0.handles.insert(task) } }

    func remove(_ task: RequestTask, at place: Int) {
        let (idle, farewells) = state.withLock { state in
            _ = state.handles.remove(at: place)
            return (state.takeIdleWaiters(), state.takeFarewells(to: ObjectIdentifier(task)))
        }
        for waiter in idle { waiter.resume() }
        for waiter in farewells { waiter.resume() }
    }

    /// Returns when each of these handles is over.
    func waitUntilGone(_ handles: [RequestTask]) async {
        await withUnsafeContinuation { continuation in
            let areGone = state.withLock { state in
                let listed = state.handles.elements.map { ObjectIdentifier($0) }
                let waited = Set(handles.map { ObjectIdentifier($0) }).intersection(listed)
                if !waited.isEmpty { state.farewells.append(Farewell(handles: waited, continuation: continuation)) }
                return waited.isEmpty
            }
            if areGone { continuation.resume() }
        }
    }

    /// Lists the holder of a place until it gives the place back; where all are sent away already, it is too.
    func insert(_ lease: some Lease) {
        let dismissal = state.withLock { state in
            state.leases[ObjectIdentifier(lease)] = WeakLease(lease: lease)
            return state.dismissal
        }
        if let dismissal { lease.giveUp(dismissal) }
    }

    func remove(_ lease: some Lease) {
        state.withLock { $0.leases[ObjectIdentifier(lease)] = nil }
    }

    /// The contents that are still being read, or held.
    var leases: [any Lease] { state.withLock { $0.leases.values.compactMap(\.lease) } }

    /// The handles that were started and are not over.
    var handles: [RequestTask] { state.withLock { $0.handles.elements } }

    /// How many requests are on their way, and how many wait.
    var counts: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.waiting.count) } }

    /// From now on nobody is let in; who waits goes on waiting.
    func close(with refusal: ApusError) {
        state.withLock { $0.refusal = $0.refusal ?? refusal }
    }

    /// Sends away who waits; the holders of places are the caller's to send away.
    func turnAway(with refusal: ApusError) {
        let (waiting, idle) = state.withLock { state -> (Deque<Applicant>, [UnsafeContinuation<Void, Never>]) in
            state.dismissal = state.dismissal ?? refusal
            let waiting = state.waiting
            state.waiting = []
            return (waiting, state.takeIdleWaiters())
        }
        for applicant in waiting { applicant.enter(refusal) }
        for waiter in idle { waiter.resume() }
    }

    /// Returns when nobody is on the way and nobody waits.
    func waitUntilIdle() async {
        await withUnsafeContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.isIdle { state.idleWaiters.append(continuation) }
                return state.isIdle
            }
            if isIdle { continuation.resume() }
        }
    }
}
