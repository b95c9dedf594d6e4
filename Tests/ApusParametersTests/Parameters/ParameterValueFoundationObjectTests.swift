internal import Apus
internal import Foundation
internal import Testing

@Suite struct ParameterValueFoundationObjectTests {
    private struct Strange {}

    private struct User: Codable, Equatable {
        var id = 7
        var name: String? = "Ada"
        var since = Date(timeIntervalSince1970: 0)
    }

    private static let user: ParameterValue = [
        "id": 7, "name": "Ada", "since": .date(Date(timeIntervalSince1970: 0)),
    ]

    private func refusal(of object: [String: Any]) throws -> String {
        let error = #expect(throws: ApusError.self) { try Parameters(foundationObject: object) }
        #expect(error?.code == .parameterEncodingFailed)
        return try #require(error).detail
    }

    /// Parity: AF-legacy-parameters
    @Test func convertsAnExistingDictionary() throws {
        let mixed: [Any] = [1, "a", NSNull(), ["k": 2.5]]
        let object: [String: Any] = [
            "name": "Ada", "truth": true, "one": NSNumber(value: 1), "no": NSNumber(value: false), "list": mixed,
            "date": Date(timeIntervalSince1970: 0), "data": Data([1]), "set": Set(["y", "x"]), "user": User(),
            "large": UInt64.max, "none": Int?.none as Any, "empty": [String: Any](), "nothing": [Any](),
            "url": URL(filePath: "/a", directoryHint: .notDirectory), "decimal": Decimal(2), "float": Float(0.1),
        ]
        let parameters = try Parameters(foundationObject: object)
        let expected: Parameters = [
            "name": "Ada", "truth": true, "one": 1, "no": false, "list": [1, "a", nil, ["k": 2.5]],
            "date": .date(Date(timeIntervalSince1970: 0)), "data": .data(Data([1])), "set": .set(["x", "y"]),
            "user": Self.user, "large": .decimal(Decimal(UInt64.max)), "none": nil, "empty": [:], "nothing": [],
            "url": "file:///a", "decimal": .decimal(2), "float": 0.1,
        ]
        for (name, value) in expected { #expect(parameters[name] == value, "\(name)") }
        #expect(parameters.count == expected.count)
    }

    @Test func isSentLikeLiterals() throws {
        let object: [String: Any] = ["user": ["name": "Ada", "tags": ["x", "y"]] as [String: Any], "draft": true]
        let parameters = try Parameters(foundationObject: object)
        let form = try QueryStringSerializer.string(from: parameters)
        #expect(form == "draft=1&user%5Bname%5D=Ada&user%5Btags%5D%5B%5D=x&user%5Btags%5D%5B%5D=y")
        let json = try JSONContentEncoder(sortedKeys: true).encode(parameters)
        #expect(String(decoding: json, as: UTF8.self) == #"{"draft":true,"user":{"name":"Ada","tags":["x","y"]}}"#)
    }

    @Test func convertsRootsOfEveryKind() throws {
        #expect(try ParameterValue(foundationObject: [1, 2]) == [1, 2])
        #expect(try ParameterValue(foundationObject: "x") == "x")
        #expect(try ParameterValue(foundationObject: NSNull()) == .null)
        #expect(try ParameterValue(foundationObject: ParameterValue.set([1])) == .set([1]))
        #expect(try ParameterValue(foundationObject: [User()]) == [Self.user])
    }

    @Test func namesThePathAndTheFault() throws {
        let list: [Any] = [0, Strange()]
        #expect(try refusal(of: ["a": ["b": list]]).hasPrefix("the value at a.b[1] has the type Strange"))
        #expect(try refusal(of: ["a": [1: Strange()]]).hasPrefix("the value at a is a dictionary with a key"))
        #expect(try refusal(of: ["a": Int128.max]).hasPrefix("the value at a is an integer that does not fit"))
        #expect(try refusal(of: ["a": [Unwilling()]]).hasPrefix("the value at a[0] can't be encoded"))
    }

    private struct Unwilling: Encodable {
        func encode(to encoder: any Encoder) throws { throw Fault() }
    }

    private struct Fault: Error {}

    @Test func limitsItsDepth() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { object, _ in [object] as [Any] } }
        let limit = URLEncodedFormEncoder.nestingLimit
        #expect(try ParameterValue(foundationObject: nested(limit)) != .null)
        let error = #expect(throws: ApusError.self) { try ParameterValue(foundationObject: nested(limit + 1)) }
        #expect(error?.detail.contains("nested deeper than \(limit) levels") == true)
    }
}
