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
            withParameters parameters: AFParameters?
        ) throws -> RequestMessage {
            guard let parameters else { throw CustomError() }
            var request = request
            request.fields[.from] = try parameters.dictionary.keys.sorted().joined(separator: " ")
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
        let list = try await refusal {
            try Naming().request(withMethod: .put, urlString: "http://h/", parameters: ["a", "b"])
        }
        #expect(list.code == .parameterEncodingFailed)
        #expect(list.detail.contains("no names"))
    }

    /// The options of a serializer do not depend on its own code.
    @Test func hasTheOptionsOfItsSettings() throws {
        var serializer = Naming()
        serializer.timeoutInterval = .seconds(3)
        serializer.httpShouldHandleCookies = false
        let request = try serializer.request(withMethod: .put, urlString: "http://h/", parameters: ["a": 1])
        #expect(request.options[RequestTimeouts.self]?.idleRead == .seconds(3))
        #expect(request.options[CookieHandling.self]?.isOff == true)
    }
}
