internal import ApusCore
internal import HTTPTypes
internal import Synchronization

/// A complete response that several requests get.
struct SharedResponse: Sendable {
    private let status: HTTPResponse.Status
    private let fields: HTTPFields
    private let content: BodyChunk
    private let trailers: HTTPFields?
    /// The record of the last exchange. It belongs to the request that began the exchange.
    private let record: ExchangeRecord
    /// The redirects that the exchange includes.
    private let redirects: [FollowedRedirect]

    init(_ response: ResponseMessage, content: BodyChunk, redirects: [FollowedRedirect]) {
        self.status = response.status
        self.fields = response.fields
        self.content = content
        self.trailers = response.body.trailers
        self.record = response.record
        self.redirects = redirects
    }

    /// Returns the response for the request that began the exchange.
    func message() -> ResponseMessage {
        ResponseMessage(status: status, fields: fields, body: body, record: record)
    }

    /// Returns the response for a request that joined the exchange. It has a record that is not part of any metrics.
    func message(joinedIn context: RequestContext) -> ResponseMessage {
        if !redirects.isEmpty { context.note(redirects, inHedge: false) }
        let now = context.time.now
        let own = ExchangeRecord(method: record.method, target: record.target, cause: record.cause, begin: now)
        own.close(at: now) { $0.status = status }
        return ResponseMessage(status: status, fields: fields, body: body, record: own)
    }

    private var body: ResponseBody {
        guard let trailers else { return .whole(content) }
        return .stream(SharedContent(content, trailers: trailers))
    }
}

/// A complete body with trailers, for one of its readers.
private final class SharedContent: BodySource {
    private let content: BodyChunk
    private let fields: HTTPFields
    /// The number of reads so far.
    private let readCount = Atomic(0)

    init(_ content: BodyChunk, trailers: HTTPFields) {
        self.content = content
        self.fields = trailers
    }

    func next() async throws(ApusError) -> BodyChunk? {
        let isFirst = readCount.wrappingAdd(1, ordering: .relaxed).oldValue == 0
        return isFirst && !content.isEmpty ? content : nil
    }

    func cancel() {}

    var trailers: HTTPFields? {
        readCount.load(ordering: .relaxed) > (content.isEmpty ? 0 : 1) ? fields : nil
    }
}
