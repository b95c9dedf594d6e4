public import ApusCore
public import Foundation

/// Downloads and uploads that are kept on disk until they are complete, through the ends and the kills of processes.
///
/// ```swift
/// let queue = try TransferQueue(folder: folder, session: session)
/// let archive = try Transfer("https://example.org/archive.zip", to: file, expectedDigest: digest)
/// try await queue.add(archive)
/// try await queue.run()
/// ```
///
/// The queue is a folder. Any number of processes may add transfers to it, pause, resume and remove them. One of them
/// at a time runs them, and notices the changes of the others within a second.
///
/// Transfers start by their priority, and those of one priority in the order of their arrival. Two with the same file
/// run one after the other, unless both are uploads.
///
/// A transfer is retried after an error of the connection, an exceeded time limit, or the status 408, 429, 500, 502,
/// 503 or 504. Any other failure is final until `resume(_:)`. A `RetryPolicy` of the session retries within each
/// attempt, but no upload that must not begin anew.
///
/// An upload is sent again only if that is safe: if the server got no byte of it, if it is continued, or as its
/// `beginsAnew` allows. A POST that was under way at a kill fails with `connectionClosed`, and its retries are those of
/// connections that could not be opened.
///
/// ## Guarantees
/// A change is on the disk when its call returns. A process may be killed at any moment:
/// - A file at its destination is complete. Until then its bytes are beside the destination, in a file whose name ends
///   in `.part`, and the next run continues it if the server can.
/// - A transfer is reported as finished at most once, after its file and that record are on the disk. If the event is
///   lost, `transfers` has it.
/// - A complete file is not downloaded again.
/// - A resumable upload is continued where the server has it. An upload is reported as accepted at most once, after its
///   response is on the disk.
///
/// If a record in the files is damaged, only this record is lost. It is reported as a ``QueueFault``.
///
/// The folder, and the URLs and fields in it, are readable by their owner only. It must be on a local file system,
/// since the process that runs the queue locks a file.
public final class TransferQueue: Sendable {
    private let store: QueueStore
    private let performer: any TransferPerforming
    private let time: AnySessionClock
    private let configuration: Configuration
    private let broadcast: TransferEvents

    /// Opens a queue, or creates it. Blocks.
    ///
    /// - Parameters:
    ///   - folder: The folder of the queue. A missing one is created.
    ///   - session: The session whose requests perform the transfers. The queue keeps it.
    ///   - configuration: The settings. Default: `Configuration()`.
    /// - Throws: `ApusError` with the code `fileUnwritable` if the folder can't be created.
    public convenience init(
        folder: URL,
        session: Session,
        configuration: Configuration = Configuration()
    ) throws(ApusError) {
        try self.init(
            folder: folder,
            performer: SessionTransferPerformer(session: session),
            time: session.configuration.time,
            configuration: configuration
        )
    }

    /// Opens a queue whose transfers are performed by any type. Blocks.
    package init(
        folder: URL,
        performer: any TransferPerforming,
        time: any SessionClock,
        configuration: Configuration = Configuration()
    ) throws(ApusError) {
        let folder = try QueueFolder(folder)
        try folder.create()
        let broadcast = TransferEvents()
        self.broadcast = broadcast
        self.store = QueueStore(folder, configuration, broadcast)
        self.performer = performer
        self.time = AnySessionClock(time)
        self.configuration = configuration
    }

    deinit { broadcast.finish() }

    // MARK: Changes

    /// Adds a transfer. It is on the disk when the call returns, and starts when the queue runs. The file of an upload
    /// is not copied.
    ///
    /// A transfer whose identifier the queue has already is ignored, unless that one was removed before. At most 20,000
    /// transfers are in a queue. Further ones wait on the disk, are in `transfers`, and start when others were removed
    /// or forgotten.
    ///
    /// - Parameter transfer: The transfer.
    /// - Returns: Its identifier.
    /// - Throws: `ApusError`: `fileUnwritable`, or `invalidRequest` if the transfer has more than 256 KiB.
    @discardableResult
    public func add(_ transfer: Transfer) async throws(ApusError) -> TransferID {
        try await store.change([.added(transfer)])
        return transfer.id
    }

    /// Adds several transfers: all of them, or none if the call throws.
    ///
    /// - Parameter transfers: The transfers.
    /// - Throws: `ApusError`: `fileUnwritable`, or `invalidRequest` if a transfer has more than 256 KiB, or all
    ///   together are more than 10,000 or have more than 8 MiB.
    public func add(contentsOf transfers: [Transfer]) async throws(ApusError) {
        try await store.change(transfers.map { .added($0) })
    }

    /// Pauses a transfer that waits or runs. The part of its file is kept, or that of a resumable upload at the server.
    /// Any other transfer is not affected.
    ///
    /// A running upload that can be neither continued nor repeated fails when it is resumed, since the server may have
    /// received it. If it is resumed once more, it is sent again.
    ///
    /// - Parameter id: The identifier of the transfer.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    public func pause(_ id: TransferID) async throws(ApusError) {
        try await store.change([.paused(id)])
    }

    /// Lets a transfer start that is paused, has failed, or waits for a retry. A failed one gets all of its retries
    /// again. Any other transfer is not affected.
    ///
    /// - Parameter id: The identifier of the transfer.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    public func resume(_ id: TransferID) async throws(ApusError) {
        try await store.change([.resumed(id)])
    }

    /// Removes a transfer from the queue, and the part of its file. A running one is cancelled. The file of a finished
    /// one and that of an upload stay. The part is removed by the current run, or by the next one. It asks the server
    /// once to remove the part of a resumable upload, and waits at most 30 s for an answer.
    ///
    /// - Parameter id: The identifier of the transfer.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    public func remove(_ id: TransferID) async throws(ApusError) {
        try await store.change([.removed(id)])
    }

    // MARK: Reading

    /// All transfers of the queue, in the order of their arrival. Read from the disk, unless this object runs the
    /// queue.
    ///
    /// - Throws: `ApusError` with the code `fileUnreadable`.
    public var transfers: [QueuedTransfer] {
        get async throws(ApusError) { try await store.transfers() }
    }

    /// The events of the runs of this object, from now on. Each access returns a new sequence, for one reader.
    ///
    /// It keeps the newest 10,000 events for a slow reader. It ends when the queue is released, and not with a run, so
    /// its reader should not hold the queue. Reports of progress are limited to ten in a second for each transfer.
    public var events: AsyncStream<TransferEvent> { broadcast.stream(.bufferingNewest(10_000)) }

    /// The events, without a limit for a slow reader.
    package var allEvents: AsyncStream<TransferEvent> { broadcast.stream(.unbounded) }

    // MARK: Running

    /// Performs the transfers of the queue until nothing is left to do. Paused and failed ones are left as they are.
    ///
    /// With `Configuration.keepsRunning`, it waits for further transfers, until its task is cancelled. A change that is
    /// made at the end of a run may be left to the next one.
    ///
    /// - Throws: `ApusError`: `fileInUse` if another process or another object runs the queue, `fileUnwritable` if the
    ///   disk is full, `fileUnreadable` if the log or a change can't be read, `cancelled` if the task is cancelled, and
    ///   `sessionShutDown` or `sessionGone` if the session ends. The transfers wait for the next run then.
    ///
    /// ## Cancellation
    /// Cancelling the task cancels the running transfers, and keeps the parts of their files.
    public func run() async throws(ApusError) {
        let run = QueueRun(
            store: store,
            performer: performer,
            time: time,
            configuration: configuration,
            events: broadcast
        )
        try await run.run()
    }
}

extension TransferQueue: CustomStringConvertible {
    /// The name of the type. The transfers are in `transfers`.
    public var description: String { "TransferQueue" }
}
