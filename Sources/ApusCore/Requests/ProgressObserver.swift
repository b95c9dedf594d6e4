/// Receives the progress of a body. Both closures are called where the bytes move, so they must not block.
package struct ProgressObserver: Sendable {
    /// Whether it receives each progress. If not, it receives at most one in `TransferProgress.reportInterval`, and
    /// always the last.
    package let receivesAll: Bool
    /// Called with the progress.
    package let report: @Sendable (TransferProgress) -> Void
    /// Called once, with the last progress, when the request has ended.
    package let end: @Sendable (TransferProgress) -> Void

    package init(
        receivesAll: Bool = false,
        report: @escaping @Sendable (TransferProgress) -> Void,
        end: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) {
        self.receivesAll = receivesAll
        self.report = report
        self.end = end
    }
}
