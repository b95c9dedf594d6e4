package import Foundation

/// A `Progress` of Foundation that follows the transfer of a body. Its cancel, pause and resume control the transfer.
///
/// It does not reach its total before the request has ended. A parent counts a finished child for good, and a retry
/// would restart the child.
///
/// Unchecked: on Linux, a `Progress` has no lock. It is only changed on the queue that its user has chosen.
package final class FoundationProgress: @unchecked Sendable {
    /// The object for the user.
    package let object = Progress(parent: nil, userInfo: nil)

    private let queue: DispatchQueue
    private var isOver = false

    /// Creates the object.
    ///
    /// - Parameters:
    ///   - progress: The progress so far.
    ///   - queue: The queue on which the object changes. It must be serial.
    ///   - cancel: Called when the object or its parent is cancelled. It must not hold the request.
    ///   - pause: Called when the object or its parent is paused.
    ///   - resume: Called when the object or its parent is resumed.
    package init(
        _ progress: TransferProgress,
        on queue: DispatchQueue,
        cancel: @escaping @Sendable () -> Void,
        pause: @escaping @Sendable () -> Void,
        resume: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        object.kind = .file
        object.isCancellable = true
        object.isPausable = true
        object.cancellationHandler = cancel
        object.pausingHandler = pause
        object.resumingHandler = resume
        object.totalUnitCount = -1
        follow(progress)
    }

    /// The observer that keeps the object up to date.
    package var observer: ProgressObserver {
        let listener = ProgressListener(queue: queue) { [self] in follow($0) }
        return ProgressObserver(
            report: { listener.report($0) },
            end: { [self] last in queue.async { self.end(last) } }
        )
    }

    private func follow(_ progress: TransferProgress) {
        guard !isOver, !progress.isFinished else { return }
        setUnfinished(progress)
        let time = progress.estimatedTimeRemaining
        object.setUserInfoObject(progress.throughput.map { NSNumber(value: $0) }, forKey: .throughputKey)
        object.setUserInfoObject(time.map { NSNumber(value: $0.inSeconds) }, forKey: .estimatedTimeRemainingKey)
    }

    /// Sets the last progress. Must be called on the queue, or before the object has another user.
    package func end(_ last: TransferProgress) {
        isOver = true
        object.setUserInfoObject(nil, forKey: .estimatedTimeRemainingKey)
        guard last.isFinished else { return setUnfinished(last) }
        // An empty body counts as one unit. On Linux, 0 of 0 units are not finished, and can trap.
        let count = max(last.totalUnitCount, 1)
        set(count, of: count)
    }

    private func setUnfinished(_ progress: TransferProgress) {
        let known = object.totalUnitCount
        guard progress.total == nil, known > 0 else { return set(progress.completed, of: progress.totalUnitCount) }
        // The total of the attempt before is kept: on Linux, fractions go wrong if a total becomes unknown again.
        set(min(progress.completed, known - 1), of: known)
    }

    private func set(_ completed: Int64, of total: Int64) {
        // In this order, the object is not finished between the two changes.
        if completed < object.completedUnitCount { object.completedUnitCount = completed }
        if object.totalUnitCount != total { object.totalUnitCount = total }
        if object.completedUnitCount != completed { object.completedUnitCount = completed }
    }
}
