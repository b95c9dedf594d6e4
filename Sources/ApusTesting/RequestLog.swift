internal import Apus
internal import ApusCore

/// The requests received by a mock.
final class RequestLog: Sendable {
    private let stored = Lock<[RequestMessage]>([])

    var requests: [RequestMessage] { stored.withLock { $0 } }

    func append(_ request: RequestMessage) { stored.withLock { $0.append(request) } }
}
