internal import Foundation

extension JSONValue {
    /// The value in the types that `JSONSerialization` returns, for code that casts: `[String: Any]`, `[Any]`,
    /// `String`, `NSNumber` and `NSNull`.
    ///
    /// A Boolean or a number is an `NSNumber`, so `as? Bool`, `as? Int` and `as? Double` work as with
    /// `JSONSerialization`. An integer of 64 bits, and a number that a `Double` represents, are exact. Any other number
    /// is an `NSDecimalNumber` with up to 38 digits. A number beyond the range of `Decimal` is the nearest `Double`,
    /// which may be infinite. The order of members is lost.
    public var foundationObject: Any {
        switch self {
        case .null: NSNull()
        case .bool(let bool): NSNumber(value: bool)
        case .number(let number): number.foundationObject
        case .string(let string): string
        case .array(let array): array.map(\.foundationObject)
        case .object(let object):
            Dictionary(object.lazy.map { ($0.key, $0.value.foundationObject) }) { first, _ in first }
        }
    }
}

extension JSONNumber {
    fileprivate var foundationObject: NSNumber {
        switch storage {
        case .integer(let integer): NSNumber(value: integer)
        case .unsigned(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        case .text(let text):
            if let decimal { NSDecimalNumber(decimal: decimal) } else { NSNumber(value: Double(text) ?? .nan) }
        }
    }
}

extension JSONValue: FoundationObjectConvertible {
    package init(scalar: FoundationScalar) throws(EncodingFault) {
        switch scalar {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): self = .number(JSONNumber(integer))
        case .double(let double):
            guard let number = JSONNumber(double) else { throw .noNumber }
            self = .number(number)
        case .decimal(let decimal):
            guard decimal.isFinite, let number = JSONNumber(decimal.description) else { throw .noNumber }
            self = .number(number)
        case .string(let string): self = .string(string)
        case .data: throw EncodingFault("is data, for which JSON has no type; convert it to a string, as in Base64")
        case .date: throw EncodingFault("is a date, for which JSON has no type; convert it to a string or a number")
        }
    }

    package init(elements: [JSONValue]) {
        self = .array(elements)
    }

    package init(unorderedElements: [JSONValue]) throws(EncodingFault) {
        throw EncodingFault("is a set, for which JSON has no type; convert it to an array")
    }

    package init(members: [(name: String, value: JSONValue)]) {
        self = .object(JSONObject(members.lazy.map { (key: $0.name, value: $0.value) }))
    }
}
