internal import Apus
internal import ApusTesting
internal import Foundation

/// A session whose every answer is one content.
func session(
    answering data: Data,
    status: HTTPResponse.Status = .ok,
    contentType: String? = nil
) -> Session {
    var fields: HTTPFields = [:]
    fields[.contentType] = contentType
    let response = MockResponse(status: status, fields: fields, chunks: data.isEmpty ? [] : [BodyChunk(data)])
    return Session(transport: MockTransport { _ in response })
}
