public import Apus

/// A transport that creates responses in a closure, to test a program without a socket.
///
/// ```swift
/// let transport = MockTransport { request in
///     MockResponse(status: 200, fields: [.contentType: "application/json"], body: #"{"name":"swift"}"#)
/// }
/// let session = Session(transport: transport)
/// ```
///
/// The rest of the request chain works as usual: redirects are followed, bodies decoded, and responses validated.
public final class MockTransport: Transport {
    /// Returns the response to a request. A thrown error becomes the transport's failure.
    public typealias Handler = @Sendable (RequestMessage) async throws -> MockResponse

    private let handler: Handler
    private let log = RequestLog()

    /// Creates a transport that passes every request to `handler`.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// Creates a transport that returns these responses in order. Any further request fails.
    public convenience init(_ responses: [MockResponse]) {
        let queue = ResponseQueue(responses)
        self.init { request in try queue.next(for: request) }
    }

    /// The received requests, in order.
    public var requests: [RequestMessage] { log.requests }

    public var capabilities: TransportCapabilities {
        [.rawContentCoding, .rawRedirects]
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

/// A response of a `MockTransport`.
public struct MockResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The fields.
    public var fields: HTTPFields
    /// The chunks of the body. The body is streamed if there is more than one.
    public var chunks: [BodyChunk]
    /// The error thrown after the last chunk, instead of the end of the body.
    public var failure: ApusError?
    /// The trailer fields. With trailers, the body is streamed.
    public var trailers: HTTPFields?
    /// The informational responses sent before this one.
    public var informational: [HTTPResponse] = []

    /// Creates a response with its body as one chunk.
    public init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: String = "") {
        self.init(status: status, fields: fields, chunks: body.isEmpty ? [] : [BodyChunk(body)])
    }

    /// Creates a response with a body in chunks.
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

/// The body of a mocked response, read chunk by chunk.
private final class MockBody: BodySource {
    private let response: MockResponse
    private let position = Position()

    init(_ response: MockResponse) {
        self.response = response
    }

    func next() async throws(ApusError) -> BodyChunk? {
        if Task.isCancelled || position.isCancelled { throw ApusError(.cancelled, "the reader was cancelled") }
        let index = position.advance()
        if index < response.chunks.count { return response.chunks[index] }
        if let failure = response.failure { throw failure }
        position.end()
        return nil
    }

    func cancel() { position.cancel() }

    var trailers: HTTPFields? { position.isAtEnd ? response.trailers : nil }
}
