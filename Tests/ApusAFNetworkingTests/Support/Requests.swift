internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import Foundation
internal import HTTPTypes
internal import Testing

extension RequestMessage {
    /// The content, read to its end.
    var content: Data {
        get async throws {
            let reader = try await body.open()
            var data = Data()
            while let chunk = try await reader.next() { data.append(Data(chunk)) }
            return data
        }
    }

    /// The content as text.
    var text: String {
        get async throws { String(decoding: try await content, as: UTF8.self) }
    }
}

/// The error that `work` throws; one that is not the library's fails the test.
func refusal<Value>(
    location: SourceLocation = #_sourceLocation,
    of work: () async throws -> Value
) async throws -> ApusError {
    let error = await #expect(throws: ApusError.self, sourceLocation: location) { _ = try await work() }
    return try #require(error, sourceLocation: location)
}

/// What a serializer of the user's throws.
struct Quirk: Error, Equatable {}

/// All that have AFNetworking's fields and options.
let everyRequestSerializer: [any AFHTTPRequestSerialization] = [
    AFHTTPRequestSerializer(), AFJSONRequestSerializer(), AFPropertyListRequestSerializer(),
]
