internal import ApusCore
package import NIOCore

extension EventLoopFuture where Value: Sendable {
    /// The result. Like `get()`, but with a continuation that the thread sanitizer supports.
    package var awaited: Value {
        get async throws {
            try await withUnsafeThrowingContinuation { continuation in
                whenComplete { continuation.resume(with: $0) }
            }
        }
    }
}
