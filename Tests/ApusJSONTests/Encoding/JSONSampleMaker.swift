internal import Apus
internal import ApusJSON
internal import ApusTestServer
internal import Foundation

/// Generates values to compare encoders with, the same ones for the same seed.
struct JSONSampleMaker {
    private static let letters = Array(
        "aZbY09_-. /\"\\%'&<>\0\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}\u{80}\u{2028}éß日本🦅\u{301}\u{200D}\u{FFFD}\u{10FFFF}"
            .unicodeScalars
    )
    private static let doubles = [
        0, -0.0, 1, 0.1, 1e21, .leastNonzeroMagnitude, 1e16, 1e15, 123456789.123, -1e-5, 1e-4, .greatestFiniteMagnitude,
        .ulpOfOne, 1 / 3,
        9_007_199_254_740_992, 2.5e-8, 100, 1e22,
    ]

    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func next(_ depth: Int = 0) -> JSONSample {
        switch Int.random(in: 0..<(depth > 3 ? 14 : 22), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2, 3: .text(text())
        case 4: .double(double())
        case 5: .float(Float(bitPattern: .random(in: 0..<0x7F80_0000, using: &random)))
        case 6, 7: .integer(integer())
        case 8: .date(Date(timeIntervalSinceReferenceDate: .random(in: -3e10...2e11, using: &random)))
        case 9: .data(Data(bytes()))
        case 10: .url(url())
        case 11: .decimal(decimal())
        case 12: .bytes(bytes())
        case 13: .integers((0..<count()).map { _ in .random(in: -1000...1000, using: &random) })
        case 14: .texts((0..<count()).map { _ in text() })
        case 15: .doubles((0..<count()).map { _ in double() })
        case 16: .array((0..<count()).map { _ in next(depth + 1) })
        case 17: .dictionary(Dictionary(members(depth)) { $1 })
        case 18: .members(members(depth))
        case 19: .nested(members(depth))
        case 20: .inheriting(next(depth + 1), .optional(next(depth + 1)))
        default: .record(record(depth))
        }
    }

    private mutating func count() -> Int { .random(in: 0...4, using: &random) }

    private mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            if let letter = Self.letters.randomElement(using: &random) { text.append(letter) }
        }
        return String(text)
    }

    private mutating func double() -> Double {
        if Bool.random(using: &random), let known = Self.doubles.randomElement(using: &random) { return known }
        let number = Double(bitPattern: .random(in: .min ... .max, using: &random))
        return number.isFinite ? number : 1
    }

    private mutating func integer() -> any FixedWidthInteger & Encodable {
        let types: [any (FixedWidthInteger & Encodable).Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
            UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
        ]
        guard let type = types.randomElement(using: &random) else { return 0 }
        return integer(type)
    }

    private mutating func integer<Number: FixedWidthInteger & Encodable>(
        _ type: Number.Type
    ) -> any FixedWidthInteger & Encodable {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Number.min
        case 1: return Number.max
        default: return Number(truncatingIfNeeded: random.next()) >> Int.random(in: 0..<64, using: &random)
        }
    }

    private mutating func bytes() -> [UInt8] {
        (0..<count()).map { _ in .random(in: .min ... .max, using: &random) }
    }

    private mutating func url() -> URL {
        let base = URL(string: "http://example.org/a/b?c=d&e")
        return URL(string: ["../x/y", "#f", "mailto:a@b", "/"].randomElement(using: &random) ?? "", relativeTo: base)
            ?? URL(fileURLWithPath: "/")
    }

    private mutating func decimal() -> Decimal {
        Decimal(
            sign: .random(using: &random) ? .plus : .minus,
            exponent: .random(in: -40...40, using: &random),
            significand: Decimal(UInt64.random(in: .min ... .max, using: &random))
        )
    }

    /// No two keys are equivalent in Unicode, because Foundation treats such keys as equal.
    private mutating func members(_ depth: Int) -> [(key: String, value: JSONSample)] {
        var members: [(key: String, value: JSONSample)] = []
        for _ in 0..<count() {
            let key = Bool.random(using: &random) ? text() : "someKey\(members.count)OfURL"
            guard !members.contains(where: { $0.key == key }) else { continue }
            members.append((key, next(depth + 1)))
        }
        return members
    }

    private mutating func record(_ depth: Int) -> JSONSample.Record {
        let events: [JSONSample.Record.Event] = [
            .nothing, .one(1), .many(first: text(), second: [double()]), .many(first: "", second: nil),
        ]
        return JSONSample.Record(
            aFlag: .random(using: &random),
            someURLText: .random(using: &random) ? text() : nil,
            kind: JSONSample.Record.Kind.allCases.randomElement(using: &random) ?? .plain,
            event: events.randomElement(using: &random) ?? .nothing,
            optionals: [nil, 1, nil],
            byNumber: [count(): 1, -1: 2],
            byText: [text(): 1.5, "oneTwo": -0.0],
            id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            child: (0..<count() / 2).map { _ in next(depth + 1) }
        )
    }
}
