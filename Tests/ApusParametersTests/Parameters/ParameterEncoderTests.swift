internal import Apus
internal import Foundation
internal import Testing

/// A custom encoder.
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
    /// Parity: AF-parameters-own
    @Test func supportsCustomEncodings() throws {
        let request = try PathEncoder().encode(5, into: RequestMessage("http://h/users"))
        #expect(request.target.path == "/users/5")
        #expect(try PathEncoder().encode(Int?.none, into: request).target.path == "/users/5")
    }

    @Test func offersShortNamesForEncoders() throws {
        let literal = URLEncodedFormEncoder(boolEncoding: .literal)
        let existential: [any ParameterEncoder] = [
            .urlEncodedForm, .urlEncodedForm(), .urlEncodedForm(destination: .queryString),
            .urlEncodedForm(encoder: literal), .json, .json(encoder: JSONEncoder()), .propertyList,
            .propertyList(encoder: PropertyListEncoder()),
        ]
        #expect(existential.count == 8)
        func generic(_ encoder: some ParameterEncoder) throws -> RequestMessage {
            try encoder.encode(["a": true], into: RequestMessage("http://h/"))
        }
        #expect(try generic(.urlEncodedForm(encoder: literal)).target.path == "/?a=true")
        #expect(try generic(.urlEncodedForm).target.path == "/?a=1")
        #expect(try generic(.json).fields[.contentType] == "application/json")
        #expect(try generic(.propertyList).fields[.contentType] == "application/x-plist")
    }

    /// Parity: AF-parameters-nil
    @Test(
        arguments: [
            .urlEncodedForm, .urlEncodedForm(destination: .httpBody), .json, .propertyList,
        ] as [any ParameterEncoder]
    )
    func leavesARequestWithoutParametersAlone(encoder: any ParameterEncoder) throws {
        let request = try RequestMessage("http://h/?a=b", method: .post, fields: [.accept: "*/*"])
        let encoded = try encoder.encode([String: Int]?.none, into: request)
        #expect(encoded.target == request.target)
        #expect(encoded.fields == request.fields)
        #expect(encoded.body.isNone)
    }

    /// Parity: AF-json-type, AF-form-type
    @Test(
        arguments: [
            .urlEncodedForm(destination: .httpBody), .json, .propertyList,
        ] as [any ParameterEncoder]
    )
    func keepsTheContentTypeThatARequestHas(encoder: any ParameterEncoder) throws {
        let fields: HTTPFields = [.contentType: "application/vnd.own"]
        let request = try RequestMessage("http://h/", method: .post, fields: RequestFields(fields))
        let encoded = try encoder.encode(["a": 1], into: request)
        #expect(encoded.fields[values: .contentType] == ["application/vnd.own"])
        #expect(try encoded.sentBytes.isEmpty == false)
    }
}
