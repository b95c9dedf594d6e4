/// The ordered events that some monitor has not received, and the position of each monitor.
///
/// Events have increasing numbers. The log begins with the next event of the slowest monitor. It has no limit: events
/// other than progress wait as long as a monitor needs.
struct EventLog {
    /// The first `count` slots hold waiting events, and the others are empty. A monitor moves the events out one by one
    /// and returns the slots, since reused slots cost less than new ones.
    private var slots: [LoggedEvent?] = []
    private var count = 0
    /// The number of the first waiting event.
    private var first = 0
    /// For each monitor: the number of its next event.
    private var positions: [Int]
    /// For each monitor: whether it receives progress events.
    private let wantsProgress: [Bool]
    /// Empty slots for reuse.
    private var spare: [LoggedEvent?] = []

    /// The maximum number of slots that are kept for reuse. A burst may need more for a while.
    private static let keptCapacity = 4096

    /// - Parameter wantsProgress: For each monitor: whether it receives progress events.
    init(wantsProgress: [Bool]) {
        self.wantsProgress = wantsProgress
        self.positions = wantsProgress.map { _ in 0 }
    }

    /// The number of the next event to be added.
    private var end: Int { first + count }

    private var last: LoggedEvent? { count > 0 ? slots[count - 1] : nil }

    /// Appends an event.
    mutating func put(_ event: LoggedEvent) {
        var event = Optional(event)
        put(&event)
    }

    /// Appends an event by moving it.
    @inline(__always)
    mutating func put(_ event: inout LoggedEvent?) {
        guard !positions.isEmpty else { return }
        if event?.isProgress == true { putProgress(&event) } else { append(&event) }
    }

    @inline(__always)
    private mutating func append(_ event: inout LoggedEvent?) {
        if count < slots.count { swap(&slots[count], &event) } else { slots.append(event.take()) }
        count += 1
    }

    /// Appends progress, replacing the previous progress of the same body unless that was delivered. Monitors without
    /// progress skip the event if they have received all others.
    ///
    /// Drops trailing progress that all its listeners have received. Otherwise it would collect behind events that a
    /// slow monitor without progress has not taken.
    private mutating func putProgress(_ event: inout LoggedEvent?) {
        guard wantsProgress.contains(true) else { return }
        while let last, last.isProgress, isDeliveredToAll(end - 1) { removeLast() }
        if let last, event?.supersedes(last) == true, !isDelivered(end - 1) { removeLast() }
        let number = end
        append(&event)
        for monitor in positions.indices where !wantsProgress[monitor] && positions[monitor] == number {
            positions[monitor] = number + 1
        }
    }

    /// Removes the last event. Its number is used again.
    private mutating func removeLast() {
        count -= 1
        slots[count] = nil
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
    struct Taken {
        /// The first `count` elements are events.
        var events: [LoggedEvent?]
        let count: Int
        var released: [LoggedEvent?] = []
    }

    /// Takes all new events of a monitor. The slowest monitor takes the slots too. Events that others need are copied.
    mutating func take(by monitor: Int) -> Taken {
        let begin = positions[monitor] - first
        positions[monitor] = end
        let releasedCount = (positions.min() ?? end) - first
        let (all, ending) = (slots, count)
        if releasedCount == count {
            slots = spare
            spare = []
        } else if releasedCount > 0 {
            slots = Array(all[releasedCount..<count])
        }
        first += releasedCount
        count -= releasedCount
        return begin == 0
            ? Taken(events: all, count: ending)
            : Taken(events: Array(all[begin..<ending]), count: ending - begin, released: all)
    }

    /// Keeps emptied slots for reuse.
    mutating func reuse(_ slots: [LoggedEvent?]) {
        if slots.capacity <= Self.keptCapacity { spare = slots }
    }
}

/// An item of the log.
enum LoggedEvent: Sendable {
    case request(RequestSummary, RequestEvent)
    case sessionEnd(SessionEndTracker.End)

    var isProgress: Bool {
        if case .request(_, let event) = self { event.role == .progress } else { false }
    }

    /// Whether it is later progress of the same body as `other`.
    func supersedes(_ other: LoggedEvent) -> Bool {
        switch (self, other) {
        case (.request(let own, .contentSent), .request(let others, .contentSent)),
            (.request(let own, .contentReceived), .request(let others, .contentReceived)):
            own.id == others.id
        default: false
        }
    }
}
