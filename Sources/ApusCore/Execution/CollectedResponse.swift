internal import Foundation
internal import HTTPTypes

/// The complete response of an attempt.
struct CollectedResponse: Sendable {
    /// The storage of the body.
    enum Content: Sendable {
        case memory(Data)
        case file(CollectedFile)
    }

    let head: ResponseHead
    let content: Content
    let trailers: HTTPFields?
    let target: TargetURI

    var data: Data { if case .memory(let data) = content { data } else { Data() } }

    func with(content: Content) -> CollectedResponse {
        CollectedResponse(head: head, content: content, trailers: trailers, target: target)
    }
}
