internal import Apus
internal import ApusCore

/// Responses returned one after the other.
final class ResponseQueue: Sendable {
    private let stored: Lock<[MockResponse]>

    init(_ responses: [MockResponse]) {
        self.stored = Lock(responses.reversed())
    }

    func next(for request: RequestMessage) throws(ApusError) -> MockResponse {
        guard let response = stored.withLock({ $0.popLast() }) else {
            throw ApusError(.connectFailed, "the mock has no response left for \(request)")
        }
        return response
    }
}
