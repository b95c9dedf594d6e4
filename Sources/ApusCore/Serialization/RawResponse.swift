internal import Foundation
internal import HTTPTypes

/// The head of an answer, kept apart: making an `HTTPResponse` costs an allocation that most never ask for.
struct ResponseHead: Sendable {
    let status: HTTPResponse.Status
    let fields: HTTPFields

    var response: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}

/// What came of the attempt, before any serializer; shared by all of them.
final class RawResponse: Sendable {
    let request: RequestMessage?
    let head: ResponseHead?
    let content: CollectedContent?
    let metrics: RequestMetrics
    let error: ApusError?

    init(request: RequestMessage, collected: Collected, metrics: RequestMetrics) {
        self.request = request
        self.head = collected.head
        self.content = collected.content
        self.metrics = metrics
        self.error = nil
    }

    /// What is left of an answer where the request failed.
    init(request: RequestMessage?, metrics: RequestMetrics, error: ApusError) {
        self.request = request
        self.head = error.response.map { ResponseHead(status: $0.status, fields: $0.headerFields) }
        self.content = error.data.map { .memory($0) }
        self.metrics = metrics
        self.error = error
    }

    var data: Data? { if case .memory(let data)? = content { data } else { nil } }

    var fileURL: URL? { if case .file(let url)? = content { url } else { nil } }
}
