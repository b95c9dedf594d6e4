/// What some monitor was not told yet, in order, and the place of each monitor in it.
///
/// Numbers grow with each event and never shrink: the log begins with the one that the slowest monitor is told next.
struct EventLog {
    /// The first `count` slots hold the events that wait, the others are empty. A monitor moves the events out one by one and
    /// gives the slots back, since reused slots cost less than new ones.
    private var slots: [Told?] = []
    private var count = 0
    /// The number of the first event that waits.
    private var first = 0
    /// For each monitor: the number of what it is told next.
    private var places: [Int]
    /// For each monitor: whether it is told progress.
    private let hearProgress: [Bool]
    /// Empty slots, to be filled again.
    private var spare: [Told?] = []

    /// The most slots that are kept; a burst may need more for a while.
    private static let keptCapacity = 4096

    /// - Parameter hearProgress: For each monitor: whether it is told progress.
    init(hearProgress: [Bool]) {
        self.hearProgress = hearProgress
        self.places = hearProgress.map { _ in 0 }
    }

    /// The number of what comes next.
    private var end: Int { first + count }

    private var last: Told? { count > 0 ? slots[count - 1] : nil }

    /// Puts an event behind all others.
    mutating func put(_ told: Told) {
        var told = Optional(told)
        put(&told)
    }

    /// Moves an event behind all others.
    @inline(__always)
    mutating func put(_ told: inout Told?) {
        guard !places.isEmpty else { return }
        if told?.isProgress == true { putProgress(&told) } else { append(&told) }
    }

    @inline(__always)
    private mutating func append(_ told: inout Told?) {
        if count < slots.count { swap(&slots[count], &told) } else { slots.append(told.take()) }
        count += 1
    }

    /// Progress stands for what the last event has told of it, unless that was told. Monitors that hear none, and were told
    /// all else, have nothing to be told.
    ///
    /// Drops progress at the end that all its listeners were told. Otherwise it would gather behind events that a slow
    /// monitor, which hears no progress, has not taken.
    private mutating func putProgress(_ told: inout Told?) {
        guard hearProgress.contains(true) else { return }
        while let last, last.isProgress, isToldToAll(end - 1) { removeLast() }
        if let last, told?.supersedes(last) == true, !isTold(end - 1) { removeLast() }
        let number = end
        append(&told)
        for monitor in places.indices where !hearProgress[monitor] && places[monitor] == number {
            places[monitor] = number + 1
        }
    }

    /// Takes back the last; its number is the next one's.
    private mutating func removeLast() {
        count -= 1
        slots[count] = nil
        for monitor in places.indices { places[monitor] = min(places[monitor], end) }
    }

    /// Whether all monitors that hear progress were told the event with this number.
    private func isToldToAll(_ number: Int) -> Bool {
        places.indices.allSatisfy { !hearProgress[$0] || places[$0] > number }
    }

    /// Whether a monitor that hears progress was told what has this number.
    private func isTold(_ number: Int) -> Bool {
        places.indices.contains { hearProgress[$0] && places[$0] > number }
    }

    /// Whether there is something that a monitor was not told.
    func hasMore(for monitor: Int) -> Bool { places[monitor] < end }

    /// What a monitor takes, and what nobody needs any more: that goes away outside of the lock.
    struct Taken {
        /// The first `count` of them are events.
        var told: [Told?]
        let count: Int
        var gone: [Told?] = []
    }

    /// Takes all events that a monitor was not told. The slowest takes the slots too; events that others need are copied.
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
            ? Taken(told: all, count: ending)
            : Taken(told: Array(all[begin..<ending]), count: ending - begin, gone: all)
    }

    /// Takes back slots that are empty now.
    mutating func reuse(_ slots: [Told?]) {
        if slots.capacity <= Self.keptCapacity { spare = slots }
    }
}

/// What a monitor is told.
enum Told: Sendable {
    case request(RequestID, RequestEvent)
    case sessionEnd(SessionEnding.End)

    var isProgress: Bool {
        if case .request(_, let event) = self { event.role == .progress } else { false }
    }

    /// Whether it says how far a content is that `other` has told less of.
    func supersedes(_ other: Told) -> Bool {
        switch (self, other) {
        case (.request(let own, .contentSent), .request(let others, .contentSent)),
            (.request(let own, .contentReceived), .request(let others, .contentReceived)):
            own == others
        default: false
        }
    }
}
