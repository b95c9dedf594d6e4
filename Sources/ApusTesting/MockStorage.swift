internal import Apus
internal import ApusCore

/// The requests received by a mock.
final class RequestLog: Sendable {
    private let stored = Lock<[RequestMessage]>([])

    var requests: [RequestMessage] { stored.withLock { $0 } }

    func append(_ request: RequestMessage) { stored.withLock { $0.append(request) } }
}

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

/// The reading position in a mocked body.
final class Position: Sendable {
    private struct State {
        var index = 0
        var isAtEnd = false
        var isCancelled = false
    }

    private let state = Lock(State())

    var isAtEnd: Bool { state.withLock { $0.isAtEnd } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func advance() -> Int {
        state.withLock { state in
            defer { state.index += 1 }
            return state.index
        }
    }

    func end() { state.withLock { $0.isAtEnd = true } }
    func cancel() { state.withLock { $0.isCancelled = true } }
}
