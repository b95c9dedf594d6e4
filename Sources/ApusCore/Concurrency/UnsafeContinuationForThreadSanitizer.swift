#if APUS_TSAN
    // Replacements for the continuations of the runtime, in every file that imports this module. If a runtime
    // continuation is resumed before its task waits, the thread sanitizer misses the synchronization and reports false
    // races. These replacements pass their value under a lock.

    package struct UnsafeContinuation<Value: Sendable, Failure: Error>: Sendable {
        private let result: Result
        private let signal: AsyncStream<Void>.Continuation

        private final class Result: Sendable {
            let stored = Lock<Swift.Result<Value, Failure>?>(nil)
        }

        package func resume(returning value: Value) { resume(with: .success(value)) }

        package func resume(throwing error: Failure) { resume(with: .failure(error)) }

        package func resume() where Value == Void { resume(returning: ()) }

        package func resume(with result: Swift.Result<Value, Failure>) {
            self.result.stored.withLock { stored in
                precondition(stored == nil, "a continuation must be resumed only once")
                stored = result
            }
            signal.finish()
        }

        /// Waits until the continuation is resumed, even if the task is cancelled.
        fileprivate static func wait(_ body: (Self) -> Void) async throws(Failure) -> Value {
            let (stream, signal) = AsyncStream<Void>.makeStream()
            let result = Result()
            body(Self(result: result, signal: signal))
            await Task { for await _ in stream {} }.value
            guard let result = result.stored.withLock({ $0 }) else {
                preconditionFailure("a continuation was released without being resumed")
            }
            return try result.get()
        }
    }

    package func withUnsafeContinuation<Value: Sendable>(
        _ body: (UnsafeContinuation<Value, Never>) -> Void
    ) async -> Value {
        await UnsafeContinuation.wait(body)
    }

    package func withUnsafeThrowingContinuation<Value: Sendable>(
        _ body: (UnsafeContinuation<Value, any Error>) -> Void
    ) async throws -> Value {
        try await UnsafeContinuation.wait(body)
    }
#endif
