#if APUS_TSAN
    internal import Foundation

    /// A replacement for `Lock` that uses `NSLock`, which the thread sanitizer understands. It reports false races for
    /// `Synchronization.Mutex` on Linux.
    package struct Lock<State: ~Copyable>: ~Copyable, Sendable {
        private let storage: Storage

        package init(_ state: consuming sending State) {
            self.storage = Storage(consume state)
        }

        /// Runs `body` with exclusive access to the state.
        @discardableResult
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            storage.lock.lock()
            defer { storage.lock.unlock() }
            return try body(&storage.state)
        }

        /// Unchecked, since `state` is only accessed between `lock` and `unlock`.
        private final class Storage: @unchecked Sendable {
            let lock = NSLock()
            var state: State

            init(_ state: consuming sending State) {
                self.state = consume state
            }
        }
    }
#endif
