internal import Apus
internal import ApusAFNetworking
internal import HTTPTypes
internal import Testing

/// Serializers of the user's own.
@Suite struct AFURLRequestSerializationTests {
    /// Puts the names of the parameters into a field.
    private struct Naming: AFHTTPRequestSerialization {
        var settings = AFHTTPRequestSettings()

        func request(
            bySerializing request: RequestMessage,
            withParameters parameters: Parameters?
        ) throws -> RequestMessage {
            guard let parameters else { throw Quirk() }
            var request = request
            request.fields[.from] = parameters.keys.sorted().joined(separator: " ")
            return request
        }
    }

    @Test func canBeAnyTypes() async throws {
        let request = try Naming().request(withMethod: .put, urlString: "http://h/", parameters: ["b": 1, "a": 2])
        #expect(request.fields[.from] == "a b")
        let error = try await refusal { try Naming().request(withMethod: .put, urlString: "http://h/") }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.underlying is Quirk)
        #expect(error.method == .put)
    }
}
