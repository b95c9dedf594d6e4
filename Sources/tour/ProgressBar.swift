internal import Apus
internal import Dispatch
internal import Foundation

/// A progress bar that redraws itself. Shown only on a terminal.
final class ProgressBar: Sendable {
    private static let width = 30

    /// The queue for all drawing and for calls of `show`.
    let queue = DispatchQueue(label: "apus.tour.progress")
    private let title: String
    private let screen: Screen
    private let isOver = Lock(false)

    init(_ title: String, _ screen: Screen) {
        self.title = title
        self.screen = screen
    }

    /// Draws the bar. Must be called on `queue`.
    func show(_ progress: TransferProgress) {
        guard let total = progress.total, total > 0 else { return }
        let fraction = progress.fractionCompleted
        let filled = Int(Double(Self.width) * fraction)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        if !isOver.withLock({ $0 }) { screen.overwrite("   \(title) \(bar) \(Int(fraction * 100)) %") }
    }

    /// Clears the bar and ignores any further calls of `show`.
    func clear() {
        queue.sync {
            isOver.withLock { $0 = true }
            screen.overwrite("")
        }
    }
}
