public import Apus

/// A transport that answers from a closure, so that a program can be tested without a socket.
///
/// ```swift
/// let transport = MockTransport { request in
///     MockResponse(status: 200, fields: [.contentType: "application/json"], body: #"{"name":"swift"}"#)
/// }
/// let session = Session(transport: transport)
/// ```
///
/// The whole chain stands in front of it: redirects are followed, contents decoded, answers validated.
public final class MockTransport: Transport {
    /// Answers a request; what it throws is the transport's failure.
    public typealias Handler = @Sendable (RequestMessage) async throws -> MockResponse

    private let handler: Handler
    private let log = RequestLog()

    /// Makes a transport that answers every request by `handler`.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// Makes a transport that gives these answers, in their order; one more request fails.
    public convenience init(_ responses: [MockResponse]) {
        let queue = ResponseQueue(responses)
        self.init { request in try queue.next(for: request) }
    }

    /// The requests that arrived, in their order.
    public var requests: [RequestMessage] { log.requests }

    public var capabilities: TransportCapabilities {
        [.rawContentCoding, .rawRedirects, .trailers, .informational]
    }

    public func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        let request = request
        log.append(request)
        let begin = context.time.now
        record.write { metrics in
            metrics.connectionReady = begin
            metrics.requestBegin = begin
            metrics.requestEnd = begin
        }
        let response = try await handler(request)
        try Task.checkCancellation()
        for informational in response.informational { record.noteInformational(informational) }
        let end = context.time.now
        record.write { $0.responseBegin = end }
        record.close(at: end) { metrics in
            metrics.status = response.status
            metrics.responseBodyBytes = Int64(response.chunks.reduce(0) { $0 + $1.count })
        }
        return ResponseMessage(
            status: response.status,
            fields: response.fields,
            body: response.body,
            record: record
        )
    }
}

/// An answer of a `MockTransport`.
public struct MockResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The fields.
    public var fields: HTTPFields
    /// The content, as the chunks it comes in: one is whole, more are streamed.
    public var chunks: [BodyChunk]
    /// The error that the content ends with, instead of its end.
    public var failure: ApusError?
    /// The trailer fields, which make the content a stream.
    public var trailers: HTTPFields?
    /// The informational responses that come before.
    public var informational: [HTTPResponse] = []

    /// Makes an answer with a whole content.
    public init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: String = "") {
        self.init(status: status, fields: fields, chunks: body.isEmpty ? [] : [BodyChunk(body)])
    }

    /// Makes an answer with a content in chunks.
    public init(
        status: HTTPResponse.Status = .ok,
        fields: HTTPFields = [:],
        chunks: [BodyChunk],
        failure: ApusError? = nil,
        trailers: HTTPFields? = nil
    ) {
        self.status = status
        self.fields = fields
        self.chunks = chunks
        self.failure = failure
        self.trailers = trailers
    }

    fileprivate var body: ResponseBody {
        if failure == nil, trailers == nil, chunks.count < 2 { return chunks.first.map(ResponseBody.whole) ?? .empty }
        return .stream(MockBody(self))
    }
}

/// The content of a mocked answer, chunk by chunk.
private final class MockBody: BodySource {
    private let response: MockResponse
    private let position = Position()

    init(_ response: MockResponse) {
        self.response = response
    }

    func next() async throws(ApusError) -> BodyChunk? {
        if Task.isCancelled || position.isCancelled { throw ApusError(.cancelled, "the reader gave up") }
        let index = position.advance()
        if index < response.chunks.count { return response.chunks[index] }
        if let failure = response.failure { throw failure }
        position.end()
        return nil
    }

    func cancel() { position.cancel() }

    var trailers: HTTPFields? { position.isAtEnd ? response.trailers : nil }
}
