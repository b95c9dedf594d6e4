/// What some monitor was not told yet, in order, and the place of each monitor in it.
///
/// Numbers grow with each event and never shrink: the log begins with the one that the slowest monitor is told next.
struct EventLog {
    /// Optional, so that whoever tells them can move one after the other out.
    private var waiting: [Told?] = []
    /// The number of the first in `waiting`.
    private var first = 0
    /// For each monitor: the number of what it is told next.
    private var places: [Int]
    /// For each monitor: whether it is told progress.
    private let hearProgress: [Bool]
    /// The storage of what was told last, to be filled again.
    private var spare: [Told?] = []

    /// The storage for so many events is kept; what a burst has needed goes back.
    private static let keptCapacity = 4096

    /// - Parameter hearProgress: For each monitor: whether it is told progress.
    init(hearProgress: [Bool]) {
        self.hearProgress = hearProgress
        self.places = hearProgress.map { _ in 0 }
    }

    /// The number of what comes next.
    private var end: Int { first + waiting.count }

    /// Puts an event behind all others.
    mutating func put(_ told: Told) {
        var told = Optional(told)
        put(&told)
    }

    /// Moves an event behind all others.
    @inline(__always)
    mutating func put(_ told: inout Told?) {
        guard let told = told.take(), !places.isEmpty else { return }
        if told.isProgress { putProgress(told) } else { waiting.append(told) }
    }

    /// Progress stands for what the last event has told of it, unless that was told. Monitors that hear none, and were told
    /// all else, have nothing to be told.
    private mutating func putProgress(_ told: Told) {
        if let last = waiting.last ?? nil, told.supersedes(last), !isTold(end - 1) {
            waiting.removeLast()
            for monitor in places.indices { places[monitor] = min(places[monitor], end) }
        }
        let number = end
        waiting.append(told)
        for monitor in places.indices where !hearProgress[monitor] && places[monitor] == number {
            places[monitor] = number + 1
        }
    }

    /// Whether a monitor that hears progress was told what has this number.
    private func isTold(_ number: Int) -> Bool {
        places.indices.contains { hearProgress[$0] && places[$0] > number }
    }

    /// Whether there is something that a monitor was not told.
    func hasMore(for monitor: Int) -> Bool { places[monitor] < end }

    /// What a monitor takes, and what nobody needs any more: that goes away outside of the lock.
    struct Taken {
        var told: [Told?]
        var gone: [Told?] = []
    }

    /// Takes all that a monitor was not told.
    mutating func take(by monitor: Int) -> Taken {
        let begin = places[monitor] - first
        places[monitor] = end
        let gone = (places.min() ?? end) - first
        guard begin > 0 || gone < waiting.count else {
            defer {
                waiting = spare
                spare = []
            }
            first = end
            return Taken(told: waiting)
        }
        var taken = Taken(told: Array(waiting[begin...]))
        taken.gone = Array(waiting.prefix(gone))
        waiting.removeFirst(gone)
        first += gone
        return taken
    }

    /// Takes back the storage of what a monitor was told.
    mutating func reuse(_ storage: [Told?]) {
        if storage.capacity <= Self.keptCapacity { spare = storage }
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
