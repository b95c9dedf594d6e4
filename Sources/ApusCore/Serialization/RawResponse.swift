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
    /// The target of the response: after redirects, the last one. `nil` for an error.
    let target: TargetURI?
    let metrics: RequestMetrics
    let error: ApusError?

    convenience init(request: RequestMessage, collected: CollectedResponse, metrics: RequestMetrics) {
        self.init(request, collected.head, collected.content, collected.target, metrics, nil)
    }

    /// Creates the result of a failed request, with the parts of the response that the error holds.
    convenience init(request: RequestMessage?, metrics: RequestMetrics, error: ApusError) {
        let head = error.response.map { ResponseHead($0) }
        self.init(request, head, error.data.map { .memory($0) }, nil, metrics, error)
    }

    /// Creates the result of a request whose body is not kept.
    convenience init(request: RequestMessage?, head: ResponseHead?, metrics: RequestMetrics, error: ApusError?) {
        self.init(request, head, (error?.data).map { .memory($0) }, nil, metrics, error)
    }

    /// Creates the result of an attempt, as retriers see it.
    convenience init(_ attempt: RequestAttempt, metrics: RequestMetrics, error: ApusError?) {
        self.init(attempt.request, attempt.head, attempt.data.map { .memory($0) }, nil, metrics, error)
    }

    private init(
        _ request: RequestMessage?,
        _ head: ResponseHead?,
        _ content: CollectedResponse.Content?,
        _ target: TargetURI?,
        _ metrics: RequestMetrics,
        _ error: ApusError?
    ) {
        self.request = request
        self.head = head
        self.content = content
        self.target = target
        self.metrics = metrics
        self.error = error
    }

    /// Returns the same result with its body stored elsewhere.
    func with(content: CollectedResponse.Content) -> RawResponse {
        RawResponse(request, head, content, target, metrics, error)
    }

    /// Returns the result with only the beginning of its body, for a receiver that may keep it for long.
    ///
    /// A body of up to 4 KiB, or up to four times as many bytes, is shared, since a copy would cost more. A file is only
    /// named.
    func beginning(upTo byteCount: Int) -> RawResponse {
        switch content {
        case .memory(let data)? where !Self.sharesBody(of: data.count, upTo: byteCount):
            with(content: .memory(data.prefix(byteCount).withUnsafeBytes { Data($0) }))
        case .file(let file)? where !file.isInPlace:
            with(content: .file(file.named))
        case .memory?, .file?, nil:
            self
        }
    }

    /// Whether the beginning of a body shares the memory of the whole body.
    static func sharesBody(of byteCount: Int, upTo limit: Int) -> Bool { byteCount / 4 <= max(limit, 1024) }

    var data: Data? { if case .memory(let data)? = content { data } else { nil } }

    var file: CollectedFile? { if case .file(let file)? = content { file } else { nil } }

    /// The URL of the body after the request has succeeded.
    var fileURL: URL? { file?.destination }
}
