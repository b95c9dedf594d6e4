internal import ApusCore
internal import HTTPTypes

/// A transport that responds with bodies made by a test.
struct BodyTransport: Transport {
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let body: @Sendable (RequestMessage) -> ResponseBody

    init(
        status: HTTPResponse.Status = .ok,
        fields: HTTPFields = [:],
        _ body: @escaping @Sendable (RequestMessage) -> ResponseBody
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    var capabilities: TransportCapabilities { [.rawRedirects] }

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        ResponseMessage(status: status, fields: fields, body: body(request), record: record)
    }
}

/// A body that stops before one of its chunks until the barrier opens or the body is cancelled.
final class HeldBody: BodySource {
    private let chunks: [String]
    private let heldIndex: Int
    private let barrier: Barrier
    private let position = Lock(0)
    private let isCancelled = Lock(false)

    init(_ chunks: [String], before index: Int, _ barrier: Barrier) {
        self.chunks = chunks
        self.heldIndex = index
        self.barrier = barrier
    }

    var wasCancelled: Bool { isCancelled.withLock { $0 } }

    func next() async throws(ApusError) -> BodyChunk? {
        let index = position.withLock { position in
            defer { position += 1 }
            return position
        }
        if index == heldIndex {
            do { try await barrier.passUnlessCancelled() } catch { throw ApusError(.cancelled, "its reader gave up") }
        }
        if wasCancelled { throw ApusError(.cancelled, "it was given up") }
        return index < chunks.count ? BodyChunk(chunks[index]) : nil
    }

    func cancel() {
        isCancelled.withLock { $0 = true }
        barrier.open()
    }
}
