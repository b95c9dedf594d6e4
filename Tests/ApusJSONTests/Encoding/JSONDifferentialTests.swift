internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONDifferentialTests {
    private static let encoders: [JSONContentEncoder] = [
        JSONContentEncoder(),
        JSONContentEncoder(
            dateEncodingStrategy: .secondsSince1970,
            dataEncodingStrategy: .deferredToData,
            keyEncodingStrategy: .convertToSnakeCase
        ),
        JSONContentEncoder(
            dateEncodingStrategy: .millisecondsSince1970,
            dataEncodingStrategy: .custom { data, encoder in
                var container = encoder.unkeyedContainer()
                try container.encode(data.count)
            },
            keyEncodingStrategy: .custom { path in AnyKey("x/" + (path.last?.stringValue ?? "")) }
        ),
        JSONContentEncoder(
            dateEncodingStrategy: .iso8601,
            dataEncodingStrategy: .custom { _, _ in },
            nonConformingFloatEncodingStrategy: .convertToString(
                positiveInfinity: "+",
                negativeInfinity: "-",
                nan: "\""
            )
        ),
        JSONContentEncoder(
            dateEncodingStrategy: .custom { date, encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(date.timeIntervalSince1970, forKey: AnyKey("theSeconds"))
            },
            keyEncodingStrategy: .convertToSnakeCase
        ),
    ]

    @Test(arguments: encoders.indices, UInt64(1)...8)
    func matchesTheOutputOfFoundation(encoder: Int, seed: UInt64) throws {
        var maker = JSONSampleMaker(seed: seed)
        for _ in 0..<50 { try expectFoundationsText([maker.next()], by: Self.encoders[encoder]) }
    }

    /// The outputs have the same bytes, except for the order of members.
    @Test(arguments: UInt64(1)...8) func writesTheSameMembersSortedOrNot(seed: UInt64) throws {
        var maker = JSONSampleMaker(seed: seed)
        for _ in 0..<50 {
            let value = [maker.next()]
            #expect(
                try JSONContentEncoder().encode(value).sorted()
                    == JSONContentEncoder(sortedKeys: true).encode(value).sorted()
            )
        }
    }
}
