internal import ApusCore
internal import Foundation

/// The transfers of a queue, as its records describe them, and the order in which they start.
///
/// ```
///            ┌──────────── failed, willRetry ────────────┐
///            ▼                                           │
/// added ─→ waiting ──────── started ───────────────→ running ── finished ─→ finished
///           ▲ │  ▲                                    │  │                     │
///   resumed │ │  └────────── recover ─────────────────┤  └── failed ─→ failed  │ removed
///           │ ▼ paused                                │                 │      ▼
///          paused ◄──────────── paused ───────────────┘                 │    (gone)
///           ▲ resumed: waiting                                          │
///           └ any but finished: removed ─→ removing ── gone ─→ (gone)   └ resumed: waiting
/// ```
///
/// An upload ends with `uploaded` instead. While it is under way, `uploading` records the state from which it is
/// continued. The server may have received an upload that was started and has neither failed nor ended since.
///
/// It has no files, tasks or clocks. A record that does not fit the state of its transfer, or whose transfer is
/// unknown, changes nothing, since records may be lost or come twice. A transfer that was never started has no part of
/// a file, so it is gone as soon as it is removed.
struct TransferQueueState: Sendable {
    /// A transfer and its state.
    struct Entry: Sendable {
        enum State: Sendable {
            case waiting, paused, running, finished, failed, removing
        }

        let transfer: Transfer
        /// The number of the transfer in the order of arrival.
        let sequence: Int
        var state = State.waiting
        var failureCount = 0
        var failure: TransferFailure?
        /// The earliest time of the next attempt, in milliseconds since 1970.
        var notBefore: Int64 = 0
        /// Whether a part of the file may exist.
        var hasStarted = false
        /// The file that was complete before it was moved to its destination, or would have been.
        var placing: FileFingerprint?
        /// The file of a finished download.
        var file: FileFingerprint?
        /// The state from which an upload is continued. `nil` if the server has no part.
        var upload: ResumableUpload.State?
        /// Whether the server may have received an upload, since the end of its attempt is not recorded.
        var isUnderWay = false
        /// The response to a finished upload.
        var response: TransferResponse?
        /// The number of the transfer in the order in which they finished.
        var finishNumber = 0
        /// Whether it has a turn.
        var hasTurn = false
    }

    /// A transfer that may start. The last one in the order is the next.
    private struct Turn: Sendable, Comparable {
        let id: TransferID
        let priority: RequestPriority
        let sequence: Int

        static func < (one: Turn, other: Turn) -> Bool {
            one.priority == other.priority ? one.sequence > other.sequence : one.priority < other.priority
        }
    }

    private let longestDelay: Int64
    private var entries: [TransferID: Entry] = [:]
    private var nextSequence = 0
    private var nextFinish = 0
    private var turns: [Turn] = []
    private var turnsAreSorted = true
    /// The transfers that wait for a retry.
    private var delayed: Set<TransferID> = []
    private var removing: Set<TransferID> = []

    /// Creates the state after some records.
    ///
    /// - Parameters:
    ///   - records: The records, in order. Default: none.
    ///   - longestDelay: The longest delay of a retry, in milliseconds. A retry that is due later is due at once, since
    ///     the wall clock was set back.
    init(_ records: [TransferRecord] = [], longestDelay: Int64) {
        self.longestDelay = longestDelay
        for record in records { apply(record) }
    }

    // MARK: Records

    /// Applies a record. Returns whether it has changed anything.
    @discardableResult
    mutating func apply(_ record: TransferRecord) -> Bool {
        switch record {
        case .log: false
        case .added(let transfer): add(transfer)
        case .paused(let id): change(id, from: [.waiting, .running]) { $0.state = .paused }
        case .resumed(let id): resume(id)
        case .removed(let id): remove(id)
        case .started(let id): start(id)
        case .placing(let id, let file): change(id, of: .download, from: Self.open) { $0.placing = file }
        case .failed(let id, let attempt): fail(id, attempt)
        case .finished(let id, let file): finish(id, of: .download) { $0.file = file }
        case .uploading(let id, let state):
            // The request of a removed one may have been under way.
            change(id, of: .upload, from: Self.open.union([.removing])) { $0.upload = state }
        case .uploaded(let id, let response): finish(id, of: .upload) { $0.response = response }
        case .gone(let id): forget(id)
        }
    }

    private mutating func add(_ transfer: Transfer) -> Bool {
        guard entries[transfer.id] == nil else { return false }
        entries[transfer.id] = Entry(transfer: transfer, sequence: nextSequence)
        nextSequence += 1
        giveTurn(transfer.id)
        return true
    }

    private mutating func start(_ id: TransferID) -> Bool {
        // A retry that is started after a restart may still be among the delayed ones.
        delayed.remove(id)
        return change(id, from: [.waiting]) { entry in
            entry.state = .running
            entry.hasStarted = true
            entry.isUnderWay = entry.transfer.kind == .upload
            entry.notBefore = 0
        }
    }

    private mutating func resume(_ id: TransferID) -> Bool {
        guard var entry = entries[id] else { return false }
        switch entry.state {
        case .paused: break
        case .failed: (entry.failureCount, entry.failure) = (0, nil)
        case .waiting: guard entry.notBefore > 0 else { return false }
        case .running, .finished, .removing: return false
        }
        entry.state = .waiting
        entry.notBefore = 0
        entries[id] = entry
        delayed.remove(id)
        giveTurn(id)
        return true
    }

    private mutating func remove(_ id: TransferID) -> Bool {
        guard let entry = entries[id], entry.state != .removing else { return false }
        delayed.remove(id)
        if entry.state == .finished || !entry.leavesPart {
            entries[id] = nil
        } else {
            entries[id]?.state = .removing
            removing.insert(id)
        }
        return true
    }

    private mutating func forget(_ id: TransferID) -> Bool {
        guard removing.remove(id) != nil else { return false }
        entries[id] = nil
        return true
    }

    private mutating func fail(_ id: TransferID, _ attempt: TransferRecord.FailedAttempt) -> Bool {
        let isKnown = change(id, from: [.waiting, .running]) { entry in
            entry.state = attempt.notBefore == nil ? .failed : .waiting
            entry.failureCount = attempt.failureCount
            entry.failure = attempt.failure
            entry.notBefore = attempt.notBefore ?? 0
            // The attempt has not moved its file, or it would be finished.
            entry.placing = nil
            entry.isUnderWay = false
        }
        guard isKnown else { return false }
        if attempt.notBefore == nil { delayed.remove(id) } else { delayed.insert(id) }
        return true
    }

    private mutating func finish(_ id: TransferID, of kind: Transfer.Kind, _ end: (inout Entry) -> Void) -> Bool {
        let number = nextFinish
        let isKnown = change(id, of: kind, from: Self.open.union([.failed])) { entry in
            entry.state = .finished
            entry.placing = nil
            entry.upload = nil
            entry.isUnderWay = false
            entry.finishNumber = number
            end(&entry)
        }
        guard isKnown else { return false }
        nextFinish += 1
        delayed.remove(id)
        return true
    }

    /// The states of a transfer that has not ended.
    private static let open: Set<Entry.State> = [.waiting, .running, .paused]

    private mutating func change(
        _ id: TransferID,
        of kind: Transfer.Kind? = nil,
        from states: Set<Entry.State>,
        _ change: (inout Entry) -> Void
    ) -> Bool {
        guard var entry = entries[id], states.contains(entry.state), kind == nil || kind == entry.transfer.kind else {
            return false
        }
        change(&entry)
        entries[id] = entry
        return true
    }

    /// Lets the transfers wait that were running when the process ended.
    mutating func recover() {
        let interrupted = entries.values.filter { $0.state == .running }.map(\.transfer.id)
        for id in interrupted {
            entries[id]?.state = .waiting
            giveTurn(id)
        }
    }

    // MARK: Starting

    private mutating func giveTurn(_ id: TransferID) {
        guard let entry = entries[id], !entry.hasTurn else { return }
        entries[id]?.hasTurn = true
        turns.append(Turn(id: id, priority: entry.transfer.priority, sequence: entry.sequence))
        turnsAreSorted = false
        // Each transfer has one turn at most. Those of removed ones would add up while none may start.
        guard turns.count > 2 * entries.count + Self.spareTurnCount else { return }
        turns = turns.filter { entries[$0.id]?.sequence == $0.sequence }
    }

    private static let spareTurnCount = 1_000

    /// The number of turns, with those of removed transfers.
    var turnCount: Int { turns.count }

    /// Takes the next work: a removal, or the waiting transfer with the highest priority that has waited longest. A
    /// transfer that is returned is running.
    ///
    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - busy: The transfers with work that has not ended. They are left out, and so are those with the same files.
    ///     Uploads of one file do not exclude each other.
    ///   - canStart: Whether a transfer may start.
    ///   - canDiscard: Whether a removal may start. Default: `true`.
    /// - Returns: The work, or `nil` if there is none.
    mutating func next(at now: Int64, busy: Set<TransferID>, canStart: Bool, canDiscard: Bool = true) -> QueueWork? {
        if canDiscard, let id = removing.first(where: { !busy.contains($0) }), let entry = entries[id] {
            if let state = entry.upload { return .withdraw(entry.transfer, state) }
            return .discard(entry.transfer)
        }
        guard canStart else { return nil }
        endDelays(at: now)
        if !turnsAreSorted { turns.sort() }
        turnsAreSorted = true
        let working = busy.compactMap { entries[$0]?.transfer }
        let read = Set(working.filter { $0.kind == .upload }.map(\.destination))
        let written = Set(working.filter { $0.kind != .upload }.map(\.destination))
        for index in turns.indices.reversed() {
            let turn = turns[index]
            guard let entry = entries[turn.id], entry.sequence == turn.sequence else {
                turns.remove(at: index)
                continue
            }
            let isWaiting = entry.state == .waiting && !delayed.contains(turn.id)
            let (file, isUpload) = (entry.transfer.destination, entry.transfer.kind == .upload)
            let isInUse = written.contains(file) || !isUpload && read.contains(file)
            if isWaiting, busy.contains(turn.id) || isInUse { continue }
            turns.remove(at: index)
            entries[turn.id]?.hasTurn = false
            guard isWaiting else { continue }
            apply(.started(turn.id))
            guard isUpload else { return .perform(entry.transfer, placed: entry.placing) }
            return .upload(entry.transfer, entry.upload, wasStopped: entry.isUnderWay)
        }
        return nil
    }

    private mutating func endDelays(at now: Int64) {
        let due = delayed.filter { delay(of: $0, at: now) == 0 }
        for id in due {
            delayed.remove(id)
            if entries[id]?.state == .waiting { giveTurn(id) }
        }
    }

    /// Returns the time until a retry is due, in milliseconds.
    private func delay(of id: TransferID, at now: Int64) -> Int64 {
        guard let entry = entries[id], entry.state == .waiting else { return 0 }
        let (delay, overflow) = entry.notBefore.subtractingReportingOverflow(now)
        return overflow || delay > longestDelay ? 0 : max(0, delay)
    }

    /// Returns the time until the next retry is due, in milliseconds. `nil` if none is.
    func nextDelay(at now: Int64) -> Int64? {
        delayed.map { delay(of: $0, at: now) }.min()
    }

    // MARK: Reading

    /// The number of transfers.
    var count: Int { entries.count }

    /// Whether no transfer runs, waits, or is being removed.
    var isIdle: Bool {
        entries.values.allSatisfy { entry in
            switch entry.state {
            case .waiting, .running, .removing: false
            case .paused, .finished, .failed: true
            }
        }
    }

    /// Returns a transfer, or `nil` if it is unknown.
    subscript(id: TransferID) -> Entry? { entries[id] }

    /// All transfers in the order of their arrival, but those that are being removed.
    var transfers: [QueuedTransfer] {
        sorted.compactMap { QueuedTransfer($0) }
    }

    private var sorted: [Entry] { entries.values.sorted { $0.sequence < $1.sequence } }

    // MARK: Compacting

    /// The shortest list of records that leads to this state.
    var records: [TransferRecord] {
        let entries = sorted
        let finished = entries.filter { $0.state == .finished }.sorted { $0.finishNumber < $1.finishNumber }
        var records = entries.flatMap { entry in
            entry.transfer.kind == .upload ? Self.uploadRecords(of: entry) : Self.records(of: entry)
        }
        for entry in finished {
            if let file = entry.file { records.append(.finished(entry.transfer.id, file)) }
            if let response = entry.response { records.append(.uploaded(entry.transfer.id, response)) }
        }
        return records
    }

    private static func uploadRecords(of entry: Entry) -> [TransferRecord] {
        let id = entry.transfer.id
        var records: [TransferRecord] = [.added(entry.transfer)]
        if let state = entry.upload { records.append(.uploading(id, state)) }
        // Nothing else of it has an effect any more.
        if entry.state == .removing { return records + [.started(id), .removed(id)] }
        if let failure = entry.failure {
            let notBefore = entry.state == .failed ? nil : entry.notBefore
            let attempt = TransferRecord.FailedAttempt(
                failureCount: entry.failureCount,
                notBefore: notBefore,
                failure: failure
            )
            records += [.started(id), .failed(id, attempt)]
        }
        if entry.isUnderWay { records.append(.started(id)) }
        switch entry.state {
        case .waiting:
            if entry.isUnderWay { records += [.paused(id), .resumed(id)] }
        case .paused: records.append(.paused(id))
        case .running, .failed, .finished, .removing: break
        }
        return records
    }

    private static func records(of entry: Entry) -> [TransferRecord] {
        let id = entry.transfer.id
        var records: [TransferRecord] = [.added(entry.transfer)]
        if entry.hasStarted { records.append(.started(id)) }
        if let failure = entry.failure {
            let notBefore = entry.state == .failed ? nil : entry.notBefore
            let count = entry.failureCount
            records.append(
                .failed(id, TransferRecord.FailedAttempt(failureCount: count, notBefore: notBefore, failure: failure))
            )
            if entry.state == .running { records.append(.started(id)) }
        }
        if let file = entry.placing { records.append(.placing(id, file)) }
        switch entry.state {
        case .waiting: if entry.hasStarted, entry.failure == nil { records += [.paused(id), .resumed(id)] }
        case .paused: records.append(.paused(id))
        case .removing: records.append(.removed(id))
        case .running, .failed, .finished: break
        }
        return records
    }

    /// Forgets the transfers that finished first, so that a number of them are left.
    mutating func forgetFinished(keeping limit: Int) {
        let finished = entries.values.filter { $0.state == .finished }.sorted { $0.finishNumber < $1.finishNumber }
        for entry in finished.dropLast(max(0, limit)) { entries[entry.transfer.id] = nil }
    }

    /// Forgets the bodies of the responses that came first, so that the others have a number of bytes at most.
    mutating func forgetBodies(keeping limit: Int) {
        var rest = limit
        for entry in entries.values.sorted(by: { $0.finishNumber > $1.finishNumber }) {
            guard let response = entry.response, !response.body.isEmpty else { continue }
            rest -= response.body.count
            if rest < 0 { entries[entry.transfer.id]?.response = response.withoutBody }
        }
    }
}

extension TransferQueueState.Entry {
    /// Whether a part of the file, or the server's part of an upload, may be left if the transfer is removed now.
    fileprivate var leavesPart: Bool {
        // The job of an upload may not have ended, also if the transfer was paused before.
        transfer.kind == .upload ? upload != nil || isUnderWay : hasStarted
    }
}
