internal import Apus
internal import Foundation
internal import Testing

extension RequestMessage {
    /// The body, which must be bytes in memory.
    var sentBytes: Data {
        get throws {
            guard case .bytes(let chunk) = body.storage else { throw ApusError(.invalidRequest, "\(body)") }
            return Data(chunk)
        }
    }

    /// The body as a string.
    var sentString: String {
        get throws { String(decoding: try sentBytes, as: UTF8.self) }
    }
}

/// Returns the error that `work` must throw.
func refusal<Value>(
    of work: () throws -> Value,
    location: SourceLocation = #_sourceLocation
) throws -> ApusError {
    let error = #expect(throws: ApusError.self, sourceLocation: location) { try work() }
    return try #require(error, sourceLocation: location)
}
