/// Receives the progress of a body. Both closures are called where the bytes move, so they must not block.
package struct ProgressObserver: Sendable {
    /// Called with each progress.
    package let report: @Sendable (TransferProgress) -> Void
    /// Called once, with the last progress, when the request has ended.
    package let end: @Sendable (TransferProgress) -> Void

    package init(
        report: @escaping @Sendable (TransferProgress) -> Void,
        end: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) {
        self.report = report
        self.end = end
    }
}
