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
    private var places: [Int]
    /// For each monitor: whether it receives progress events.
    private let hearProgress: [Bool]
    /// Empty slots for reuse.
    private var spare: [LoggedEvent?] = []

    /// The maximum number of slots that are kept for reuse. A burst may need more for a while.
    private static let keptCapacity = 4096

    /// - Parameter hearProgress: For each monitor: whether it receives progress events.
    init(hearProgress: [Bool]) {
        self.hearProgress = hearProgress
        self.places = hearProgress.map { _ in 0 }
    }

    /// The number of the next event to be added.
    private var end: Int { first + count }

    private var last: LoggedEvent? { count > 0 ? slots[count - 1] : nil }

    /// Appends an event.
    mutating func put(_ logged: LoggedEvent) {
        var logged = Optional(logged)
        put(&logged)
    }

    /// Appends an event by moving it.
    @inline(__always)
    mutating func put(_ logged: inout LoggedEvent?) {
        guard !places.isEmpty else { return }
        if logged?.isProgress == true { putProgress(&logged) } else { append(&logged) }
    }

    @inline(__always)
    private mutating func append(_ logged: inout LoggedEvent?) {
        if count < slots.count { swap(&slots[count], &logged) } else { slots.append(logged.take()) }
        count += 1
    }

    /// Appends progress, replacing the previous progress of the same body unless that was delivered. Monitors without
    /// progress skip the event if they have received all others.
    ///
    /// Drops trailing progress that all its listeners have received. Otherwise it would collect behind events that a
    /// slow monitor without progress has not taken.
    private mutating func putProgress(_ logged: inout LoggedEvent?) {
        guard hearProgress.contains(true) else { return }
        while let last, last.isProgress, isToldToAll(end - 1) { removeLast() }
        if let last, logged?.supersedes(last) == true, !isTold(end - 1) { removeLast() }
        let number = end
        append(&logged)
        for monitor in places.indices where !hearProgress[monitor] && places[monitor] == number {
            places[monitor] = number + 1
        }
    }

    /// Removes the last event. Its number is used again.
    private mutating func removeLast() {
        count -= 1
        slots[count] = nil
        for monitor in places.indices { places[monitor] = min(places[monitor], end) }
    }

    /// Whether all monitors with progress have received the event with this number.
    private func isToldToAll(_ number: Int) -> Bool {
        places.indices.allSatisfy { !hearProgress[$0] || places[$0] > number }
    }

    /// Whether a monitor with progress has received the event with this number.
    private func isTold(_ number: Int) -> Bool {
        places.indices.contains { hearProgress[$0] && places[$0] > number }
    }

    /// Whether there are events that a monitor has not received.
    func hasMore(for monitor: Int) -> Bool { places[monitor] < end }

    /// The events for a monitor, and the events that no monitor needs any more. Those are released outside of the lock.
    struct Taken {
        /// The first `count` elements are events.
        var logged: [LoggedEvent?]
        let count: Int
        var gone: [LoggedEvent?] = []
    }

    /// Takes all new events of a monitor. The slowest monitor takes the slots too. Events that others need are copied.
    mutating func take(by monitor: Int) -> Taken {
        let begin = places[monitor] - first
        places[monitor] = end
        let gone = (places.min() ?? end) - first
        let (all, ending) = (slots, count)
        if gone == count {
            slots = spare
            spare = []
        } else if gone > 0 {
            slots = Array(all[gone..<count])
        }
        first += gone
        count -= gone
        return begin == 0
            ? Taken(logged: all, count: ending)
            : Taken(logged: Array(all[begin..<ending]), count: ending - begin, gone: all)
    }

    /// Keeps emptied slots for reuse.
    mutating func reuse(_ slots: [LoggedEvent?]) {
        if slots.capacity <= Self.keptCapacity { spare = slots }
    }
}

/// An item of the log.
enum LoggedEvent: Sendable {
    case request(RequestID, RequestEvent)
    case sessionEnd(SessionEndTracker.End)

    var isProgress: Bool {
        if case .request(_, let event) = self { event.role == .progress } else { false }
    }

    /// Whether it is later progress of the same body as `other`.
    func supersedes(_ other: LoggedEvent) -> Bool {
        switch (self, other) {
        case (.request(let own, .contentSent), .request(let others, .contentSent)),
            (.request(let own, .contentReceived), .request(let others, .contentReceived)):
            own == others
        default: false
        }
    }
}
