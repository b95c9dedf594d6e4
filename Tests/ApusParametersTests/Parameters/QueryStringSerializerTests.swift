internal import Apus
internal import Foundation
internal import Testing

@Suite struct QueryStringSerializerTests {
    private func query(_ parameters: Parameters) throws -> String {
        try QueryStringSerializer.string(from: parameters).replacing("%5B", with: "[").replacing("%5D", with: "]")
    }

    /// Parity: AF-legacy-url-encoding, AFN-query-sorted, AFN-query-nested, AFN-query-array, AFN-query-set
    /// Parity: AFN-query-null, AFN-query-numbers
    @Test(
        arguments: [
            ([:], ""),
            (["b": 1, "a": 2, "B": 3], "B=3&a=2&b=1"),
            (["a": ["c": 1, "b": ["d": 2]]], "a[b][d]=2&a[c]=1"),
            (["a": [3, 1, 2]], "a[]=3&a[]=1&a[]=2"),
            (["a": [["c": 1, "b": 2], ["b": 3]]], "a[][b]=2&a[][c]=1&a[][b]=3"),
            (["a": [[1], [2, 3]]], "a[][]=1&a[][]=2&a[][]=3"),
            (["a": .set(["c", "b", "a"])], "a=a&a=b&a=c"),
            (["a": .set([10, 9, 1])], "a=1&a=10&a=9"),
            (["a": ["b": .set([true, "x"])]], "a[b]=1&a[b]=x"),
            (["a": [.set([1, 2]), 0]], "a[]=1&a[]=2&a[]=0"),
            (["a": .set([["k": 2], ["k": 1]])], "a[k]=1&a[k]=2"),
            (["a": .set([[2, 1]])], "a[]=2&a[]=1"),
            (["a": nil, "b": ["c": nil, "d": [nil, 1]]], "a&b[c]&b[d][]&b[d][]=1"),
            (["a": true, "b": false], "a=1&b=0"),
            (["a": 1.0, "b": 1.5, "c": -3, "d": 1e100], "a=1&b=1.5&c=-3&d=1e%2B100"),
            (["a": .decimal(Decimal(string: "10.50") ?? 0)], "a=10.5"),
            (["a": .date(Date(timeIntervalSinceReferenceDate: 123.456))], "a=2001-01-01%2000%3A02%3A03%20%2B0000"),
            (["a": .data(Data([1, 2]))], "a=AQI%3D"),
            (["a": [], "b": [:], "c": .set([])], ""),
            (["a": ""], "a="),
            (["": 1, "x": nil], "=1&x"),
            (["": nil, "x": nil], "&x"),
        ] as [(Parameters, String)]
    )
    func followsTheRulesOfAFNetworking(parameters: Parameters, expected: String) throws {
        #expect(try query(parameters) == expected)
    }

    /// Parity: AFN-query-escapes, AFN-query-composed
    @Test(arguments: [
        (":#[]@!$&'()*+,;=", "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"), ("?/", "?/"), ("a b%", "a%20b%25"),
        // Longer than the batches in which AFNetworking escapes.
        (
            String(repeating: "x", count: 49) + "👩‍👩‍👧‍👦",
            String(repeating: "x", count: 49)
                + "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%E2%80%8D%F0%9F%91%A6"
        ),
    ])
    func escapesKeysAndValues(text: String, escaped: String) throws {
        #expect(try QueryStringSerializer.string(from: [text: .string(text)]) == "\(escaped)=\(escaped)")
        #expect(try QueryStringSerializer.string(from: [text: nil]) == escaped)
    }

    /// Parity: AFN-query-set
    @Test func sortsASetOfEverything() throws {
        let values: Set<ParameterValue> = [
            nil, true, 7, 2.5, "t", .decimal(3), .data(Data([255])), .date(Date(timeIntervalSince1970: 5)), [1],
            ["z": 1],
            .set(["q"]),
        ]
        let first = try query(["s": .set(values)])
        #expect(first.split(separator: "&").count == values.count)
        for _ in 0..<10 { #expect(try query(["s": .set(Set(values.shuffled()))]) == first) }
    }

    @Test(
        arguments: [
            .number(.nan), .number(.infinity), .decimal(.nan), .date(Date(timeIntervalSince1970: 1e30)),
            .set([.number(.nan)]),
        ] as [ParameterValue]
    )
    func rejectsValuesWithoutText(value: ParameterValue) throws {
        #expect(try refusal { try query(["a": value]) }.code == .parameterEncodingFailed)
    }

    @Test func rejectsTooDeepValues() throws {
        let deep = (0..<200).reduce(ParameterValue.integer(1)) { value, _ in [value] }
        #expect(try refusal { try query(["a": deep]) }.detail.contains("is nested deeper than"))
    }

    /// Parity: AFN-query-encoder
    @Test func isAnEncoderForRequests() throws {
        let parameters: Parameters = ["a": nil, "s": .set([2, 1])]
        let encoder = URLEncodedFormParameterEncoder(encoder: QueryStringSerializer.encoder)
        let request = try encoder.encode(parameters, into: RequestMessage("http://h/"))
        #expect(request.target.path == "/?a&s=1&s=2")
    }
}
