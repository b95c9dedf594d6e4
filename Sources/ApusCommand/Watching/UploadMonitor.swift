internal import Apus
internal import ApusPlatform
internal import Dispatch

/// Shows the progress of a file that is sent as the body, on a terminal.
final class UploadMonitor: EventMonitor {
    /// The size above which the progress of a file is shown.
    static let leastBytes: Int64 = 1 << 20

    let queue = DispatchQueue(label: "apus.upload")
    /// The line must be cleared before the response is shown, so no event may come later.
    let latency = Duration.zero
    let receivesProgress = true
    let bodyPrefixBytes = 0

    private let live: LiveProgress

    /// Creates the monitor. `nil` if no large file is sent, or if there is no place to show its progress.
    init?(_ content: RequestContent, _ invocation: Invocation, console: Console) {
        // The lines of --trace go to the same place.
        let isShown = console.error.isTerminal && !invocation.isQuiet && !invocation.watching.traces
        guard case .file(let path) = content, isShown, invocation.sends,
            let status = FileStatus(path: path), status.kind == .regular, status.size > Self.leastBytes
        else { return nil }
        let display = ProgressDisplay(console.error, name: path, total: status.size, isQuiet: false)
        live = LiveProgress(display, on: queue)
    }

    func request(_ request: RequestSummary, did event: RequestEvent) {
        guard case .contentSent(let count, let total) = event else { return }
        live.report(count, of: total)
    }

    /// Shows a progress of an upload that consists of several requests.
    func show(_ progress: TransferProgress) {
        queue.async { [live] in live.report(progress.completed, of: progress.total) }
    }

    /// Clears the line. Later events show nothing.
    func stop() { live.stop() }
}
