public import Foundation

/// Parameters of various types, by name.
///
/// ```swift
/// let parameters: Parameters = ["name": "Ada", "age": 36, "tags": ["a", "b"], "parent": nil]
/// ```
public typealias Parameters = [String: ParameterValue]

/// A parameter of any supported type, for dictionaries like those of AFNetworking and Alamofire's `ParameterEncoding`.
///
/// It is written as a literal, or made from a variable, from any `Encodable` value, or from a `[String: Any]`. Every
/// `ParameterEncoder` accepts it. `QueryStringSerializer` follows AFNetworking's rules.
///
/// ```swift
/// let parent = try ParameterValue(encoding: user)
/// let parameters: Parameters = ["name": ParameterValue(name), "tags": ParameterValue(tags), "parent": parent]
/// ```
public enum ParameterValue: Sendable, Hashable {
    /// No value.
    case null
    /// A Boolean.
    case bool(Bool)
    /// An integer.
    case integer(Int)
    /// A number. Without a fraction it is written like an integer.
    case number(Double)
    /// A decimal number with all its digits.
    case decimal(Decimal)
    /// A text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A date.
    case date(Date)
    /// An array.
    case array([ParameterValue])
    /// A set. Its members are sorted by their text. A form repeats the set's key for each.
    case set(Set<ParameterValue>)
    /// A dictionary.
    case dictionary([String: ParameterValue])
}

extension ParameterValue: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension ParameterValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension ParameterValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }
}

extension ParameterValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) {
        self = .number(value)
    }
}

extension ParameterValue: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension ParameterValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: ParameterValue...) {
        self = .array(elements)
    }
}

extension ParameterValue: ExpressibleByDictionaryLiteral {
    /// If a name occurs twice, its last value is used.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}

extension ParameterValue: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .decimal(let value):
            guard value.isFinite else {
                // `JSONEncoder` would write `NaN`.
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "a decimal number that is not finite; leave the parameter out"
                )
                throw EncodingError.invalidValue(value, context)
            }
            try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .dictionary(let values): try container.encode(values)
        case .set(let values): try container.encode(Members(values))
        }
    }

    /// The members of a set, sorted so that equal sets have equal output.
    private struct Members: Encodable {
        let values: [ParameterValue]

        init(_ set: Set<ParameterValue>) {
            self.values = ParameterValue.sorted(set)
        }

        func encode(to encoder: any Encoder) throws {
            var container = (encoder as? FormValueEncoder)?.unorderedContainer() ?? encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        }
    }

    /// Returns the members of a set in the order in which they are sent.
    package static func sorted(_ set: Set<ParameterValue>) -> [ParameterValue] {
        set.map { (rank: $0.rank, value: $0) }.sorted { $0.rank < $1.rank }.map(\.value)
    }

    /// The key by which a set's members are sorted: the text of the value, then its type.
    private var rank: String {
        let (text, kind) =
            switch self {
            case .null: ("", "null")
            case .bool(let value): (value ? "1" : "0", "bool")
            case .integer(let value): (value.description, "integer")
            case .number(let value): (Int(exactly: value)?.description ?? value.description, "number")
            case .decimal(let value): (value.description, "decimal")
            case .string(let value): (value, "string")
            case .data(let value): (value.base64EncodedString(), "data")
            case .date(let value): (value.timeIntervalSince1970.description, "date")
            case .array(let values): (values.map(\.rank).joined(separator: ","), "array")
            case .set(let values): (values.map(\.rank).sorted().joined(separator: ","), "set")
            case .dictionary(let values):
                (values.map { "\($0)=\($1.rank)" }.sorted().joined(separator: ","), "dictionary")
            }
        return "\(text)\0\(kind)"
    }
}
