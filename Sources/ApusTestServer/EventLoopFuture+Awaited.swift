internal import ApusCore
internal import NIOCore

extension EventLoopFuture where Value: Sendable {
    /// What comes of it; like `get()`, with a continuation that the thread sanitizer understands.
    var awaited: Value {
        get async throws {
            try await withUnsafeThrowingContinuation { continuation in
                whenComplete { continuation.resume(with: $0) }
            }
        }
    }
}
