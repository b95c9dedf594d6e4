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
        let answer = serializer.answer(#"{"a": [1, null, {"b": "é"}]}"#, type: type)
        #expect(answer.object == ["a": [1, nil, ["b": "é"]]])
        #expect(answer.error == nil)
    }

    @Test(arguments: ["text/html", "text/plain", "application/octet-stream"])
    func takesOtherTypesWhereItIsTold(type: String) {
        var serializer = serializer
        let refused = serializer.answer(#"{"a": 1}"#, type: type)
        #expect(refused.object == nil)
        #expect(refused.error?.code == .unacceptableContentType)
        #expect(refused.error?.data == Data(#"{"a": 1}"#.utf8))
        serializer.acceptableContentTypes?.insert(type)
        #expect(serializer.answer(#"{"a": 1}"#, type: type).object == ["a": 1])
        serializer.acceptableContentTypes = nil
        #expect(serializer.answer(#"{"a": 1}"#).object == ["a": 1])
    }

    /// Parity: AFN-response-json-empty
    @Test(arguments: ["", " "])
    func takesNothingForNothing(text: String) {
        for status in [HTTPResponse.Status.ok, .noContent] {
            let answer = serializer.answer(text, status: status, type: "application/json")
            #expect(answer.object == nil)
            #expect(answer.error == nil)
        }
        #expect(serializer.answer(text, status: .notFound, type: "application/json").error?.code == .unacceptableStatus)
    }

    @Test(arguments: ["  ", "\n", "{", "[1,]", "{'a': 1}", "nul", "[1] 2", "\u{1}", "[NaN]"])
    func refusesWhatIsNoJSON(text: String) {
        let answer = serializer.answer(text, type: "application/json")
        #expect(answer.object == nil)
        #expect(answer.error?.code == .decodingFailed)
        #expect(answer.error?.data == Data(text.utf8))
        let refused = serializer.answer(text, status: .badGateway, type: "application/json")
        #expect(refused.error?.code == .decodingFailed)
        #expect((refused.error?.underlying as? ApusError)?.code == .unacceptableStatus)
    }

    @Test func refusesWhatIsTooDeep() {
        let text = String(repeating: "[", count: 100_000)
        #expect(serializer.answer(text, type: "application/json").error?.code == .decodingFailed)
    }

    /// Parity: AFN-response-json-options
    @Test(
        arguments: [("1.5", 1.5), ("true", true), ("null", nil), (#""x""#, "x"), (" 1 ", 1)] as [(String, JSONValue)]
    )
    func takesFragmentsWhereItIsTold(text: String, value: JSONValue) {
        let answer = serializer.answer(text, type: "application/json")
        #expect(answer.object == nil)
        #expect(answer.error?.code == .decodingFailed)
        #expect(answer.error?.detail.contains(".fragmentsAllowed") == true)
        let other = AFJSONResponseSerializer(readingOptions: .fragmentsAllowed)
        #expect(other.answer(text, type: "application/json").object == value)
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
    func leavesNullsOutWhereItIsTold(text: String, value: JSONValue) throws {
        var serializer = serializer
        #expect(try serializer.answer(text, type: "text/json").object == JSONValue(parsing: text))
        serializer.removesKeysWithNullValues = true
        #expect(serializer.answer(text, type: "text/json").object == value)
        #expect(serializer.answer(text, status: .notFound, type: "text/json").object == value)
    }

    @Test func keepsANullThatIsAllThereIs() {
        var serializer = AFJSONResponseSerializer(readingOptions: .fragmentsAllowed)
        serializer.removesKeysWithNullValues = true
        #expect(serializer.answer("null", type: "text/json").object == JSONValue.null)
    }

    @Test func parsesTheExplanationOfARefusal() {
        let answer = serializer.answer(#"{"title": "gone"}"#, status: .gone, type: "application/problem+json")
        #expect(answer.object == ["title": "gone"])
        #expect(answer.error?.code == .unacceptableStatus)
        #expect(answer.error?.data == Data(#"{"title": "gone"}"#.utf8))
    }
}
