internal import Apus
internal import ApusAFNetworking
internal import HTTPTypes
internal import Testing

/// User-defined request serializers.
@Suite struct AFURLRequestSerializationTests {
    /// Adds a field with the names of the parameters.
    private struct Naming: AFHTTPRequestSerialization {
        var settings = AFHTTPRequestSettings()

        func request(
            bySerializing request: RequestMessage,
            withParameters parameters: Parameters?
        ) throws -> RequestMessage {
            guard let parameters else { throw CustomError() }
            var request = request
            request.fields[.from] = parameters.keys.sorted().joined(separator: " ")
            return request
        }
    }

    @Test func canBeAnyType() async throws {
        let request = try Naming().request(withMethod: .put, urlString: "http://h/", parameters: ["b": 1, "a": 2])
        #expect(request.fields[.from] == "a b")
        let error = try await refusal { try Naming().request(withMethod: .put, urlString: "http://h/") }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.underlying is CustomError)
        #expect(error.method == .put)
    }
}
