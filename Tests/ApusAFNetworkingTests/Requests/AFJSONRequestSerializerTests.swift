internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFJSONRequestSerializerTests {
    private let serializer = AFJSONRequestSerializer(writingOptions: .sortedKeys)

    private func text(
        of parameters: Parameters,
        by serializer: AFJSONRequestSerializer = AFJSONRequestSerializer(writingOptions: .sortedKeys)
    ) async throws -> String {
        try await serializer.request(withMethod: .post, urlString: "http://h/", parameters: parameters).text
    }

    /// Parity: AFN-json-request
    @Test(
        arguments: [
            ([:], "{}"),
            (["a": nil, "b": true, "c": -1, "d": 1.5, "e": 2.0], #"{"a":null,"b":true,"c":-1,"d":1.5,"e":2}"#),
            (["a": ["b": [1, "x", nil, [:]]]], #"{"a":{"b":[1,"x",null,{}]}}"#),
            (["a": .set([3, 1, 2])], #"{"a":[1,2,3]}"#),
            (["a": .decimal(Decimal(string: "0.10000000000000000001") ?? 0)], #"{"a":0.10000000000000000001}"#),
            (["é\"\n": "\u{1}"], #"{"é\"\n":"\u0001"}"#),
        ] as [(Parameters, String)]
    )
    func putsParametersIntoTheBody(parameters: Parameters, expected: String) async throws {
        #expect(try await text(of: parameters) == expected)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func setsItsContentType(method: HTTPRequest.Method) throws {
        let request = try serializer.request(withMethod: method, urlString: "http://h/?x", parameters: ["a": 1])
        #expect(request.fields[values: .contentType] == ["application/json"])
        #expect(request.target.path == "/?x")
    }

    @Test func keepsAnExistingContentType() throws {
        var request = try RequestMessage("http://h/", method: .post)
        request.fields[.contentType] = "application/vnd.api+json"
        let serialized = try serializer.request(bySerializing: request, withParameters: ["a": 1])
        #expect(serialized.fields[values: .contentType] == ["application/vnd.api+json"])
    }

    /// Parity: AFN-json-request-nil
    @Test func hasNoBodyWithoutParameters() throws {
        let request = try serializer.request(withMethod: .post, urlString: "http://h/")
        #expect(request.body.isNone)
        #expect(request.fields[.contentType] == nil)
        #expect(request.fields[.userAgent] != nil)
    }

    /// Parity: AFN-json-request-query
    @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
    func fallsBackToTheQuery(method: HTTPRequest.Method) throws {
        let request = try serializer.request(withMethod: method, urlString: "http://h/", parameters: ["a": [1, 2]])
        #expect(request.target.path == "/?a%5B%5D=1&a%5B%5D=2")
        #expect(request.body.isNone)
        #expect(request.fields[.contentType] == nil)
    }

    /// Parity: AFN-json-request-array
    @Test func putsAnArrayIntoTheBody() async throws {
        let list: AFParameters = [1, ["a": "x"], nil, []]
        let request = try serializer.request(withMethod: .post, urlString: "http://h/", parameters: list)
        #expect(try await request.text == #"[1,{"a":"x"},null,[]]"#)
        #expect(request.fields[.contentType] == "application/json")
        let empty = try serializer.request(withMethod: .put, urlString: "http://h/", parameters: [])
        #expect(try await empty.text == "[]")
        let numbers = try serializer.request(withMethod: .put, urlString: "http://h/", parameters: [3, 1, 2])
        #expect(try await numbers.text == "[3,1,2]")
    }

    /// Parity: AFN-json-request-array
    @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
    func putsAnArrayIntoTheQuery(method: HTTPRequest.Method) throws {
        let request = try serializer.request(withMethod: method, urlString: "http://h/", parameters: [1, ["k": "v"]])
        #expect(request.target.path == "/?%5B%5D=1&%5B%5D%5Bk%5D=v")
    }

    @Test func putsAnyEncodableValueIntoTheBody() async throws {
        struct User: Encodable {
            let name: String
            let tags: [String]
        }
        let users = [User(name: "Ada", tags: ["x"]), User(name: "Grace", tags: [])]
        let one = try serializer.request(withMethod: .post, urlString: "http://h/", parameters: users[0])
        #expect(try await one.text == #"{"name":"Ada","tags":["x"]}"#)
        let all = try serializer.request(withMethod: .post, urlString: "http://h/", parameters: users)
        #expect(try await all.text == #"[{"name":"Ada","tags":["x"]},{"name":"Grace","tags":[]}]"#)
    }

    @Test func rejectsASingleValue() async throws {
        let error = try await refusal {
            try serializer.request(withMethod: .post, urlString: "http://h/", parameters: "text")
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.contains("single value"))
    }

    /// Parity: AFN-json-request
    @Test func appliesWritingOptions() async throws {
        var serializer = AFJSONRequestSerializer(writingOptions: [.prettyPrinted, .sortedKeys])
        let pretty = try await text(of: ["a": [1], "b": "/"], by: serializer)
        #expect(pretty.contains("\n"))
        #expect(try JSONValue(parsing: pretty) == ["a": [1], "b": "/"])
        serializer.writingOptions = [.withoutEscapingSlashes]
        #expect(try await text(of: ["b": "/"], by: serializer) == #"{"b":"/"}"#)
    }

    /// Parity: AFN-json-request-invalid
    @Test(
        arguments: [
            (.date(Date(timeIntervalSince1970: 0)), "no type for date"), (.data(Data([1])), "no type for bytes"),
            (.number(.infinity), ""), (.decimal(.nan), "not finite"),
        ] as [(ParameterValue, String)]
    )
    func rejectsValuesThatJSONCannotContain(value: ParameterValue, reason: String) async throws {
        for value in [value, ["b": [value]], .set([1, value])] {
            let error = try await refusal { try await text(of: ["a": value]) }
            #expect(error.code == .parameterEncodingFailed)
            #expect(reason.isEmpty || error.detail.contains(reason), "\(error.detail)")
            #expect(error.method == .post)
        }
    }

    /// Not a test argument, because such a date cannot be printed.
    @Test func rejectsAnInvalidDate() async throws {
        let error = try await refusal {
            try await text(of: ["a": .date(Date(timeIntervalSinceReferenceDate: .nan))])
        }
        #expect(error.debugDescription.contains("no type for date"))
    }
}
