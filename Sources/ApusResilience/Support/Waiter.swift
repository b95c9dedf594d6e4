internal import ApusCore

/// Someone in a line, until it is called.
final class Waiter<Turn: Sendable>: Sendable {
    private let turn = Deferred<Turn?>()

    /// Waits to be called.
    ///
    /// - Parameter withdraw: Takes it out of its line, because its task was cancelled; `false` where it is in none any
    ///   more, since it was called.
    /// - Returns: What it was called with; `nil` where it was withdrawn.
    func wait(orWithdraw withdraw: @escaping @Sendable (Waiter) -> Bool) async -> Turn? {
        await withTaskCancellationHandler {
            await turn.value
        } onCancel: {
            if withdraw(self) { turn.fulfill(nil) }
        }
    }

    /// Calls it. Who does has taken it out of its line before.
    func call(_ turn: Turn) { self.turn.fulfill(turn) }
}
