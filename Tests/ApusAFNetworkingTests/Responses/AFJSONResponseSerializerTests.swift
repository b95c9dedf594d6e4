internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFJSONResponseSerializerTests {
    private let serializer = AFJSONResponseSerializer()

    /// Parity: AFN-response-json
    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "text/json", "text/javascript", "Application/JSON",
        "application/problem+json",
    ])
    func parsesJSON(type: String) {
        let result = serializer.serialize(#"{"a": [1, null, {"b": "é"}]}"#, type: type)
        #expect(result.object == ["a": [1, nil, ["b": "é"]]])
        #expect(result.error == nil)
    }

    @Test(arguments: ["text/html", "text/plain", "application/octet-stream"])
    func acceptsConfiguredContentTypes(type: String) {
        var serializer = serializer
        let refused = serializer.serialize(#"{"a": 1}"#, type: type)
        #expect(refused.object == nil)
        #expect(refused.error?.code == .unacceptableContentType)
        #expect(refused.error?.data == Data(#"{"a": 1}"#.utf8))
        serializer.acceptableContentTypes?.insert(type)
        #expect(serializer.serialize(#"{"a": 1}"#, type: type).object == ["a": 1])
        serializer.acceptableContentTypes = nil
        #expect(serializer.serialize(#"{"a": 1}"#).object == ["a": 1])
    }

    /// Parity: AFN-response-json-empty
    @Test(arguments: ["", " "])
    func returnsNoObjectForAnEmptyBody(text: String) {
        for status in [HTTPResponse.Status.ok, .noContent] {
            let result = serializer.serialize(text, status: status, type: "application/json")
            #expect(result.object == nil)
            #expect(result.error == nil)
        }
        let refused = serializer.serialize(text, status: .notFound, type: "application/json")
        #expect(refused.error?.code == .unacceptableStatus)
    }

    @Test(arguments: ["  ", "\n", "{", "[1,]", "{'a': 1}", "nul", "[1] 2", "\u{1}", "[NaN]"])
    func rejectsInvalidJSON(text: String) {
        let result = serializer.serialize(text, type: "application/json")
        #expect(result.object == nil)
        #expect(result.error?.code == .decodingFailed)
        #expect(result.error?.data == Data(text.utf8))
        let refused = serializer.serialize(text, status: .badGateway, type: "application/json")
        #expect(refused.error?.code == .unacceptableStatus)
        #expect((refused.error?.underlying as? ApusError)?.code == .decodingFailed)
    }

    @Test func rejectsTooDeepJSON() {
        let text = String(repeating: "[", count: 100_000)
        #expect(serializer.serialize(text, type: "application/json").error?.code == .decodingFailed)
    }

    /// Parity: AFN-response-json-options
    @Test(
        arguments: [("1.5", 1.5), ("true", true), ("null", nil), (#""x""#, "x"), (" 1 ", 1)] as [(String, JSONValue)]
    )
    func acceptsFragmentsIfConfigured(text: String, value: JSONValue) {
        let result = serializer.serialize(text, type: "application/json")
        #expect(result.object == nil)
        #expect(result.error?.code == .decodingFailed)
        #expect(result.error?.detail.contains(".fragmentsAllowed") == true)
        let other = AFJSONResponseSerializer(readingOptions: .fragmentsAllowed)
        #expect(other.serialize(text, type: "application/json").object == value)
        #expect(AFJSONResponseSerializer.ReadingOptions.fragmentsAllowed.rawValue == 4)
    }

    /// Parity: AFN-response-json-nulls
    @Test(
        arguments: [
            (#"{"a": null}"#, [:]),
            (#"{"a": null, "b": {"c": null, "d": [null, {"e": null}, 1]}}"#, ["b": ["d": [[:], 1]]]),
            (#"[null, [null]]"#, [[]]),
            (
                #"{"a": 0, "b": false, "c": "", "d": [], "e": "null"}"#,
                ["a": 0, "b": false, "c": "", "d": [], "e": "null"]
            ),
        ] as [(String, JSONValue)]
    )
    func removesNullsIfConfigured(text: String, value: JSONValue) throws {
        var serializer = serializer
        #expect(try serializer.serialize(text, type: "text/json").object == JSONValue(parsing: text))
        serializer.removesKeysWithNullValues = true
        #expect(serializer.serialize(text, type: "text/json").object == value)
        #expect(serializer.serialize(text, status: .notFound, type: "text/json").object == value)
    }

    @Test func keepsATopLevelNull() {
        var serializer = AFJSONResponseSerializer(readingOptions: .fragmentsAllowed)
        serializer.removesKeysWithNullValues = true
        #expect(serializer.serialize("null", type: "text/json").object == JSONValue.null)
    }

    @Test func parsesTheBodyOfARejectedResponse() {
        let result = serializer.serialize(#"{"title": "gone"}"#, status: .gone, type: "application/problem+json")
        #expect(result.object == ["title": "gone"])
        #expect(result.error?.code == .unacceptableStatus)
        #expect(result.error?.data == Data(#"{"title": "gone"}"#.utf8))
    }
}
