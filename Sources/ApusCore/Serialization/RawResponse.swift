internal import Foundation
internal import HTTPTypes

/// The head of a response. An `HTTPResponse` costs an allocation, so it is made only on request.
struct ResponseHead: Sendable {
    let status: HTTPResponse.Status
    let fields: HTTPFields

    init(status: HTTPResponse.Status, fields: HTTPFields) {
        self.status = status
        self.fields = fields
    }

    init(_ response: HTTPResponse) {
        self.init(status: response.status, fields: response.headerFields)
    }

    /// Most responses are `200 (OK)`, and copying an existing one is cheaper than creating it.
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

/// The result of an attempt before serialization, shared by all serializers.
final class RawResponse: Sendable {
    let request: RequestMessage?
    let head: ResponseHead?
    let content: CollectedResponse.Content?
    let metrics: RequestMetrics
    let error: ApusError?

    convenience init(request: RequestMessage, collected: CollectedResponse, metrics: RequestMetrics) {
        self.init(request, collected.head, collected.content, metrics, nil)
    }

    /// Creates the result of a failed request, with the parts of the response that the error holds.
    convenience init(request: RequestMessage?, metrics: RequestMetrics, error: ApusError) {
        let head = error.response.map { ResponseHead($0) }
        self.init(request, head, error.data.map { .memory($0) }, metrics, error)
    }

    private init(
        _ request: RequestMessage?,
        _ head: ResponseHead?,
        _ content: CollectedResponse.Content?,
        _ metrics: RequestMetrics,
        _ error: ApusError?
    ) {
        self.request = request
        self.head = head
        self.content = content
        self.metrics = metrics
        self.error = error
    }

    /// Returns the same result with its body stored elsewhere.
    func with(content: CollectedResponse.Content) -> RawResponse { RawResponse(request, head, content, metrics, error) }

    var data: Data? { if case .memory(let data)? = content { data } else { nil } }

    var file: CollectedFile? { if case .file(let file)? = content { file } else { nil } }

    /// The URL of the body after the request has succeeded.
    var fileURL: URL? { file?.destination }
}
