internal import ApusCore
internal import Dispatch

/// Writes the cookies of a jar to its file, one write at a time.
///
/// Reads the cookies only when a write begins, so that an older state never overwrites a newer one.
final class CookieSaver: Sendable {
    private struct State {
        var isScheduled = false
        var failure: ApusError?
    }

    let file: CookieFile
    private let delay: Duration
    private let queue = DispatchQueue(label: "apus.cookie-file")
    private let state = Lock(State())

    /// - Parameters:
    ///   - file: The file.
    ///   - delay: How long changes are collected before they are written. Default: one second.
    init(_ file: CookieFile, delay: Duration = .seconds(1)) {
        self.file = file
        self.delay = delay
    }

    /// The error of the last write, or `nil` if it succeeded.
    var failure: ApusError? { state.withLock { $0.failure } }

    /// Schedules one write for all changes until then. If it fails, the next change tries again.
    func schedule(_ cookies: @escaping @Sendable () -> [Cookie]) {
        guard file.savesByItself else { return }
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        let work = { @Sendable [self] in
            state.withLock { $0.isScheduled = false }
            let failure = write(cookies())
            state.withLock { $0.failure = failure }
        }
        if delay == .zero {
            queue.async(execute: work)
        } else {
            queue.asyncAfter(deadline: .now() + delay.inSeconds, execute: work)
        }
    }

    /// Writes the cookies immediately.
    func save(_ cookies: @escaping @Sendable () -> [Cookie]) async throws(ApusError) {
        let outcome = Deferred<ApusError?>()
        queue.async { [self] in
            let failure = write(cookies())
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

    private func write(_ cookies: [Cookie]) -> ApusError? {
        do throws(ApusError) {
            try file.write(cookies)
            return nil
        } catch {
            return error
        }
    }
}
