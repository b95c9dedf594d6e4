#if !APUS_TSAN
    internal import Synchronization

    /// Guards one owner's state.
    ///
    /// Under a lock: change the state, return an action. Never await, call out, write or log under it.
    package struct Lock<State>: ~Copyable, Sendable {
        private let mutex: Mutex<State>

        package init(_ state: sending State) {
            self.mutex = Mutex(state)
        }

        /// Runs `body` with exclusive access to the state.
        @discardableResult
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
