package import Apus
internal import ApusTesting
package import Foundation
package import HTTPTypes

/// Returns a session whose responses all have the same body.
package func session(
    respondingWith data: Data,
    status: HTTPResponse.Status = .ok,
    contentType: String? = nil
) -> Session {
    var fields: HTTPFields = [:]
    fields[.contentType] = contentType
    let response = MockResponse(status: status, fields: fields, chunks: data.isEmpty ? [] : [BodyChunk(data)])
    return Session(transport: MockTransport { _ in response })
}
