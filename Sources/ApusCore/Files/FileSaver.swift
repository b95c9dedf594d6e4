internal import Dispatch

/// A file that is written as a whole.
package protocol SavedFile: Sendable {
    associatedtype Contents: Sendable

    /// Whether changes are written without a call of `save`. Default: `true`.
    var savesByItself: Bool { get }

    /// Replaces the contents of the file. Blocks.
    func write(_ contents: Contents) throws(ApusError)
}

extension SavedFile {
    package var savesByItself: Bool { true }
}

/// Writes the contents of a store to its file, one write at a time.
///
/// Reads the contents only when a write begins, so that an older state never overwrites a newer one.
package final class FileSaver<File: SavedFile>: Sendable {
    private struct State {
        var isScheduled = false
        var failure: ApusError?
    }

    package let file: File
    private let delay: Duration
    private let queue = DispatchQueue(label: "apus.file-saver")
    private let state = Lock(State())

    /// - Parameters:
    ///   - file: The file.
    ///   - delay: How long changes are collected before they are written. Default: one second.
    package init(_ file: File, delay: Duration = .seconds(1)) {
        self.file = file
        self.delay = delay
    }

    /// The error of the last write, or `nil` if it succeeded.
    package var failure: ApusError? { state.withLock { $0.failure } }

    /// Schedules one write for all changes until then. If it fails, the next change tries again.
    package func schedule(_ contents: @escaping @Sendable () -> File.Contents) {
        guard file.savesByItself else { return }
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        let work = { @Sendable [self] in
            state.withLock { $0.isScheduled = false }
            let failure = write(contents())
            state.withLock { $0.failure = failure }
        }
        if delay == .zero {
            queue.async(execute: work)
        } else {
            queue.asyncAfter(deadline: .now() + delay.inSeconds, execute: work)
        }
    }

    /// Writes the contents immediately.
    package func save(_ contents: @escaping @Sendable () -> File.Contents) async throws(ApusError) {
        let outcome = Deferred<ApusError?>()
        queue.async { [self] in
            let failure = write(contents())
            state.withLock { $0.failure = failure }
            outcome.fulfill(failure)
        }
        if let failure = await outcome.value { throw failure }
    }

    /// Waits until all queued writes are complete.
    package func wait() async {
        let isOver = Deferred<Void>()
        queue.async { isOver.fulfill(()) }
        await isOver.value
    }

    private func write(_ contents: File.Contents) -> ApusError? {
        do throws(ApusError) {
            try file.write(contents)
            return nil
        } catch {
            return error
        }
    }
}
