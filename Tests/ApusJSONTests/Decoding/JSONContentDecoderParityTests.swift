internal import Apus
internal import ApusJSON
internal import Foundation
internal import Testing

/// Compares `JSONContentDecoder` with Foundation's `JSONDecoder`.
@Suite struct JSONContentDecoderParityTests {
    struct Strategies: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let ours: JSONContentDecoder

        init(_ description: String, _ ours: JSONContentDecoder) {
            self.testDescription = description
            self.ours = ours
        }
    }

    static let strategies = [
        Strategies("plain", JSONContentDecoder()),
        Strategies(
            "snake case, seconds, bytes",
            JSONContentDecoder(
                dateDecodingStrategy: .secondsSince1970,
                dataDecodingStrategy: .deferredToData,
                keyDecodingStrategy: .convertFromSnakeCase
            )
        ),
        Strategies(
            "ISO 8601, NaN",
            JSONContentDecoder(
                dateDecodingStrategy: .iso8601,
                nonConformingFloatDecodingStrategy: .convertFromString(
                    positiveInfinity: "Infinity",
                    negativeInfinity: "-Infinity",
                    nan: "NaN"
                )
            )
        ),
        Strategies(
            "closures",
            JSONContentDecoder(
                dateDecodingStrategy: .custom { decoder in
                    Date(timeIntervalSince1970: Double(try decoder.singleValueContainer().decode(String.self).count))
                },
                dataDecodingStrategy: .custom { decoder in
                    Data(decoder.codingPath.map(\.stringValue).joined(separator: "/").utf8)
                },
                keyDecodingStrategy: .custom { path in
                    let name = path.last?.stringValue ?? ""
                    return name == "super" ? JSONPathKey("bool") : JSONPathKey("\(name)")
                }
            )
        ),
        Strategies("milliseconds", JSONContentDecoder(dateDecodingStrategy: .millisecondsSince1970)),
    ]

    struct JSONPathKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ text: String) { self.stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test(arguments: strategies)
    func decodesGeneratedTextsLikeFoundation(strategies: Strategies) {
        let foundationDecoder = strategies.ours.foundationDecoder
        var values = 0
        for seed in 0..<30 {
            var generator = JSONGenerator(seed: UInt64(seed))
            let suitable = Data(generator.specimen().utf8)
            let specimen = JSONOutcome { try foundationDecoder.decode(JSONSpecimen.self, from: suitable) }
            if case .value = specimen { values += 1 }
            let ours = JSONOutcome { try strategies.ours.decode(JSONSpecimen.self, from: suitable) }
            #expect(ours.difference(from: specimen) == nil, "seed \(seed)")
            let hostile = Data(generator.object(depth: 3).utf8)
            let byHand = JSONOutcome { try foundationDecoder.decode(JSONByHand.self, from: hostile) }
            let oursByHand = JSONOutcome { try strategies.ours.decode(JSONByHand.self, from: hostile) }
            #expect(oursByHand.difference(from: byHand) == nil, "seed \(seed)")
        }
        #expect(values > 0)
    }

    @Test func decodesEachValueAsEachTypeLikeFoundation() {
        for value in JSONGenerator.numbers + JSONGenerator.strings + [
            "null", "true", "false", "[]", "{}", "[1]", "[null]",
        ] {
            compare(Bool.self, value)
            compare(String.self, value)
            compare(Int.self, value)
            compare(Int8.self, value)
            compare(Int16.self, value)
            compare(Int32.self, value)
            compare(Int64.self, value)
            compare(Int128.self, value)
            compare(UInt.self, value)
            compare(UInt8.self, value)
            compare(UInt16.self, value)
            compare(UInt32.self, value)
            compare(UInt64.self, value)
            compare(UInt128.self, value)
            compare(Double.self, value)
            compare(Float.self, value)
            compare(Decimal.self, value)
            compare(Date.self, value)
            compare(Data.self, value)
            compare(URL.self, value)
            compare(Int?.self, value)
            compare([Int].self, value)
            compare([String: Int].self, value)
            compare(JSONSpecimen.Kind.self, value)
        }
    }

    private func compare<Value: Decodable & Equatable>(_ type: Value.Type, _ text: String) {
        let data = Data(text.utf8)
        let ours = JSONOutcome { try JSONContentDecoder().decode(type, from: data) }
        // Foundation rejects 128-bit integers with an exponent.
        if Value.self == Int128.self || Value.self == UInt128.self, text.contains("e"), case .value = ours { return }
        let theirs = JSONOutcome { try JSONDecoder().decode(type, from: data) }
        #expect(ours == theirs, "\(text) as \(type)")
    }

    /// Damaged texts are rejected, or decoded as Foundation decodes them.
    @Test func acceptsNothingThatFoundationRejects() {
        var accepted = 0
        for seed in 0..<150 {
            var generator = JSONGenerator(seed: UInt64(seed))
            let data = generator.mutated(generator.object(depth: 2))
            let ours = JSONOutcome { try JSONContentDecoder().decode(JSONByHand.self, from: data) }
            guard case .value = ours else { continue }
            accepted += 1
            let theirs = JSONOutcome { try JSONDecoder().decode(JSONByHand.self, from: data) }
            #expect(ours.difference(from: theirs) == nil, "seed \(seed)")
        }
        #expect(accepted > 3)
    }

    @Test(arguments: [
        "", "_", "__", "a", "a_b", "_a_b", "a_b_", "__a__b__", "aB_cD", "A_B", "one_two_three", "a__b", "é_ü", "a_1b",
        "1_a",
        "url_id", "URL_ID", "a_", "_a", "user_name_", "a-b_c-d", "ß_ß",
    ])
    func convertsNamesLikeFoundation(name: String) throws {
        struct Names: Decodable, Equatable {
            let names: [String]

            init(from decoder: any Decoder) throws {
                names = try decoder.container(keyedBy: JSONPathKey.self).allKeys.map(\.stringValue)
            }
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = Data(#"{"\#(name)":1}"#.utf8)
        let ours = try JSONContentDecoder(keyDecodingStrategy: .convertFromSnakeCase).decode(Names.self, from: data)
        #expect(ours == (try decoder.decode(Names.self, from: data)))
    }
}
