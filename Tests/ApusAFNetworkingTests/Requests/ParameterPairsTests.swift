internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusAFNetworking

@Suite struct ParameterPairsTests {
    private func lines(_ root: ParameterValue) throws -> [String] {
        try ParameterPairs.pairs(of: root).map { name, value in
            switch value {
            case .null: name
            case .text(let text): "\(name)=\(text)"
            case .data(let data): "\(name)=\(data.count) bytes"
            }
        }
    }

    /// Parity: AFN-multipart-parameters
    @Test(
        arguments: [
            ([:], []),
            (["b": 1, "a": 2], ["a=2", "b=1"]),
            (["u": ["n": "Ada", "a": 36]], ["u[a]=36", "u[n]=Ada"]),
            (["a": ["y", "x"]], ["a[]=y", "a[]=x"]),
            (["a": .set(["b", "a", "["])], ["a=[", "a=a", "a=b"]),
            (["a": .set(["Z", "[", nil])], ["a", "a=Z", "a=["]),
            (["a": .set([["k": 2, "l": 1], ["k": 1, "l": 5]])], ["a[k]=1", "a[l]=5", "a[k]=2", "a[l]=1"]),
            (["a": nil, "b": [:], "c": []], ["a"]),
            (["a": true, "b": false, "c": 1.0, "d": 1.5], ["a=1", "b=0", "c=1", "d=1.5"]),
            (["a": .decimal(Decimal(string: "10.50") ?? 0)], ["a=10.5"]),
            (["a": .date(Date(timeIntervalSince1970: 0))], ["a=1970-01-01 00:00:00 +0000"]),
            (["a": "x=1&y%20"], ["a=x=1&y%20"]),
            (["a": .data(Data([0, 255]))], ["a=2 bytes"]),
            (["x", ["k": 1]], ["[]=x", "[][k]=1"]),
            (.set(["b", "a"]), ["=a", "=b"]),
        ] as [(ParameterValue, [String])]
    )
    func matchTheItemsOfAQuery(parameters: ParameterValue, expected: [String]) throws {
        #expect(try lines(parameters) == expected)
    }

    @Test(arguments: [.number(.nan), .decimal(.nan), .set([1, .number(.infinity)])] as [ParameterValue])
    func rejectInvalidNumbers(value: ParameterValue) async throws {
        #expect(try await refusal { try lines(["a": value]) }.code == .parameterEncodingFailed)
    }

    @Test func rejectTooDeepValues() async throws {
        let deep = (0..<200).reduce(ParameterValue.integer(1)) { value, _ in [value] }
        #expect(try await refusal { try lines(["a": deep]) }.detail.contains("nested deeper"))
    }

    /// A form in UTF-8 is written by `QueryStringSerializer`. Both agree if all characters are ASCII.
    @Test func formAQueryInOtherEncodings() throws {
        let parameters: Parameters = [
            "a b": "c&d=e/f?", "list": [1, 2.5, ["k": true]], "none": nil, "data": .data(Data([1, 2, 3])),
            "set": .set([2, 1]), "date": .date(Date(timeIntervalSince1970: 0)),
        ]
        let pairs = try ParameterPairs.pairs(of: .dictionary(parameters))
        let form = try ParameterPairs.form(pairs, in: TextEncoding(.isoLatin1))
        #expect(String(decoding: form, as: UTF8.self) == (try QueryStringSerializer.string(from: parameters)))
    }
}
