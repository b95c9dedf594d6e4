internal import Apus
internal import Dispatch
internal import Foundation

/// How far something is, drawn over itself on a terminal; nowhere else.
final class ProgressBar: Sendable {
    private static let width = 30

    /// Everything is drawn on it, so that nothing is drawn at the same time; `show` is called there.
    let queue = DispatchQueue(label: "apus.tour.progress")
    private let title: String
    private let screen: Screen
    private let isOver = Lock(false)

    init(_ title: String, _ screen: Screen) {
        self.title = title
        self.screen = screen
    }

    /// Draws the bar. To be called on the queue.
    func show(_ completed: Int64, of total: Int64?) {
        guard let total, total > 0 else { return }
        let filled = Int(Int64(Self.width) * min(completed, total) / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        if !isOver.withLock({ $0 }) { screen.overwrite("   \(title) \(bar) \(completed * 100 / total) %") }
    }

    /// Takes the bar away; nothing is drawn any more.
    func clear() {
        queue.sync {
            isOver.withLock { $0 = true }
            screen.overwrite("")
        }
    }
}
