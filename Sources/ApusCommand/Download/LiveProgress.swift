internal import Apus
internal import Dispatch

/// Shows the progress of a transfer that is reported on a queue.
final class LiveProgress: Sendable {
    /// The serial queue on which `report` is called.
    let queue: DispatchQueue
    /// The display. `nil` once it was stopped.
    private let display: Lock<ProgressDisplay?>

    /// - Parameters:
    ///   - display: The display.
    ///   - queue: The serial queue.
    init(_ display: ProgressDisplay, on queue: DispatchQueue) {
        self.queue = queue
        self.display = Lock(display)
    }

    /// Shows a progress.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes so far.
    ///   - total: The total number of bytes, or `nil` if it is not known.
    func report(_ completed: Int64, of total: Int64?) {
        let (shown, line) = display.withLock { display -> (ProgressDisplay?, String?) in
            let line = display?.line(after: completed, of: total)
            return (display, line)
        }
        if let line { shown?.show(line) }
    }

    /// Clears the line. Later reports show nothing.
    ///
    /// - Returns: The display with the last progress, or `nil` if it was stopped before.
    @discardableResult
    func stop() -> ProgressDisplay? {
        queue.sync {
            let shown = display.withLock { $0.take() }
            shown?.clear()
            return shown
        }
    }
}
