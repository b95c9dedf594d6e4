internal import Foundation
internal import HTTPTypes

/// The complete response of an attempt.
struct Collected: Sendable {
    let head: ResponseHead
    let content: CollectedContent
    let trailers: HTTPFields?
    let target: TargetURI

    var data: Data { if case .memory(let data) = content { data } else { Data() } }

    func with(content: CollectedContent) -> Collected {
        Collected(head: head, content: content, trailers: trailers, target: target)
    }
}

/// The storage of a collected response body.
enum CollectedContent: Sendable {
    case memory(Data)
    case file(CollectedFile)
}
