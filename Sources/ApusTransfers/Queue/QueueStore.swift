internal import ApusCore
internal import Foundation

/// The transfers of a queue on disk and in memory. All changes of both happen on one serial queue, since writing
/// blocks.
///
/// ## The order of writes
/// The log is written only by the process that has the lock, and a record counts once it is in the log. "Durable" is a
/// record that was passed to the disk with `fsync`.
///
/// 1. `change`: a file in `incoming`, durable before the call returns. No lock is needed.
/// 2. `takeUp`: the records of that file, durable in the log. Then the file is removed, and its folder synchronized. A
///    kill in between lets the next run take the file up again. Its records have no effect then.
/// 3. `next`: `started`. It need not be durable: it only shows that a part of the file may exist.
/// 4. The download writes the part, and verifies it.
/// 5. `place`: `placing`, with the length and the digest of the complete part, durable.
/// 6. The download synchronizes the part, moves it to its destination, and synchronizes the folder.
/// 7. `finish`: `finished`, durable. After that, and only then, the event is reported.
///
/// A kill before 5 leaves a part, which the next run continues. After 5 and before 6 the part is complete: the next run
/// requests its last byte, and places it. After 6 and before 7 the destination has the length and the digest of
/// `placing`: the next run recognizes the file, appends `finished` and sends no request. After 7, the transfer is never
/// run and never reported again, whether or not the event was received. `transfers` has it until it is removed.
///
/// An upload has no steps 4 to 6. Its `started` is durable, so that a request that must not be repeated is known to be
/// under way before it is sent. The first `uploading` with an upload resource is durable too: a later run continues
/// there. Later ones have more confirmed bytes only, which the server is asked for anyway. `uploaded`, durable, has the
/// response. A kill before it lets the next run continue the upload, send it again if that is allowed, or fail it.
///
/// A removal is `removed`, durable, then the part is removed, then `gone`. A kill in between lets the next run remove
/// the part. A failure is `failed`, durable, before its event.
///
/// The log is compacted into a new file beside it, which is synchronized, renamed over the old one, and made durable by
/// a synchronization of the folder. Both files lead to the same state, so a kill at any moment changes nothing.
final class QueueStore: Sendable {
    /// The files of a queue that runs.
    private struct OpenFiles: Sendable {
        let lock: QueueLock
        var log: QueueLog
        let notify: @Sendable () -> Void
    }

    private let folder: QueueFolder
    private let incoming: IncomingChanges
    private let configuration: TransferQueue.Configuration
    private let events: TransferEvents
    private let transferCount: Int
    private let queue = DispatchQueue(label: "apus.transfer-queue")
    private let files = Lock<OpenFiles?>(nil)
    private let state: Lock<TransferQueueState>

    init(
        _ folder: QueueFolder,
        _ configuration: TransferQueue.Configuration,
        _ events: TransferEvents,
        transferCount: Int = QueueLimits.transferCount
    ) {
        self.transferCount = transferCount
        self.folder = folder
        self.incoming = IncomingChanges(in: folder)
        self.configuration = configuration
        self.events = events
        self.state = Lock(TransferQueueState(longestDelay: configuration.longestDelay))
    }

    // MARK: Of any process

    /// Writes a change, and notifies the run of this object.
    func change(_ records: [TransferRecord]) async throws(ApusError) {
        guard !records.isEmpty else { return }
        try await onQueue { [self] () throws(ApusError) in
            try incoming.write(records)
            // On the queue, since the lock is held while the log is written.
            let notify = files.withLock { $0?.notify }
            notify?()
        }
    }

    /// Returns the transfers, with the changes that were not taken up.
    func transfers() async throws(ApusError) -> [QueuedTransfer] {
        try await onQueue { [self] () throws(ApusError) -> [QueuedTransfer] in
            // Before the log: a change is in both for a moment, and never in none.
            var records: [TransferRecord] = []
            for name in try incoming.names() { records += try incoming.read(name)?.records ?? [] }
            var current = try currentState()
            for record in records {
                // The earlier transfer of this identifier is gone before the new one is taken up.
                if case .added(let transfer) = record { current.apply(.gone(transfer.id)) }
                current.apply(record)
            }
            return current.transfers
        }
    }

    private func currentState() throws(ApusError) -> TransferQueueState {
        if files.withLock({ $0 != nil }) { return state.withLock { $0 } }
        return TransferQueueState(try QueueLog.read(folder.log).records, longestDelay: configuration.longestDelay)
    }

    // MARK: Running

    /// Opens the files for a run, and takes up all changes.
    ///
    /// - Parameter notify: Called after a change of this object. It must not block.
    /// - Throws: `ApusError`: `fileInUse` if another one runs the queue, `fileUnwritable` or `fileUnreadable`.
    func begin(notifying notify: @escaping @Sendable () -> Void) async throws(ApusError) {
        try await onQueue { [self] () throws(ApusError) in
            let lock = try QueueLock(folder)
            folder.removeIncompleteLogs()
            incoming.removeIncomplete()
            let (log, list) = try QueueLog.opened(folder.log)
            var replayed = TransferQueueState(list.records, longestDelay: configuration.longestDelay)
            replayed.recover()
            let recovered = replayed
            state.withLock { $0 = recovered }
            files.withLock { $0 = OpenFiles(lock: lock, log: log, notify: notify) }
            for line in list.damagedLines { events.yield(.fault(.damagedRecord(line: line))) }
            do throws(ApusError) {
                try takeUpAll()
            } catch {
                closeFiles()
                throw error
            }
        }
    }

    /// Closes the files, and releases the lock.
    func end() async {
        let isOver = Deferred<Void>()
        queue.async { [self] in
            closeFiles()
            isOver.fulfill(())
        }
        await isOver.value
    }

    private func closeFiles() {
        let closed = files.withLock { files -> OpenFiles? in
            files?.log.closeFile()
            defer { files = nil }
            return files
        }
        // The lock is released here.
        withExtendedLifetime(closed) {}
    }

    /// Takes up the changes of all processes.
    func takeUp() async throws(ApusError) {
        try await onQueue { [self] () throws(ApusError) in try takeUpAll() }
    }

    private func takeUpAll() throws(ApusError) {
        var mayFindRoom = true
        while mayFindRoom {
            try compact()
            var names = try incoming.names()[...]
            var held = HeldChanges(transferCount: transferCount)
            var hasTaken = false
            while !names.isEmpty {
                if try takeUp(names.prefix(IncomingChanges.batchCount), &held) { hasTaken = true }
                names = names.dropFirst(IncomingChanges.batchCount)
            }
            guard held.lackRoom else { return }
            // Changes that find room now are taken up at once, since the run may end before its next poll.
            let hasGrown = files.withLock { $0?.log.hasGrown ?? false }
            if hasGrown { try compact(ifGrown: true) }
            mayFindRoom = hasTaken || hasGrown
        }
    }

    /// Takes up changes. Returns whether there were any that are not held back.
    private func takeUp(_ names: ArraySlice<String>, _ held: inout HeldChanges) throws(ApusError) -> Bool {
        var room = files.withLock { $0?.log.roomForAdditions } ?? 0
        var taken: [IncomingChanges.Change] = []
        var records: [TransferRecord] = []
        var removed: [TransferID] = []
        for name in names {
            guard let change = try incoming.read(name) else { continue }
            guard !state.withLock({ held.keep(change, of: $0, room: room) }) else { continue }
            if change.records.contains(where: \.isAddition) { room -= change.byteCount }
            taken.append(change)
            for record in change.records {
                guard state.withLock({ $0.apply(record) }) else { continue }
                records.append(record)
                guard case .removed(let id) = record, state.withLock({ $0[id] == nil }) else { continue }
                removed.append(id)
            }
        }
        try append(records)
        incoming.remove(taken)
        for change in taken where change.isDamaged { events.yield(.fault(.damagedChange(name: change.name))) }
        for id in removed { events.yield(.removed(id)) }
        return !taken.isEmpty
    }

    // MARK: Work

    /// Takes the next work that is due. `TransferQueueState.next` describes the parameters.
    func next(
        at now: Date,
        busy: Set<TransferID>,
        canStart: Bool,
        canDiscard: Bool
    ) async throws(ApusError) -> QueueWork? {
        try await onQueue { [self] () throws(ApusError) -> QueueWork? in
            let work = state.withLock {
                $0.next(at: now.milliseconds, busy: busy, canStart: canStart, canDiscard: canDiscard)
            }
            switch work {
            case .perform(let transfer, _): try append([.started(transfer.id)], isDurable: false)
            case .upload(let transfer, _, _): try append([.started(transfer.id)])
            case .discard, .withdraw, nil: break
            }
            return work
        }
    }

    /// Records that the file of a transfer is complete and is moved to its destination next. Blocks.
    ///
    /// - Throws: `ApusError`: `cancelled` if the transfer is not running any more, or `fileUnwritable`.
    func place(_ id: TransferID, _ file: FileFingerprint) throws(ApusError) {
        let outcome = queue.sync {
            Result<Void, ApusError> { () throws(ApusError) in
                guard state.withLock({ $0[id]?.state == .running }) else {
                    throw ApusError(.cancelled, "the transfer was paused or removed")
                }
                try commit(.placing(id, file))
            }
        }
        try outcome.get()
    }

    /// Records the end of a transfer, and reports it.
    func finish(_ transfer: Transfer, _ file: FileFingerprint) async throws(ApusError) {
        try await onQueue { [self] () throws(ApusError) in
            switch state.withLock({ $0[transfer.id]?.state }) {
            case .waiting, .paused, .running, .failed: break
            case .finished, .removing, nil: return
            }
            try commit(.finished(transfer.id, file))
            events.yield(.finished(transfer.id, TransferredFile(at: transfer.destination, file)))
        }
    }

    /// Records the state from which an upload is continued, unless the server has confirmed only a few more bytes.
    ///
    /// It is also recorded for a transfer that was paused or removed meanwhile, whose request may still be under way:
    /// the part at the server is continued or removed later.
    ///
    /// - Parameters:
    ///   - id: The identifier of the transfer.
    ///   - new: The state. `nil` if the server has lost its part.
    /// - Throws: `ApusError`: `cancelled` if the transfer is not running any more, or `fileUnwritable`.
    func keep(_ id: TransferID, _ new: ResumableUpload.State?) async throws(ApusError) {
        try await onQueue { [self] () throws(ApusError) in
            let entry = state.withLock { $0[id] }
            switch entry?.state {
            case .waiting, .paused, .running, .removing: try keep(id, new, after: entry?.upload)
            case .finished, .failed, nil: break
            }
            guard entry?.state == .running else {
                throw ApusError(.cancelled, "the transfer was paused or removed")
            }
        }
    }

    private func keep(
        _ id: TransferID,
        _ new: ResumableUpload.State?,
        after old: ResumableUpload.State?
    ) throws(ApusError) {
        guard new != old else { return }
        let isSame = new?.resource == old?.resource && new?.expiry == old?.expiry
        let advance = (new?.offset ?? 0) - (old?.offset ?? 0)
        guard !isSame || advance >= QueueLimits.confirmedBytes else { return }
        try commit(.uploading(id, new), isDurable: !isSame)
    }

    /// Records the response to an upload, and reports it.
    func finish(_ transfer: Transfer, _ response: TransferResponse) async throws(ApusError) {
        try await onQueue { [self] () throws(ApusError) in
            switch state.withLock({ $0[transfer.id]?.state }) {
            case .waiting, .paused, .running, .failed: break
            case .finished, .removing, nil: return
            }
            try commit(.uploaded(transfer.id, response))
            events.yield(.uploaded(transfer.id, response))
        }
    }

    /// Records a failure of a running transfer, and reports it.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - error: The error.
    ///   - now: The time of the failure.
    /// - Throws: `ApusError` if the failure can't be recorded.
    func fail(_ transfer: Transfer, _ error: ApusError, at now: Date) async throws(ApusError) {
        let rules = configuration.retryRules
        try await onQueue { [self] () throws(ApusError) in
            guard let entry = state.withLock({ $0[transfer.id] }), entry.state == .running else { return }
            let count = entry.failureCount &+ 1
            let isContinued = entry.upload != nil
            let delay = rules.delay(
                after: error,
                failureCount: count,
                of: transfer,
                isContinued: isContinued,
                at: now
            )
            let attempt = TransferRecord.FailedAttempt(
                failureCount: count,
                notBefore: delay.map { now.milliseconds &+ $0.wholeNanoseconds / 1_000_000 },
                failure: TransferFailure(error)
            )
            try commit(.failed(transfer.id, attempt))
            events.yield(.failed(transfer.id, error, willRetry: delay != nil))
        }
    }

    /// Records that the part of a removed transfer is gone, and reports the removal.
    func forget(_ id: TransferID) async throws(ApusError) {
        try await onQueue { [self] () throws(ApusError) in
            guard state.withLock({ $0[id]?.state == .removing }) else { return }
            try commit(.gone(id))
            events.yield(.removed(id))
        }
    }

    /// Whether a transfer is running, and was neither paused nor removed.
    func isRunning(_ id: TransferID) -> Bool { state.withLock { $0[id]?.state == .running } }

    /// Whether no transfer runs, waits, or is being removed.
    var isIdle: Bool { state.withLock { $0.isIdle } }

    /// Returns the time until the next retry is due. `nil` if none is.
    func nextDelay(at now: Date) -> Duration? {
        state.withLock { $0.nextDelay(at: now.milliseconds) }.map { .milliseconds($0) }
    }

    // MARK: Writing

    /// Appends a record, and then changes the state.
    private func commit(_ record: TransferRecord, isDurable: Bool = true) throws(ApusError) {
        try append([record], isDurable: isDurable)
        state.withLock { _ = $0.apply(record) }
        try compact()
    }

    private func append(_ records: [TransferRecord], isDurable: Bool = true) throws(ApusError) {
        guard !records.isEmpty else { return }
        try files.withLock { files throws(ApusError) -> Void in
            guard files != nil else { throw ApusError(.cancelled, "the queue does not run any more") }
            try files?.log.append(records, isDurable: isDurable)
        }
    }

    /// Compacts the log if that is due. Returns whether it was compacted.
    @discardableResult
    private func compact(ifGrown: Bool = false) throws(ApusError) -> Bool {
        let count = state.withLock { $0.count }
        let isDue = files.withLock { files -> Bool in
            guard let log = files?.log else { return false }
            return ifGrown && log.hasGrown || log.isDueForCompaction(transferCount: count)
        }
        guard isDue else { return false }
        var compacted = state.withLock { $0 }
        compacted.forgetFinished(keeping: configuration.keptFinished)
        compacted.forgetBodies(keeping: QueueLimits.keptResponseBytes)
        let records = compacted.records
        let isReplaced = try files.withLock { files throws(ApusError) -> Bool in
            try files?.log.replace(with: records) ?? false
        }
        // A transfer that is still in the log must not be forgotten, or it could not be added again.
        guard isReplaced else { return false }
        let forgetful = compacted
        state.withLock { $0 = forgetful }
        return true
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ApusError) -> Value
    ) async throws(ApusError) -> Value {
        let outcome = Deferred<Result<Value, ApusError>>()
        queue.async { outcome.fulfill(Result(catching: work)) }
        return try await outcome.value.get()
    }
}
