internal import Apus
internal import Foundation
internal import Testing

@Suite struct JSONDateTests {
    private static let strategies: [JSONEncoder.DateEncodingStrategy] = [
        .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601,
        .custom { date, encoder in
            var container = encoder.unkeyedContainer()
            try container.encode(date.timeIntervalSince1970)
            try container.encode(encoder.codingPath.map(\.stringValue))
        },
        .custom { _, _ in },
    ]

    @Test(arguments: strategies.indices) func appliesTheDateStrategy(strategy: Int) throws {
        let encoder = JSONContentEncoder(dateEncodingStrategy: Self.strategies[strategy])
        for seconds in [0, 1_234_567_890.987, -1, -0.5, 0.999, 1e10, 253_402_300_799, -62_135_596_800] {
            let date = Date(timeIntervalSince1970: seconds)
            try expectFoundationsText(["a": date], by: encoder)
            try expectFoundationsText([date, date], by: encoder)
            try expectFoundationsText(date, by: encoder)
            try expectFoundationsText([Optional(date), nil], by: encoder)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 253_402_300_800, -62_135_596_801, 1e300])
    func rejectsDatesOutsideRFC3339(seconds: Double) throws {
        let encoder = JSONContentEncoder(dateEncodingStrategy: .iso8601)
        let refused = try Refused { _ = try encoder.encode(["a": [Date(timeIntervalSince1970: seconds)]]) }
        let reason = "it is a date outside the years 1 to 9999"
        #expect(refused == Refused(path: ["a", "[0]"], type: "Double", reason: reason))
    }

    @Test(arguments: 0..<3) func rejectsANonfiniteDate(strategy: Int) throws {
        let encoder = JSONContentEncoder(dateEncodingStrategy: Self.strategies[strategy])
        let value = ["a": Date(timeIntervalSince1970: .nan)]
        let refused = try Refused { _ = try encoder.encode(value) }
        #expect(refused.path == ["a"])
        #expect(try Refused { _ = try encoder.foundation.encode(value) }.path == refused.path)
    }

    /// Seconds are always written as numbers, so the texts do not apply to them.
    @Test func rejectsNonfiniteSecondsDespiteAStringStrategy() throws {
        let encoder = JSONContentEncoder(
            dateEncodingStrategy: .secondsSince1970,
            nonConformingFloatEncodingStrategy: .convertToString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        )
        let value = Date(timeIntervalSince1970: .nan)
        #expect(throws: EncodingError.self) { try encoder.encode(value) }
        #expect(throws: EncodingError.self) { try encoder.foundation.encode(value) }
    }

    @Test func appliesTheDataStrategy() throws {
        let strategies: [JSONEncoder.DataEncodingStrategy] = [
            .base64, .deferredToData, .custom { _, _ in },
            .custom { data, encoder in try data.reversed().encode(to: encoder) },
        ]
        for strategy in strategies {
            let encoder = JSONContentEncoder(dataEncodingStrategy: strategy)
            for data in [Data(), Data([0xFF, 0xEF, 0, 1]), Data("some text".utf8)] {
                try expectFoundationsText(data, by: encoder)
                try expectFoundationsText(["a": [data]], by: encoder)
            }
        }
    }
}
