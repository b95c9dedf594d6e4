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
        var handles: [ObjectIdentifier: RequestTask] = [:]
        var leases: [ObjectIdentifier: WeakLease] = [:]
        var refusal: ApusError?
        var dismissal: ApusError?
        var idleWaiters: [UnsafeContinuation<Void, Never>] = []
        var farewells: [Farewell] = []

        var isIdle: Bool { inFlight == 0 && waiting.isEmpty && handles.isEmpty }

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

    /// Whether what is asked for now is asked for by someone for whom requests with a place wait: it needs none.
    @TaskLocal static var admitsAtOnce = false

    private let limit: Int
    private let state = Lock(State())

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Applies for a place; `applicant` is asked for only where there is none now.
    func enter(_ applicant: () -> Applicant) -> Admission {
        state.withLock { state in
            if let refusal = state.refusal { return .refused(refusal) }
            guard state.inFlight >= limit || !state.waiting.isEmpty, !Self.admitsAtOnce else {
                state.inFlight += 1
                return .admitted
            }
            state.waiting.append(applicant())
            return .waiting
        }
    }

    /// Gives a place back, to whoever waits first.
    func leave() {
        let (next, idle) = state.withLock { state -> (Applicant?, [UnsafeContinuation<Void, Never>]) in
            // Above the limit is who was admitted at once: that place is nobody's.
            if state.inFlight <= limit, let next = state.waiting.popFirst() { return (next, []) }
            state.inFlight -= 1
            return (nil, state.takeIdleWaiters())
        }
        next?.enter(nil)
        for waiter in idle { waiter.resume() }
    }

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

    /// Lists a handle until its request is over.
    func insert(_ task: RequestTask) {
        state.withLock { $0.handles[ObjectIdentifier(task)] = task }
    }

    func remove(_ task: RequestTask) {
        let waiters = state.withLock { state in
            state.handles[ObjectIdentifier(task)] = nil
            return state.takeIdleWaiters() + state.takeFarewells(to: ObjectIdentifier(task))
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when each of these handles is over.
    func waitUntilGone(_ handles: [RequestTask]) async {
        await withUnsafeContinuation { continuation in
            let areGone = state.withLock { state in
                let waited = Set(handles.map { ObjectIdentifier($0) }).intersection(state.handles.keys)
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
    var handles: [RequestTask] { state.withLock { Array($0.handles.values) } }

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
