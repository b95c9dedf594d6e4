internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusParameters

@Suite struct MultipartFormDataParametersTests {
    private struct Profile: Encodable {
        struct User: Encodable {
            let name: String
            let age: Int?
        }

        let user: User
        let tags: [String]
        let portrait: Data
        let isNew: Bool
        let since: Date
    }

    private static let profile = Profile(
        user: Profile.User(name: "Ada & ü", age: nil),
        tags: ["x y", "z"],
        portrait: Data([0, 0xFF]),
        isNew: true,
        since: Date(timeIntervalSince1970: 0)
    )

    private func lines(
        _ parameters: some Encodable,
        _ encoder: URLEncodedFormEncoder = .default
    ) throws -> [String] {
        try encoder.parts(of: parameters).map { "\($0.name)=\(String(decoding: $0.content, as: UTF8.self))" }
    }

    @Test func appendsAPartForEachValue() async throws {
        var form = try MultipartFormData(boundary: "b")
        #expect(form.isEmpty)
        form.append("first", withName: "first")
        try form.append(parameters: Self.profile, encoder: URLEncodedFormEncoder(dateEncoding: .iso8601))
        #expect(!form.isEmpty)
        let read = try ReadMultipart(try await form.encode(), boundary: "b")
        let names = ["first", "isNew", "portrait", "since", "tags[]", "tags[]", "user[name]"]
        #expect(
            read.parts.map { String(decoding: $0.fields[0], as: UTF8.self) }
                == names.map { "Content-Disposition: form-data; name=\"\($0)\"" }
        )
        var contents = ["first", "1", "", "1970-01-01T00:00:00Z", "x y", "z", "Ada & ü"].map { Data($0.utf8) }
        contents[2] = Self.profile.portrait
        #expect(read.parts.map(\.content) == contents)
        #expect(read.parts.allSatisfy { $0.fields.count == 1 })
    }

    @Test func followsTheRulesOfTheEncoder() throws {
        let value = ["tags": ["a": [true, false]]]
        #expect(try lines(value) == ["tags[a][]=1", "tags[a][]=0"])
        let encoder = URLEncodedFormEncoder(
            arrayEncoding: .indexInBrackets,
            boolEncoding: .literal,
            keyEncoding: .uppercased,
            keyPathEncoding: .dots
        )
        #expect(try lines(value, encoder) == ["TAGS.A[0]=true", "TAGS.A[1]=false"])
        #expect(try lines(["a": Int?.none, "b": 1]) == ["b=1"])
        #expect(try lines(["a": Int?.none], URLEncodedFormEncoder(nilEncoding: .null)) == ["a=null"])
        #expect(try lines(["a": Int?.none], URLEncodedFormEncoder(nilEncoding: .keyAlone)) == ["a="])
    }

    /// Names and values that would need escapes in a form, with settings that only concern escapes.
    @Test func escapesNothing() throws {
        let value = ["a b&=%[é]": "c d+&=%20\r\né"]
        let encoder = URLEncodedFormEncoder(
            dataEncoding: .custom { _ in "x" },
            spaceEncoding: .plusReplaced,
            allowedCharacters: CharacterSet()
        )
        #expect(try lines(value) == ["a b&=%[é]=c d+&=%20\r\né"])
        #expect(try lines(value, encoder) == ["a b&=%[é]=c d+&=%20\r\né"])
        #expect(try encoder.parts(of: ["a": Data([0xFF])]).map(\.content) == [Data([0xFF])])
    }

    @Test func writesTheSameNamesAsAForm() throws {
        let value: ParameterValue = ["u": ["n": "Ada", "t": ["x", ["k": 1]]], "e": [], "s": .set(["b", "a"])]
        let form: String = try URLEncodedFormEncoder().encode(value)
        #expect(try lines(value) == form.split(separator: "&").map { PercentEncoding.decode(String($0)) })
    }

    /// Parity: AFN-multipart-parameters
    @Test(
        arguments: [
            ([:], []),
            (["b": 1, "a": 2], ["a=2", "b=1"]),
            (["u": ["n": "Ada", "a": 36]], ["u[a]=36", "u[n]=Ada"]),
            (["a": ["y", "x"]], ["a[]=y", "a[]=x"]),
            (["a": .set(["b", "a", "["])], ["a=[", "a=a", "a=b"]),
            (["a": .set(["Z", "[", nil])], ["a=", "a=Z", "a=["]),
            (["a": .set([["k": 2, "l": 1], ["k": 1, "l": 5]])], ["a[k]=1", "a[l]=5", "a[k]=2", "a[l]=1"]),
            (["a": nil, "b": [:], "c": []], ["a="]),
            (["a": true, "b": false, "c": 1.0, "d": 1.5], ["a=1", "b=0", "c=1", "d=1.5"]),
            (["a": .decimal(Decimal(string: "10.50") ?? 0)], ["a=10.5"]),
            (["a": .date(Date(timeIntervalSince1970: 0))], ["a=1970-01-01 00:00:00 +0000"]),
            (["a": "x=1&y%20"], ["a=x=1&y%20"]),
        ] as [(Parameters, [String])]
    )
    func followsTheRulesOfAFNetworking(parameters: Parameters, expected: [String]) throws {
        #expect(try lines(parameters, QueryStringSerializer.encoder) == expected)
    }

    @Test(arguments: [.number(.nan), .decimal(.nan), .set([1, .number(.infinity)])] as [ParameterValue])
    func rejectsInvalidNumbers(value: ParameterValue) throws {
        var form = MultipartFormData()
        let error = #expect(throws: ApusError.self) { try form.append(parameters: ["b": 1, "a": value]) }
        #expect(error?.code == .parameterEncodingFailed)
        #expect(form.isEmpty)
    }

    @Test func rejectsValuesWithoutKeysAndTooDeepOnes() throws {
        var form = MultipartFormData()
        let error = #expect(throws: ApusError.self) { try form.append(parameters: [1]) }
        #expect(error?.detail.contains("has no keys") == true)
        let deep = (0..<200).reduce(ParameterValue.integer(1)) { value, _ in [value] }
        let tooDeep = #expect(throws: ApusError.self) { try form.append(parameters: ["a": deep]) }
        #expect(tooDeep?.detail.contains("nested deeper") == true)
        #expect(form.isEmpty)
    }
}
