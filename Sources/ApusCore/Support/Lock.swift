#if !APUS_TSAN
    public import Synchronization

    /// Guards one owner's state.
    ///
    /// Under a lock: change the state, return an action. Never await, call out, write or log under it.
    ///
    /// Other modules have locks on their hot paths: what is not inlined there costs ten times as much.
    @usableFromInline
    package struct Lock<State>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<State>

        @inlinable
        package init(_ state: sending State) {
            self.mutex = Mutex(consume state)
        }

        /// Runs `body` with exclusive access to the state.
        @discardableResult
        @inlinable
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
