internal import HTTPTypes

/// Receives the head of each response of a request, and the end of the request.
///
/// The request releases it at its end, at the latest. If the request is released before, so is the observer, which ends
/// the sequence then.
final class ResponseObserver: Sendable {
    private let continuation: AsyncStream<HTTPResponse>.Continuation

    init(_ continuation: AsyncStream<HTTPResponse>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }

    /// Reports the head of a response. Called where the request runs, and does not block.
    func report(_ head: HTTPResponse) { continuation.yield(head) }

    /// Reports the end of the request.
    func end() { continuation.finish() }
}
