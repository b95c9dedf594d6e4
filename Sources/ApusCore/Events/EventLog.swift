internal import DequeModule

/// The ordered events that some monitor has not received, and the position of each monitor.
///
/// Events have increasing numbers. The log begins with the next event of the slowest monitor. It has no limit: events
/// other than progress wait as long as a monitor needs.
struct EventLog: ~Copyable {
    private var events = UniqueDeque<LoggedEvent>()
    /// The number of the first waiting event.
    private var first = 0
    /// For each monitor: the number of its next event.
    private var positions: [Int]
    /// For each monitor: whether it receives progress events.
    private let wantsProgress: [Bool]
    /// Empty storage for reuse, since new storage costs more.
    private var spare = UniqueDeque<LoggedEvent>()

    /// The maximum capacity of storage that is kept for reuse. A burst may need more for a while.
    private static let keptCapacity = 4096

    /// - Parameter wantsProgress: For each monitor: whether it receives progress events.
    init(wantsProgress: [Bool]) {
        self.wantsProgress = wantsProgress
        self.positions = wantsProgress.map { _ in 0 }
    }

    /// The number of the next event to be added.
    private var end: Int { first + events.count }

    private var last: LoggedEvent? { events.isEmpty ? nil : events[events.count - 1] }

    /// Appends an event by moving it. The caller knows whether it is progress, since looking into it would copy it.
    @inline(__always)
    mutating func put(_ event: consuming LoggedEvent, isProgress: Bool) {
        guard !positions.isEmpty else { return }
        if isProgress { putProgress(consume event) } else { events.append(consume event) }
    }

    /// Appends progress, replacing the previous progress of the same body unless that was delivered. Monitors without
    /// progress skip the event if they have received all others.
    ///
    /// Drops trailing progress that all its listeners have received. Otherwise it would collect behind events that a
    /// slow monitor without progress has not taken.
    private mutating func putProgress(_ event: LoggedEvent) {
        guard wantsProgress.contains(true) else { return }
        while let last, last.isProgress, isDeliveredToAll(end - 1) { removeLast() }
        if let last, event.supersedes(last), !isDelivered(end - 1) { removeLast() }
        let number = end
        events.append(event)
        for monitor in positions.indices where !wantsProgress[monitor] && positions[monitor] == number {
            positions[monitor] = number + 1
        }
    }

    /// Removes the last event. Its number is used again.
    private mutating func removeLast() {
        _ = events.removeLast()
        for monitor in positions.indices { positions[monitor] = min(positions[monitor], end) }
    }

    /// Whether all monitors with progress have received the event with this number.
    private func isDeliveredToAll(_ number: Int) -> Bool {
        positions.indices.allSatisfy { !wantsProgress[$0] || positions[$0] > number }
    }

    /// Whether a monitor with progress has received the event with this number.
    private func isDelivered(_ number: Int) -> Bool {
        positions.indices.contains { wantsProgress[$0] && positions[$0] > number }
    }

    /// Whether there are events that a monitor has not received.
    func hasMore(for monitor: Int) -> Bool { positions[monitor] < end }

    /// The events for a monitor, and the events that no monitor needs any more. Those are released outside of the lock.
    struct Taken: ~Copyable {
        let monitor: Int
        var events = UniqueDeque<LoggedEvent>()
        var released = UniqueDeque<LoggedEvent>()
    }

    /// Takes all new events of a monitor. The slowest monitor takes their storage too. Events that others need are
    /// copied.
    mutating func take(by monitor: Int) -> Taken {
        let begin = positions[monitor] - first
        positions[monitor] = end
        let releasedCount = (positions.min() ?? end) - first
        guard begin > 0 || releasedCount < events.count else {
            first = end
            var taken = Taken(monitor: monitor)
            swap(&taken.events, &events)
            swap(&events, &spare)
            return taken
        }
        var taken = Taken(monitor: monitor)
        for index in begin..<events.count { taken.events.append(events[index]) }
        for _ in 0..<releasedCount { taken.released.append(events.removeFirst()) }
        first += releasedCount
        return taken
    }

    /// Keeps emptied storage for reuse.
    mutating func reuse(_ storage: consuming UniqueDeque<LoggedEvent>) {
        if storage.capacity <= Self.keptCapacity { spare = storage }
    }
}

/// An item of the log.
enum LoggedEvent: Sendable {
    case request(RequestEntry)
    case sessionEnd(SessionEndTracker.End)

    /// An event with the request that it belongs to. A structure, since tuples are copied without specialization.
    struct RequestEntry: Sendable {
        let request: RequestSummary
        let event: RequestEvent
        /// The event that happened together with it. Not an item of its own, which would cost as much as the first.
        let follower: RequestEvent.Follower?
    }

    static func request(
        _ request: RequestSummary,
        _ event: consuming RequestEvent,
        then follower: RequestEvent.Follower? = nil
    ) -> LoggedEvent {
        .request(RequestEntry(request: request, event: consume event, follower: follower))
    }

    var isProgress: Bool {
        if case .request(let entry) = self { entry.event.role == .progress } else { false }
    }

    /// Whether it is later progress of the same body as `other`.
    func supersedes(_ other: LoggedEvent) -> Bool {
        guard case .request(let own) = self, case .request(let others) = other else { return false }
        switch (own.event, others.event) {
        case (.contentSent, .contentSent), (.contentReceived, .contentReceived):
            return own.request.id == others.request.id
        default: return false
        }
    }
}
