internal import ApusCore

/// An entry in a `WaiterQueue`, suspended until it is called.
final class Waiter<Turn: Sendable>: Sendable {
    private let turn = Deferred<Turn?>()

    /// Waits to be called.
    ///
    /// - Parameter withdraw: Removes this waiter from its queue, after its task was cancelled. Returns `false` if the
    ///   waiter was already called.
    /// - Returns: The value passed to `call(_:)`, or `nil` if the waiter was withdrawn.
    func wait(orWithdraw withdraw: @escaping @Sendable (Waiter) -> Bool) async -> Turn? {
        await withTaskCancellationHandler {
            await turn.value
        } onCancel: {
            if withdraw(self) { turn.fulfill(nil) }
        }
    }

    /// Resumes the waiter. The caller must have removed it from its queue.
    func call(_ turn: Turn) { self.turn.fulfill(turn) }
}
