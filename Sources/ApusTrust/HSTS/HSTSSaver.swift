internal import ApusCore
internal import Dispatch

/// Writes the entries of a store to its file, one write at a time.
///
/// Reads the entries only when a write begins, so that an older state never overwrites a newer one.
final class HSTSSaver: Sendable {
    private struct State {
        var isScheduled = false
        var failure: ApusError?
    }

    let file: HSTSFile
    private let delay: Duration
    private let queue = DispatchQueue(label: "apus.hsts-file")
    private let state = Lock(State())

    /// - Parameters:
    ///   - file: The file.
    ///   - delay: How long changes are collected before they are written. Default: one second.
    init(_ file: HSTSFile, delay: Duration = .seconds(1)) {
        self.file = file
        self.delay = delay
    }

    /// The error of the last write, or `nil` if it succeeded.
    var failure: ApusError? { state.withLock { $0.failure } }

    /// Schedules one write for all changes until then. If it fails, the next change tries again.
    func schedule(_ entries: @escaping @Sendable () -> [HSTSEntry]) {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        let work = { @Sendable [self] in
            state.withLock { $0.isScheduled = false }
            let failure = write(entries())
            state.withLock { $0.failure = failure }
        }
        if delay == .zero {
            queue.async(execute: work)
        } else {
            queue.asyncAfter(deadline: .now() + delay.inSeconds, execute: work)
        }
    }

    /// Writes the entries immediately.
    func save(_ entries: @escaping @Sendable () -> [HSTSEntry]) async throws(ApusError) {
        let outcome = Deferred<ApusError?>()
        queue.async { [self] in
            let failure = write(entries())
            state.withLock { $0.failure = failure }
            outcome.fulfill(failure)
        }
        if let failure = await outcome.value { throw failure }
    }

    /// Waits until all queued writes are complete.
    func wait() async {
        let isOver = Deferred<Void>()
        queue.async { isOver.fulfill(()) }
        await isOver.value
    }

    private func write(_ entries: [HSTSEntry]) -> ApusError? {
        do throws(ApusError) {
            try file.write(entries)
            return nil
        } catch {
            return error
        }
    }
}
