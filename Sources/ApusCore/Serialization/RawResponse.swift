internal import Foundation
internal import HTTPTypes

/// The head of an answer, kept apart: making an `HTTPResponse` costs an allocation that most never ask for.
struct ResponseHead: Sendable {
    let status: HTTPResponse.Status
    let fields: HTTPFields

    /// Most are `200 (OK)`, and to copy one of those is cheaper than to make it.
    private static let success = HTTPResponse(status: .ok)

    var response: HTTPResponse {
        guard status.code == 200, status.reasonPhrase == HTTPResponse.Status.ok.reasonPhrase else {
            return HTTPResponse(status: status, headerFields: fields)
        }
        var response = Self.success
        response.headerFields = fields
        return response
    }
}

/// What came of the attempt, before any serializer; shared by all of them.
final class RawResponse: Sendable {
    let request: RequestMessage?
    let head: ResponseHead?
    let content: CollectedContent?
    let metrics: RequestMetrics
    let error: ApusError?

    convenience init(request: RequestMessage, collected: Collected, metrics: RequestMetrics) {
        self.init(request, collected.head, collected.content, metrics, nil)
    }

    /// What is left of an answer where the request failed.
    convenience init(request: RequestMessage?, metrics: RequestMetrics, error: ApusError) {
        let head = error.response.map { ResponseHead(status: $0.status, fields: $0.headerFields) }
        self.init(request, head, error.data.map { .memory($0) }, metrics, error)
    }

    private init(
        _ request: RequestMessage?,
        _ head: ResponseHead?,
        _ content: CollectedContent?,
        _ metrics: RequestMetrics,
        _ error: ApusError?
    ) {
        self.request = request
        self.head = head
        self.content = content
        self.metrics = metrics
        self.error = error
    }

    /// The same with its content elsewhere.
    func with(content: CollectedContent) -> RawResponse { RawResponse(request, head, content, metrics, error) }

    var data: Data? { if case .memory(let data)? = content { data } else { nil } }

    var file: CollectedFile? { if case .file(let file)? = content { file } else { nil } }

    /// Where the content is once the request has succeeded.
    var fileURL: URL? { file?.destination }
}
