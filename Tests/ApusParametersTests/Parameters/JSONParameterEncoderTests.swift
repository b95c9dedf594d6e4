internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONParameterEncoderTests {
    private struct User: Codable, Equatable {
        var userName = "Ada \"&=\r\n\0 🦅"
        var age: Int?
    }

    /// Parity: AF-json-content
    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete, .query])
    func putsJSONIntoTheBody(method: HTTPRequest.Method) throws {
        let request = try JSONParameterEncoder.default.encode(
            User(),
            into: RequestMessage("http://h/?a=b", method: method)
        )
        #expect(try JSONDecoder().decode(User.self, from: request.sentBytes) == User())
        #expect(request.fields[values: .contentType] == ["application/json"])
        #expect(request.target.path == "/?a=b")
    }

    /// Parity: AF-json-formats
    @Test func appliesTheFormattingOptions() throws {
        let request = try RequestMessage("http://h/", method: .post)
        let value = ["z": 1, "a": 2, "m": 3]
        #expect(try JSONParameterEncoder.sortedKeys.encode(value, into: request).sentString == #"{"a":2,"m":3,"z":1}"#)
        let pretty = try JSONParameterEncoder.prettyPrinted.encode(["a": 1], into: request).sentString
        #expect(pretty == "{\n  \"a\" : 1\n}")
        let own = JSONEncoder()
        own.keyEncodingStrategy = .convertToSnakeCase
        let snake = try JSONParameterEncoder(encoder: own).encode(User(userName: "x"), into: request).sentString
        #expect(snake == #"{"user_name":"x"}"#)
    }

    @Test func encodesValuesThatAreNoObjects() throws {
        let request = try RequestMessage("http://h/", method: .post)
        #expect(try JSONParameterEncoder.default.encode([1, 2], into: request).sentString == "[1,2]")
        #expect(try JSONParameterEncoder.default.encode("x", into: request).sentString == "\"x\"")
    }

    /// Parity: AF-json-failure, AF-legacy-json-invalid
    @Test func reportsValuesThatCanNotBeEncoded() throws {
        let request = try RequestMessage("http://h/", method: .post)
        let number = try refusal { try JSONParameterEncoder.default.encode(["a": [1, Double.nan]], into: request) }
        #expect(number.code == .parameterEncodingFailed)
        #expect(number.detail.hasPrefix("the value at a[1] can't be encoded: "))
        #expect(number.underlying is EncodingError)
        #expect(number.debugDescription.contains("(Double.Type)"))
        let parameters: Parameters = ["b": [.decimal(.nan)]]
        let decimal = try refusal { try JSONParameterEncoder.default.encode(parameters, into: request) }
        #expect(decimal.code == .parameterEncodingFailed)
        #expect(decimal.detail.hasPrefix("the value at b[0] can't be encoded: a decimal number that is not finite"))
        let own = try refusal {
            try JSONParameterEncoder.default.encode(Encoding { _ in throw Fault() }, into: request)
        }
        #expect(own.code == .parameterEncodingFailed)
        #expect(own.underlying is Fault)
    }
}
