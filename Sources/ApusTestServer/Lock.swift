// The thread sanitizer does not see through `Synchronization.Mutex` on Linux and reports races that are none.
// Under -D APUS_TSAN a lock of pthreads with the same calls stands in.
#if APUS_TSAN

    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// A value behind a lock.
    ///
    /// Unchecked, because the compiler cannot see that the pointee is touched under the mutex alone.
    struct Lock<Value: Sendable>: ~Copyable, @unchecked Sendable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        init(_ initial: Value) {
            mutex = .allocate(capacity: 1)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            value.deinitialize(count: 1)
            value.deallocate()
            mutex.deallocate()
        }

        borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return body(&value.pointee)
        }
    }

#else

    internal import Synchronization

    /// A value behind a lock.
    struct Lock<Value: Sendable>: ~Copyable, Sendable {
        private let mutex: Mutex<Value>

        init(_ initial: Value) {
            mutex = Mutex(initial)
        }

        borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
            mutex.withLock { body(&$0) }
        }
    }

#endif
