internal import ApusJSON
internal import Foundation

/// Has a member of each type that decoders support.
struct JSONSpecimen: Decodable, Equatable {
    enum Kind: String, Codable, CodingKeyRepresentable, Equatable {
        case one, two
    }

    enum Choice: Decodable, Equatable {
        case number(Int)
        case pair(Double, text: String)
        case none
    }

    struct Small: Decodable, Equatable {
        var small: Int8?
        var number: UInt16?
        var text: String?
        var large: Int64?
    }

    var bool: Bool
    var text: String?
    var number: Int?
    var small: UInt8?
    var large: UInt64?
    var double: Double?
    var float: Float?
    var date: Date?
    var data: Data?
    var url: URL?
    var decimal: Decimal?
    var nested: Small?
    var list: [Int]?
    var table: [String: Int]?
    var byNumber: [Int: Double]?
    var byKind: [Kind: Int]?
    var kind: Kind?
    var choice: Choice?
    var maybe: Int??
    var twoWords: String?
    var threeShortWords: JSONValue?
    var resume: String?

    enum CodingKeys: String, CodingKey {
        case bool, text, number, small, large, double, float, date, data, url, decimal, nested, list, table, byNumber
        case byKind, kind, choice, maybe, twoWords, threeShortWords
        case resume = "r\u{E9}sum\u{E9}"
    }
}

/// Decodes its members one by one and continues after an error, as lenient types do.
struct JSONByHand: Decodable, Equatable {
    /// The names that it decodes.
    static let names = [
        "bool", "text", "number", "small", "large", "double", "float", "date", "data", "url", "decimal", "nested",
        "list",
        "table", "byNumber", "byKind", "kind", "choice", "maybe", "super", "two_words", "three_short_words", "_edge_",
        "twoWords", "threeShortWords", "r\\u00e9sum\\u00e9", "résumé", "",
    ]

    let seen: [String]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        var seen: [String] = []
        seen.append(container.allKeys.map(\.stringValue).sorted().joined(separator: ","))
        for text in Self.names {
            let name = Name(stringValue: text)
            seen += Self.note("contains") { container.contains(name) }
            seen += Self.note("nil") { try container.decodeNil(forKey: name) }
            seen += Self.note("bool") { try container.decode(Bool.self, forKey: name) }
            seen += Self.note("string") { try container.decodeIfPresent(String.self, forKey: name) }
            seen += Self.note("double") { try container.decode(Double.self, forKey: name) }
            seen += Self.note("int32") { try container.decodeIfPresent(Int32.self, forKey: name) }
            seen += Self.note("small") { try container.decodeIfPresent(JSONSpecimen.Small.self, forKey: name) }
            seen += Self.note("date") { try container.decode(Date.self, forKey: name) }
            seen += Self.note("nested") {
                let nested = try container.nestedContainer(keyedBy: Name.self, forKey: name)
                return (nested.allKeys.map(\.stringValue).sorted(), Self.path(nested.codingPath))
            }
            seen += Self.note("super") {
                try container.superDecoder(forKey: name).singleValueContainer().decode(Int.self)
            }
            var list: (any UnkeyedDecodingContainer)?
            seen += Self.note("list") {
                let nested = try container.nestedUnkeyedContainer(forKey: name)
                list = nested
                return nested.count
            }
            guard var list else { continue }
            for _ in 0..<4 {
                seen += Self.note("element nil") { try list.decodeNil() }
                seen += Self.note("element keyed") { try list.nestedContainer(keyedBy: Name.self).codingPath.count }
                seen += Self.note("element list") { try list.nestedUnkeyedContainer().count }
                seen += Self.note("element int") { try list.decode(Int.self) }
                seen += Self.note("element value") {
                    // Foundation does not keep the order of members.
                    try list.decode(JSONValue.self).jsonText(sortedKeys: true)
                }
                seen += Self.note("element super") { try list.superDecoder().singleValueContainer().decode(Bool.self) }
                seen += Self.note("element") { (list.currentIndex, list.isAtEnd, Self.path(list.codingPath)) }
                // Foundation keeps incrementing the index at the end.
                guard !list.isAtEnd else { continue }
                seen += Self.note("element if present") { try list.decodeIfPresent(String.self) }
            }
        }
        seen += Self.note("superclass") { try container.superDecoder().container(keyedBy: Name.self).allKeys.count }
        self.seen = seen
    }

    private static func note<Value>(_ label: String, _ decode: () throws -> Value) -> [String] {
        do {
            return ["\(label): \(try decode())"]
        } catch {
            return ["\(label): \(JSONOutcome<Int>.summary(error))"]
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String { JSONOutcome<Int>.path(keys) }
}

/// The result of decoding: a value, or the case, type and path of an error.
enum JSONOutcome<Value: Decodable & Equatable>: Equatable {
    case value(Value)
    case error(String)

    init(_ decode: () throws -> Value) {
        do {
            self = .value(try decode())
        } catch {
            self = .error(Self.summary(error))
        }
    }

    /// Returns a short description of the difference, or `nil` if both are equal.
    func difference(from other: Self) -> String? {
        switch (self, other) {
        case (.value(let left), .value(let right)) where left != right:
            let (left, right) = (
                (left as? JSONByHand)?.seen ?? ["\(left)"], (right as? JSONByHand)?.seen ?? ["\(right)"]
            )
            return zip(left, right).first { $0 != $1 }.map { "\($0) instead of \($1)" }
        default: return self == other ? nil : "\(self) instead of \(other)"
        }
    }

    static func summary(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): "no \(key.stringValue) at \(path(context.codingPath))"
        case DecodingError.valueNotFound(_, let context): "nothing at \(path(context.codingPath))"
        // Foundation reports null as a type mismatch for a Bool, and as a missing value for other types.
        case DecodingError.typeMismatch(_, let context) where context.debugDescription.contains("found null"):
            "nothing at \(path(context.codingPath))"
        case DecodingError.typeMismatch(let type, let context): "no \(type) at \(path(context.codingPath))"
        // Foundation throws some of its internal errors.
        default: "corrupted"
        }
    }

    static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: "/")
    }
}

extension JSONContentDecoder {
    /// A Foundation decoder with the same strategies.
    var foundationDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dateDecodingStrategy
        decoder.dataDecodingStrategy = dataDecodingStrategy
        decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        decoder.keyDecodingStrategy = keyDecodingStrategy
        return decoder
    }
}
