#if !APUS_TSAN
    public import Synchronization

    /// Guards the state of a single owner.
    ///
    /// Under the lock, change the state and return an action. Never await, call other code, write or log.
    ///
    /// Other modules use locks on hot paths, where calls that are not inlined cost ten times as much.
    @usableFromInline
    package struct Lock<State: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<State>

        @inlinable
        package init(_ state: consuming sending State) {
            self.mutex = Mutex(consume state)
        }

        /// Runs `body` with exclusive access to the state.
        @discardableResult
        @inlinable
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
