internal import ApusCore
internal import ApusTestSupport
internal import Foundation

@testable internal import ApusTransfers

/// Performs transfers as a test decides, without a session. The contents of a file are the URL of its transfer.
final class FakePerformer: TransferPerforming {
    typealias Placing = @Sendable (FileFingerprint) throws(ApusError) -> Void
    typealias Course = @Sendable (Transfer, @escaping Placing) async throws(ApusError) -> FileFingerprint
    typealias Keeping = @Sendable (ResumableUpload.State?) async throws(ApusError) -> Void
    typealias UploadCourse =
        @Sendable (Transfer, ResumableUpload.State?, @escaping Keeping) async throws(ApusError) -> TransferResponse

    /// The transfers that were started, by the last component of their destination.
    let started = LockedList<String>()
    /// The transfers whose parts were removed.
    let discarded = LockedList<String>()
    /// The upload resources that were to be removed.
    let withdrawn = LockedList<String>()
    private let counts = LockedValue((now: 0, most: 0))
    private let discardCounts = LockedValue((now: 0, most: 0))
    private let barrier: Barrier?
    private let course: Course
    private let uploadCourse: UploadCourse

    /// - Parameters:
    ///   - barrier: Removals wait until it is open. Default: `nil`.
    ///   - course: The course of a download. By default its file is delivered.
    ///   - uploadCourse: The course of an upload. By default it is accepted with the status 201.
    init(
        discardingAt barrier: Barrier? = nil,
        _ course: @escaping Course = { transfer, placing throws(ApusError) in try deliver(transfer, placing) },
        uploading uploadCourse: @escaping UploadCourse = { _, _, _ in TransferResponse(status: 201, body: Data()) }
    ) {
        self.barrier = barrier
        self.course = course
        self.uploadCourse = uploadCourse
    }

    /// The number of transfers that run.
    var runningCount: Int { counts.value.now }
    /// The largest number of transfers that ran at a time.
    var mostRunning: Int { counts.value.most }
    /// The number of removals that run.
    var discardingCount: Int { discardCounts.value.now }
    /// The largest number of removals that ran at a time.
    var mostDiscarding: Int { discardCounts.value.most }

    func perform(
        _ transfer: Transfer,
        placing: @escaping Placing,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(ApusError) -> FileFingerprint {
        started.append(transfer.destination.lastPathComponent)
        counts.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { counts.change { $0.now -= 1 } }
        progress(TransferProgress(completed: 1, total: 2))
        progress(TransferProgress(completed: 2, total: 2))
        return try await course(transfer, placing)
    }

    func upload(
        _ transfer: Transfer,
        resumingWith state: ResumableUpload.State?,
        keeping: @escaping Keeping,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(ApusError) -> TransferResponse {
        started.append(transfer.destination.lastPathComponent)
        counts.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { counts.change { $0.now -= 1 } }
        return try await uploadCourse(transfer, state, keeping)
    }

    func withdraw(_ transfer: Transfer, _ state: ResumableUpload.State) async { withdrawn.append(state.resource) }

    func finds(_ file: FileFingerprint, of transfer: Transfer) async -> Bool { file.matches(transfer.destination) }

    func discard(_ transfer: Transfer) async {
        discardCounts.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { discardCounts.change { $0.now -= 1 } }
        await barrier?.pass()
        discarded.append(transfer.destination.lastPathComponent)
    }
}

/// Writes the file of a transfer beside its destination, reports it, and moves it.
func deliver(_ transfer: Transfer, _ placing: FakePerformer.Placing) throws(ApusError) -> FileFingerprint {
    let part = transfer.destination.appendingPathExtension("part")
    do {
        try Data(transfer.url.utf8).write(to: part)
    } catch {
        throw ApusError(wrapping: error, as: .fileUnwritable)
    }
    let file = try FileFingerprint(of: part)
    try placing(file)
    do {
        try? FileManager.default.removeItem(at: transfer.destination)
        try FileManager.default.moveItem(at: part, to: transfer.destination)
    } catch {
        throw ApusError(wrapping: error, as: .fileUnwritable)
    }
    return file
}

/// Waits until the task is cancelled, and throws the error of that. Never returns a file.
func waitForCancellation() async throws(ApusError) -> FileFingerprint {
    let barrier = Barrier()
    do {
        try await barrier.passUnlessCancelled()
    } catch {
        throw ApusError(wrapping: error, as: .cancelled)
    }
    throw ApusError(.cancelled, "the barrier was opened")
}
