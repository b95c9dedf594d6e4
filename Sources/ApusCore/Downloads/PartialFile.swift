internal import ApusPlatform
package import Foundation

/// A file that is being written, until it is at its destination. The bytes of a download outlive a failure, so that a
/// later request, or a later process, can continue it. `writeWhole` writes a form or the like, which is not continued.
///
/// The part is locked against other downloads while this object has it open. `place`, `keep` or `discard` closes it,
/// once. An object that is released before that closes its part and keeps it.
///
/// A kill at any moment leaves no record that describes other bytes than those of the part: `begin` removes the record
/// of the old bytes before it removes the bytes, and writes the new one before the first new byte. The record of an
/// empty part is ignored and removed, since `place` removes it after the part is at its destination.
///
/// All calls but those of `init` are made by one caller, one after the other. Writing blocks, so that a `FileWriter`
/// writes on a serial queue while the next chunks are read. All other system calls run on that queue too. Segments are
/// written by several writers, while a `SegmentJournal` stores records on a queue of its own.
package final class PartialFile: Sendable {
    struct State {
        var url: URL
        var byteCount: Int64
        var record: PartialFileRecord?
        var isOpen = true
        /// Whether bytes did not reach the disk. The system reports that once, and not which ones.
        var hasLostBytes = false
    }

    /// The location of the complete file.
    package let destination: URL
    let destinationPath: String
    private let partPath: String
    /// `nil` if the record is kept in memory only.
    let recordPath: String?
    private let replaces: Bool
    let file: LockedFile
    let queue = DispatchQueue(label: "apus.partial-file")
    private let counters: LiveCounters?
    let state: Lock<State>

    /// Opens the part of a destination, or creates it. Blocks.
    ///
    /// - Parameters:
    ///   - destination: The location of the complete file.
    ///   - naming: The name of the part.
    ///   - replaces: Whether to replace an existing file. If not, an existing file is an error. Default: `true`.
    ///   - makesFolders: Whether to create missing parent folders. Default: `false`.
    ///   - counters: The counters for the open file. Default: none.
    /// - Throws: `ApusError`: `fileUnwritable`, also if a link, a folder or a special file is in place of the part,
    ///   `fileExists`, or `fileInUse` if another download has the part open.
    package convenience init(
        for destination: URL,
        naming: Naming,
        replaces: Bool = true,
        makesFolders: Bool = false,
        counters: LiveCounters? = nil
    ) throws(ApusError) {
        let path = try FilePlacement.prepare(destination, replaces: replaces, makesFolders: makesFolders)
        let part = PartialFile.partPath(for: path, naming)
        let isStable = naming == .stable
        let file = try LockedFile.acquire(part, isStable ? .existingOrNew : .new, for: path)
        self.init(
            file,
            at: part,
            record: isStable ? PartialFile.recordPath(of: part) : nil,
            for: destination,
            path,
            replaces: replaces,
            counters: counters
        )
    }

    /// Opens a part that an earlier download has kept, which need not be beside its destination. Blocks.
    ///
    /// - Parameters:
    ///   - part: The location of the part.
    ///   - record: The properties of its bytes, if no record is stored beside it. Default: `nil`.
    ///   - destination: The location of the complete file.
    ///   - replaces: Whether to replace an existing file. If not, an existing file is an error. Default: `true`.
    ///   - makesFolders: Whether to create missing parent folders of the destination. Default: `false`.
    ///   - counters: The counters for the open file. Default: none.
    /// - Throws: `ApusError`: `fileUnwritable`, also if the part does not exist, `fileExists`, or `fileInUse` if
    ///   another download has the part open.
    package convenience init(
        resuming part: URL,
        record: PartialFileRecord? = nil,
        for destination: URL,
        replaces: Bool = true,
        makesFolders: Bool = false,
        counters: LiveCounters? = nil
    ) throws(ApusError) {
        let path = try FilePlacement.prepare(destination, replaces: replaces, makesFolders: makesFolders)
        let partPath = try FilePlacement.path(of: part)
        // The part is not created there, so a missing folder would be noticed only at the end.
        try FilePlacement.checkFolder(of: path)
        let file = try LockedFile.acquire(partPath, .existing, for: path)
        self.init(
            file,
            at: partPath,
            record: PartialFile.recordPath(of: partPath),
            for: destination,
            path,
            replaces: replaces,
            counters: counters,
            known: record
        )
    }

    /// Takes over an open file. `known` is its record if none is stored, or if the stored one is not read.
    init(
        _ file: LockedFile,
        at partPath: String,
        record recordPath: String?,
        for destination: URL,
        _ destinationPath: String,
        replaces: Bool,
        counters: LiveCounters?,
        known: PartialFileRecord? = nil,
        readsRecord: Bool = true
    ) {
        let stored = readsRecord ? recordPath.flatMap { PartialFileRecord.read(at: $0) } : nil
        var record = stored ?? known
        // The file may be shorter than it was when the record was stored.
        record?.segments?.clip(to: file.byteCount)
        if file.byteCount == 0, record != nil {
            // A download was killed after its file was moved away.
            if let recordPath { unlink(recordPath) }
            record = nil
        }
        self.file = file
        self.partPath = partPath
        self.recordPath = recordPath
        self.destination = destination
        self.destinationPath = destinationPath
        self.replaces = replaces
        self.counters = counters
        let url = URL(filePath: partPath, directoryHint: .notDirectory)
        self.state = Lock(State(url: url, byteCount: file.byteCount, record: record))
        counters?.add(to: .files)
    }

    deinit {
        guard state.withLock({ $0.isOpen }) else { return }
        close(file.descriptor)
        counters?.remove(from: .files)
    }

    /// Returns the part for another destination. This object no longer has the part. Blocks.
    ///
    /// - Parameters:
    ///   - destination: The location of the complete file.
    ///   - replaces: Whether to replace an existing file.
    ///   - makesFolders: Whether to create missing parent folders.
    /// - Returns: The part, or this object if the destination is the same.
    /// - Throws: `ApusError`: `fileUnwritable`, or `fileExists`. This object still has the part then.
    func retargeted(
        to destination: URL,
        replaces: Bool,
        makesFolders: Bool
    ) throws(ApusError) -> PartialFile {
        let path = try FilePlacement.prepare(destination, replaces: replaces, makesFolders: makesFolders)
        if path == destinationPath, replaces == self.replaces { return self }
        try FilePlacement.checkFolder(of: path)
        let (byteCount, record) = state.withLock { state in
            state.isOpen = false
            return (state.byteCount, state.record)
        }
        counters?.remove(from: .files)
        return PartialFile(
            LockedFile(descriptor: file.descriptor, byteCount: byteCount),
            at: partPath,
            record: recordPath,
            for: destination,
            path,
            replaces: replaces,
            counters: counters,
            known: record,
            // That of segments may be older.
            readsRecord: false
        )
    }

    // MARK: The part

    /// Whether the part was placed, kept, discarded, or given another destination.
    var isClosed: Bool { state.withLock { !$0.isOpen } }

    /// The current location of the bytes: that of the part, or the destination after `place`.
    package var url: URL { state.withLock { $0.url } }

    /// The size of the part in bytes, including the gaps between segments. During `append`, the size before it.
    package var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// The properties of the representation that the bytes belong to, as they were stored beside the part, or given to
    /// `begin`. `nil` if the stored record is missing, damaged or of another version, and for a new or empty part.
    package var record: PartialFileRecord? { state.withLock { $0.record } }

    /// Whether the part has bytes, but no record of their origin. They may be those of another program.
    package var hasUnknownOrigin: Bool { state.withLock { $0.byteCount > 0 && $0.record == nil } }

    /// Passes all bytes of the part to a closure, from the beginning, for a digest of a part that is continued.
    ///
    /// - Parameter take: Called with a piece of the file, in order. The memory is valid only during the call.
    /// - Throws: `ApusError`: `fileUnreadable`, or `cancelled` if the task is cancelled.
    package func readThrough(_ take: (UnsafeRawBufferPointer) -> Void) async throws(ApusError) {
        var offset: Int64 = 0
        while true {
            // A long part takes seconds. A cancelled request would be abandoned meanwhile, with its part still locked.
            if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
            let outcome = Deferred<Result<BodyChunk, ApusError>>()
            queue.async { [self, offset] in outcome.fulfill(file.bytes(at: offset, of: partPath)) }
            let chunk = try await outcome.value.get()
            if chunk.isEmpty { return }
            chunk.withUnsafeBytes(take)
            offset += Int64(chunk.count)
        }
    }

    // MARK: Writing

    /// Removes the bytes of the part, and stores the record of the bytes to come. If it fails, the part may have its
    /// old bytes without a record.
    ///
    /// A record above 1 MiB is kept in memory only.
    ///
    /// - Parameter record: The properties of the representation that is appended next.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    package func begin(_ record: PartialFileRecord) async throws(ApusError) {
        state.withLock { $0.record = nil }
        let work = steps(toBegin: record)
        try await run {
            for step in work {
                if let failure = step() { return failure }
            }
            return nil
        }
        state.withLock { ($0.record, $0.hasLostBytes) = (record, false) }
    }

    /// Returns the steps of `begin` in their order. Each returns its failure.
    func steps(toBegin record: PartialFileRecord) -> [@Sendable () -> ApusError?] {
        [
            { [self] in removeRecord() },
            { [self] in cut(to: 0) },
            { [self] in store(record) },
        ]
    }

    /// Cuts the part to its first bytes, so that `append` continues there. Segments behind the first gap are removed.
    ///
    /// - Parameter offset: The number of bytes to keep.
    /// - Throws: `ApusError` with the code `fileUnwritable`, also if the part has fewer bytes. It is not changed then.
    package func resume(at offset: Int64) async throws(ApusError) {
        let record = record
        try await run { [self] in
            let count = record?.segments?.prefixByteCount ?? file.currentByteCount ?? 0
            guard offset >= 0, offset <= count else {
                return ApusError(
                    .fileUnwritable,
                    "'\(partPath)' has \(count) bytes, so it can't be continued at byte \(offset)"
                )
                .with(fileAt: partPath)
            }
            if let failure = cut(to: offset) { return failure }
            guard var whole = record, whole.segments != nil else { return nil }
            // A record without segments stands for all bytes of the file, so the others must be gone before.
            whole.segments = nil
            return flushed() ?? store(whole)
        }
        state.withLock { $0.record?.segments = nil }
    }

    /// Appends chunks until there are no more.
    ///
    /// After an error, the part has all bytes that arrived before it, or those that could be written.
    ///
    /// - Parameters:
    ///   - digest: Called with the bytes of each chunk once they are written, in order, on the queue that writes.
    ///     Default: `nil`.
    ///   - progress: Called after each chunk with the size that the part has once the chunk is written. It includes
    ///     earlier bytes.
    ///   - next: Returns the next chunk, or `nil` after the last.
    /// - Returns: The size of the part in bytes.
    /// - Throws: `ApusError`: an error of `next`, or `fileUnwritable`.
    package func append(
        digest: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil,
        progress: (Int64) -> Void = { _ in },
        _ next: () async throws(ApusError) -> BodyChunk?
    ) async throws(ApusError) -> Int64 {
        let path = destinationPath
        let writer = FileWriter(file.descriptor, on: queue, digest: digest) {
            FilePlacement.failure("can't be written", path, $0)
        }
        var size = byteCount
        var failure: ApusError?
        do throws(ApusError) {
            while let chunk = try await next() {
                try await writer.append(chunk)
                size += Int64(chunk.count)
                progress(size)
            }
        } catch {
            failure = error
        }
        do throws(ApusError) {
            try await writer.drain()
        } catch {
            failure = failure ?? error
        }
        let outcome = failure
        try await run { outcome }
        return byteCount
    }

    /// Waits until the bytes of the part are on the disk.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    package func synchronize() async throws(ApusError) {
        try await run { [self] in flushed() }
    }

    // MARK: The end

    /// Moves the part to its destination, removes its record, and closes it.
    ///
    /// The bytes are on the disk before that. If the destination is on another file system, they are copied there under
    /// a temporary name first.
    ///
    /// - Throws: `ApusError`: `fileUnwritable`, or `fileExists`. The part and its record then stay, and are open.
    package func place() async throws(ApusError) {
        try await run { [self] in
            if let failure = flushed() ?? move() { return failure }
            // The file is in place, so nothing after this is a failure.
            _ = removeRecord()
            FilePlacement.settleFolder(of: destinationPath)
            return nil
        }
        state.withLock { $0.url = destination }
        await finish {}
    }

    /// Closes the part, which stays with its record. Does nothing if the part is closed already. A part whose bytes did
    /// not reach the disk is removed.
    package func keep() async {
        guard !state.withLock({ $0.hasLostBytes }) else { return await discard() }
        // The record must not describe the bytes of another program.
        await finish { [self] in if !isNamed { _ = removeRecord() } }
    }

    /// Whether the path of the part still leads to this file.
    var isNamed: Bool { file.isNamed(partPath) }

    /// Closes and removes the part and its record. Does nothing if the part is closed already.
    package func discard() async {
        await finish { [self] in
            _ = removeRecord()
            // Another program may have a file of that name now.
            if isNamed { unlink(partPath) }
        }
    }

    /// Does the last work and closes the part, once.
    private func finish(_ work: @escaping @Sendable () -> Void) async {
        let isFirst = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        guard isFirst else { return }
        let isOver = Deferred<Void>()
        queue.async { [self] in
            work()
            close(file.descriptor)
            isOver.fulfill(())
        }
        await isOver.value
        counters?.remove(from: .files)
    }

    // MARK: System calls

    /// Runs work on the queue, notes the size of the part after it, and throws the error that it returns.
    func run(_ work: @escaping @Sendable () -> ApusError?) async throws(ApusError) {
        let outcome = Deferred<ApusError?>()
        queue.async { [self] in
            let failure = work()
            if let count = file.currentByteCount {
                state.withLock { state in
                    state.byteCount = count
                    state.record?.segments?.clip(to: count)
                }
            }
            outcome.fulfill(failure)
        }
        if let failure = await outcome.value { throw failure }
    }

    /// Stores a record beside the part, unless it is kept in memory only.
    func store(_ record: PartialFileRecord) -> ApusError? {
        guard let recordPath else { return nil }
        guard isNamed else { return movedAway }
        do throws(ApusError) {
            try record.write(to: recordPath)
            return nil
        } catch {
            return error
        }
    }

    private func removeRecord() -> ApusError? {
        guard let recordPath else { return nil }
        // Left by a kill while a record was written.
        unlink(PartialFileRecord.temporaryPath(of: recordPath))
        guard unlink(recordPath) != 0, errno != ENOENT else { return nil }
        return FilePlacement.failure("can't be removed", recordPath, errno)
    }

    private func cut(to offset: Int64) -> ApusError? {
        guard ftruncate(file.descriptor, off_t(offset)) == 0, lseek(file.descriptor, off_t(offset), SEEK_SET) >= 0
        else {
            return FilePlacement.failure("can't be written", destinationPath, errno)
        }
        return nil
    }

    func flushed() -> ApusError? {
        guard fsync(file.descriptor) != 0 else { return nil }
        let failure = FilePlacement.failure("can't be written", destinationPath, errno)
        state.withLock { $0.hasLostBytes = true }
        return failure
    }

    private var movedAway: ApusError {
        ApusError(.fileUnwritable, "'\(partPath)' was moved or replaced while it was written").with(fileAt: partPath)
    }

    private func move() -> ApusError? {
        guard isNamed else { return movedAway }
        let code = FilePlacement.move(partPath, to: destinationPath, replaces: replaces)
        guard code == EXDEV else { return code == 0 ? nil : FilePlacement.failure(ofMoveTo: destinationPath, code) }
        if let failure = FilePlacement.copy(file.descriptor, to: destinationPath, replaces: replaces) { return failure }
        unlink(partPath)
        return nil
    }
}
