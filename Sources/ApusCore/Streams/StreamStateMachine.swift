internal import DequeModule

/// The life cycle of a stream handle, the chunks that its handlers have not had yet, and the position of each handler.
///
/// ```
///   life    initialized → resumed ⇄ suspended → cancelled | finished
///   work    idle → reading → draining → over
/// ```
///
/// `initialized` can change to any state. In `draining` nothing more is read, and handlers still have to get chunks. A
/// cancellation drops these chunks. `over` means that each handler has its completion, or takes it as its next step.
///
/// A chunk is kept until the slowest handler has had it. Without a handler, all chunks are kept, and reading stops at
/// the limit.
struct StreamStateMachine: Sendable {
    enum Work: Sendable { case idle, reading, draining, over }

    private struct Entry: Sendable {
        let handler: StreamHandler
        /// The number of its next chunk.
        var position: Int
        /// Whether it takes a step, or was woken to take one.
        var isAwake = false

        var takesChunks: Bool { handler.takesChunks }
    }

    /// The actions that follow a change. They are taken outside the lock.
    struct Effects: Sendable {
        /// The handlers to wake.
        var woken: [(handler: StreamHandler, id: Int)] = []
        /// The gate that the reader waits at.
        var gate: Deferred<Void>?
        /// Whether this change has ended the request.
        var isOver = false
    }

    private(set) var life = RequestState.initialized
    private(set) var work = Work.idle
    private let limit: Int
    private var window = Deque<BodyChunk>()
    /// The number of the first chunk in the window.
    private var base = 0
    /// The handlers that do not have their completion, by number.
    private var entries: [Int: Entry] = [:]
    private var nextID = 0
    /// The number of handlers whose next chunk is the first in the window.
    private var slowestCount = 0
    private var hadHandlers = false
    /// Whether a handler that takes chunks was added.
    private(set) var hadReceivers = false
    private var gate: Deferred<Void>?

    /// `limit` is the maximum number of chunks that are kept.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    private var end: Int { base + window.count }

    private var isEnding: Bool { work == .draining || work == .over }

    /// Whether a handler still waits for its completion.
    var hasHandlers: Bool { !entries.isEmpty }

    /// Whether a handler still takes chunks.
    var hasReceivers: Bool { hasReceivers(besides: nil) }

    /// Whether another handler still takes chunks.
    func hasReceivers(besides id: Int?) -> Bool { entries.contains { $0.key != id && $0.value.takesChunks } }

    /// Whether a handler does not have its completion.
    func hasHandler(_ id: Int) -> Bool { entries[id] != nil }

    // MARK: User actions

    enum ResumeAction: Sendable {
        case ignore
        case start
        /// Read on. The reader may wait at a gate.
        case proceed(Effects)
    }

    mutating func resume() -> ResumeAction {
        guard life == .initialized || life == .suspended else { return .ignore }
        life = .resumed
        guard work == .idle else { return .proceed(settled()) }
        work = .reading
        return .start
    }

    /// Suspends the request. Returns whether that had an effect.
    mutating func suspend() -> Bool {
        guard life == .initialized || life == .resumed else { return false }
        life = .suspended
        return true
    }

    /// Cancels the request, and drops the chunks that handlers have not had. Returns `nil` if it is over.
    mutating func cancel() -> Effects? {
        guard work != .over else { return nil }
        life = .cancelled
        work = .draining
        base = end
        window.removeAll()
        for id in entries.keys { entries[id]?.position = base }
        return settled()
    }

    /// Adds a handler. It begins with the oldest chunk that is kept. Returns its number.
    mutating func add(_ handler: StreamHandler) -> (id: Int, effects: Effects) {
        let id = nextID
        nextID += 1
        hadHandlers = true
        if handler.takesChunks { hadReceivers = true }
        entries[id] = Entry(handler: handler, position: base)
        return (id, settled())
    }

    /// Removes a handler. Returns `nil` if it has its completion.
    mutating func remove(_ id: Int) -> (handler: StreamHandler, effects: Effects)? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        return (entry.handler, settled())
    }

    // MARK: The reader

    enum Passage: Sendable {
        /// There is room for a chunk.
        case open
        /// The request does not read any more.
        case closed
        case wait(Deferred<Void>)
    }

    /// Returns whether the next chunk may be read or added.
    mutating func passage() -> Passage {
        guard work == .reading else { return .closed }
        if mayRead { return .open }
        let gate = gate ?? Deferred()
        self.gate = gate
        return .wait(gate)
    }

    private var mayRead: Bool { life != .suspended && window.count < limit }

    mutating func append(_ chunk: BodyChunk) -> Effects {
        guard work == .reading else { return Effects() }
        window.append(chunk)
        return settled()
    }

    /// Records that all chunks were read, or that reading has failed. Returns `nil` if the request has ended before.
    mutating func finishReading() -> Effects? {
        guard work == .reading else { return nil }
        work = .draining
        return settled()
    }

    // MARK: Steps of the handlers

    enum Step: Sendable {
        /// There is none now. The handler is woken for the next.
        case wait
        case chunk(BodyChunk, StreamHandler)
        /// The last step.
        case complete(StreamHandler)
    }

    /// Returns the step of a handler that is awake.
    mutating func step(_ id: Int) -> Step {
        guard let entry = entries[id] else { return .wait }
        if entry.takesChunks, entry.position < end {
            return .chunk(window[entry.position - base], entry.handler)
        }
        guard mayComplete(entry) else {
            entries[id]?.isAwake = false
            return .wait
        }
        entries[id] = nil
        return .complete(entry.handler)
    }

    /// Whether a handler gets its completion, once it has had its chunks. One without chunks gets it after all others
    /// have had theirs.
    private func mayComplete(_ entry: Entry) -> Bool { entry.takesChunks ? isEnding : work == .over }

    /// Records that a handler has had its chunk.
    mutating func advance(_ id: Int) -> Effects {
        guard let position = entries[id]?.position else { return Effects() }
        let next = min(position + 1, end)
        entries[id]?.position = next
        guard position == base else { return Effects() }
        slowestCount -= 1
        // Others still need the chunk, so nothing else has changed.
        return slowestCount > 0 ? Effects() : settled()
    }

    // MARK: Effects

    /// Drops the chunks that no handler needs, ends the request if it has none left, and returns the actions to take.
    private mutating func settled() -> Effects {
        var effects = Effects()
        trim()
        if work == .draining, window.isEmpty {
            work = .over
            if life != .cancelled { life = .finished }
            effects.isOver = true
        }
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) where !entry.isAwake {
            guard mayComplete(entry) || entry.takesChunks && entry.position < end else { continue }
            entries[id]?.isAwake = true
            effects.woken.append((entry.handler, id))
        }
        if work != .reading || mayRead { effects.gate = gate.take() }
        return effects
    }

    private mutating func trim() {
        guard hadHandlers else { return }
        let positions = entries.values.filter(\.takesChunks).map(\.position)
        let slowest = positions.min() ?? end
        window.removeFirst(slowest - base)
        base = slowest
        slowestCount = positions.count { $0 == slowest }
    }
}
