internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import Foundation
internal import HTTPTypes
internal import Testing

extension RequestMessage {
    /// The complete body.
    var content: Data {
        get async throws {
            let reader = try await body.open()
            var data = Data()
            while let chunk = try await reader.next() { data.append(Data(chunk)) }
            return data
        }
    }

    /// The body as text.
    var text: String {
        get async throws { String(decoding: try await content, as: UTF8.self) }
    }
}

/// Returns the error that `work` throws. Fails the test for other errors.
func refusal<Value>(
    location: SourceLocation = #_sourceLocation,
    of work: () async throws -> Value
) async throws -> ApusError {
    let error = await #expect(throws: ApusError.self, sourceLocation: location) { _ = try await work() }
    return try #require(error, sourceLocation: location)
}

/// An error that a user-defined serializer throws.
struct CustomError: Error, Equatable {}

/// All serializers with AFNetworking's fields and options.
let everyRequestSerializer: [any AFHTTPRequestSerialization] = [
    AFHTTPRequestSerializer(), AFJSONRequestSerializer(), AFPropertyListRequestSerializer(),
]
