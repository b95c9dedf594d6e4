internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import Testing

@Suite struct AFParametersTests {
    private struct User: Encodable {
        let name: String
        var born: Date?
        var portrait: Data?
    }

    @Test func isALiteral() throws {
        let dictionary: AFParameters = ["a": 1, "b": [true, nil]]
        #expect(try dictionary.value == ["a": 1, "b": [true, nil]])
        #expect(try dictionary.dictionary == ["a": 1, "b": [true, nil]])
        // A repeated name is no error.
        #expect(try AFParameters(dictionaryLiteral: ("a", 1), ("a", "last")).dictionary == ["a": "last"])
        let array: AFParameters = [1, "x", [:]]
        #expect(try array.value == [1, "x", [:]])
    }

    @Test func isMadeFromVariables() throws {
        let parameters: Parameters = ["a": .set([1, 2]), "b": nil]
        #expect(try AFParameters(parameters).value == .dictionary(parameters))
        #expect(try AFParameters(["a": "b"] as [String: String]).value == ["a": "b"])
        #expect(try AFParameters([3, 1] as [Int]).value == [3, 1])
        #expect(try AFParameters(Set(["a"])).value == .set(["a"]))
        #expect(try AFParameters(parameters as Parameters?).value == .dictionary(parameters))
    }

    @Test func isMadeFromEncodableValues() throws {
        let date = Date(timeIntervalSince1970: 5)
        let value = try AFParameters(User(name: "Ada", born: date, portrait: Data([1]))).value
        #expect(value == ["name": "Ada", "born": .date(date), "portrait": .data(Data([1]))])
        #expect(try AFParameters([User(name: "Ada")]).value == [["name": "Ada"]])
    }

    @Test func isMadeFromObjectsOfFoundation() throws {
        let object: [String: Any] = ["name": "Ada", "age": 36, "tags": ["a", NSNull()] as [Any]]
        #expect(try AFParameters(foundationObject: object).value == ["name": "Ada", "age": 36, "tags": ["a", nil]])
        let list: [Any] = [1, "x"]
        #expect(try AFParameters(foundationObject: list).value == [1, "x"])
    }

    @Test func isNothingWithoutAValue() throws {
        let none: Parameters? = nil
        #expect(try AFParameters(none).value == nil)
        #expect(try AFParameters(none).dictionary.isEmpty)
        #expect(try AFParameters(foundationObject: NSNull()).value == nil)
    }

    @Test func reportsInvalidValuesWhenItIsUsed() async throws {
        let object = try await refusal { try AFParameters(foundationObject: ["a": ["b": NSObject()]]).value }
        #expect(object.code == .parameterEncodingFailed)
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws { throw CustomError() }
        }
        let value = try await refusal { try AFParameters(["a": Failing()]).value }
        #expect(value.code == .parameterEncodingFailed)
        #expect(value.underlying is CustomError)
        for single in [AFParameters("text"), AFParameters(1), AFParameters(foundationObject: true)] {
            #expect(try await refusal { try single.value }.detail.contains("single value"))
        }
        #expect(try await refusal { try ([1] as AFParameters).dictionary }.detail.contains("no names"))
    }
}
