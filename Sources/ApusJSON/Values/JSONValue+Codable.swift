internal import Foundation

extension JSONValue: Codable {
    /// Decodes a value of any kind.
    ///
    /// Numbers with more digits than a `Double` holds are decoded as a `Decimal`, which keeps up to 38 digits.
    /// `init(parsing:)` keeps all digits and is several times faster.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Try the most frequent kinds first, since each wrong guess costs a thrown error.
        if container.decodeNil() {
            self = .null
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let members = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                JSONObject(
                    try members.allKeys.map { ($0.stringValue, try members.decode(JSONValue.self, forKey: $0)) }
                )
            )
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else {
            self = .number(try Self.number(container))
        }
    }

    private static func number(_ container: any SingleValueDecodingContainer) throws -> JSONNumber {
        if let integer = try? container.decode(Int64.self) { return JSONNumber(integer) }
        if let integer = try? container.decode(UInt64.self) { return JSONNumber(integer) }
        let double = try? container.decode(Double.self)
        if let double, let number = JSONNumber(double), number.text.utf8.count(where: { 0x30...0x39 ~= $0 }) <= 15 {
            return number
        }
        if let decimal = try? container.decode(Decimal.self), let number = JSONNumber("\(decimal)") { return number }
        guard let number = JSONNumber(try double ?? container.decode(Double.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON can't represent this number")
        }
        return number
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let array): try array.encode(to: encoder)
        case .object(let object):
            var container = encoder.container(keyedBy: Name.self)
            for (key, value) in object { try container.encode(value, forKey: Name(stringValue: key)) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let bool): try bool.encode(to: encoder)
        case .string(let string): try string.encode(to: encoder)
        case .number(let number):
            var container = encoder.singleValueContainer()
            switch number.storage {
            case .integer(let integer): try container.encode(integer)
            case .unsigned(let integer): try container.encode(integer)
            case .double(let double): try container.encode(double)
            case .text(let text):
                guard let decimal = number.decimal, JSONNumber("\(decimal)") == number else {
                    throw EncodingError.invalidValue(
                        self,
                        EncodingError.Context(
                            codingPath: encoder.codingPath,
                            debugDescription:
                                "\(Excerpt.of(text)) has more digits than an encoder accepts; write it with jsonText()"
                        )
                    )
                }
                try container.encode(decimal)
            }
        }
    }

    /// A key with any name.
    private struct Name: CodingKey {
        let stringValue: String

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }

        var intValue: Int? { nil }
    }
}
