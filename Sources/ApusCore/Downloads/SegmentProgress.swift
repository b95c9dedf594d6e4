/// The progress of a file whose segments arrive at the same time: the sum of all, which never goes back.
final class SegmentProgress: Sendable {
    private struct State {
        var received: Int64
        var reported: Int64
        /// Whether a thread reports. It also reports bytes that are added in the meantime, so that all reports arrive
        /// in order, although segments arrive on several threads.
        var isReporting = false

        mutating func add(_ byteCount: Int64) -> Bool {
            received += byteCount
            defer { isReporting = true }
            return !isReporting
        }

        mutating func next() -> Int64? {
            guard received > reported else {
                isReporting = false
                return nil
            }
            reported = received
            return received
        }
    }

    private let state: Lock<State>
    private let report: @Sendable (Int64) -> Void

    /// - Parameters:
    ///   - byteCount: The number of bytes that have arrived.
    ///   - report: Called with the number of bytes that have arrived, on one thread at a time.
    init(from byteCount: Int64, report: @escaping @Sendable (Int64) -> Void) {
        self.state = Lock(State(received: byteCount, reported: byteCount))
        self.report = report
    }

    /// Adds bytes of a segment.
    func add(_ byteCount: Int) {
        guard state.withLock({ $0.add(Int64(byteCount)) }) else { return }
        while let received = state.withLock({ $0.next() }) { report(received) }
    }
}
