internal import Apus
internal import Testing

/// An encoder of somebody's own.
private struct PathEncoder: ParameterEncoder {
    func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?,
        into request: RequestMessage
    ) throws -> RequestMessage {
        guard let parameters else { return request }
        return try RequestMessage(request.target.uri + "/\(parameters)", method: request.method)
    }
}

@Suite struct ParameterEncoderTests {
    @Test func isOpenToOtherEncodings() throws {
        let request = try PathEncoder().encode(5, into: RequestMessage("http://h/users"))
        #expect(request.target.path == "/users/5")
        #expect(try PathEncoder().encode(Int?.none, into: request).target.path == "/users/5")
    }
}
