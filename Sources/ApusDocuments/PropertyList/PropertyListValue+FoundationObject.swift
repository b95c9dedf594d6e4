public import ApusCore
package import ApusJSON
internal import Foundation

extension PropertyListValue {
    /// The value in the types that `PropertyListSerialization` returns, for code that casts: `[String: Any]`, `[Any]`,
    /// `String`, `Data`, `Date` and `NSNumber`.
    ///
    /// A Boolean or a number is an `NSNumber`, so `as? Bool`, `as? Int` and `as? Double` work. An integer beyond the 64
    /// bits of the formats is an `NSDecimalNumber`.
    public var foundationObject: Any {
        switch self {
        case .string(let string): string
        case .data(let data): data
        case .date(let date): date
        case .integer(let integer): Self.number(integer)
        case .real(let real): NSNumber(value: real)
        case .boolean(let boolean): NSNumber(value: boolean)
        case .array(let array): array.map(\.foundationObject)
        case .dictionary(let dictionary): dictionary.mapValues(\.foundationObject)
        }
    }

    private static func number(_ integer: Int128) -> NSNumber {
        if let integer = Int64(exactly: integer) { return NSNumber(value: integer) }
        if let integer = UInt64(exactly: integer) { return NSNumber(value: integer) }
        return NSDecimalNumber(string: integer.description)
    }

    /// Converts an object that `PropertyListSerialization` accepts, such as a `[String: Any]`.
    ///
    /// Strings, data, dates, Booleans, numbers, `NSNumber`, arrays, dictionaries with strings as keys, optionals with a
    /// value, and `PropertyListValue` itself are accepted, on their own or in each other. An `NSNumber` is a Boolean if
    /// it was made from one, and a number otherwise, also if it is 0 or 1. A `Decimal` becomes the nearest `Double`.
    ///
    /// On Linux, Foundation converts an `NSArray`, `NSDictionary` or `NSSet` with all that it contains before a limit
    /// can apply. One that contains itself, or is nested many thousand levels deep, overflows the stack there. Swift's
    /// own arrays and dictionaries have no such restriction.
    ///
    /// - Parameter foundationObject: The object. Any kind is allowed at the root.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, with the path of the first object that a property
    ///   list can't contain: `NSNull` or `nil`, an integer beyond 64 bits, a date that is not finite, a set, an object
    ///   of another type, a dictionary with other keys, or nesting beyond ``deepestNesting``.
    public init(foundationObject: Any) throws(ApusError) {
        try self.init(converting: foundationObject, depthLimit: Self.deepestNesting)
    }
}

extension PropertyListValue: FoundationObjectConvertible {
    package init(scalar: FoundationScalar) throws(EncodingFault) {
        switch scalar {
        case .null: throw EncodingFault("is null, which a property list can't contain; leave it out")
        case .bool(let bool): self = .boolean(bool)
        case .integer(let integer): try self.init(integer: integer)
        case .double(let double): self = .real(double)
        case .decimal(let decimal): self = .real(NSDecimalNumber(decimal: decimal).doubleValue)
        case .string(let string): self = .string(string)
        case .data(let data): self = .data(data)
        case .date(let date):
            guard date.timeIntervalSinceReferenceDate.isFinite else {
                throw EncodingFault("is a date that is not finite")
            }
            self = .date(date)
        }
    }

    private init(integer: some BinaryInteger) throws(EncodingFault) {
        guard Int64(exactly: integer) != nil || UInt64(exactly: integer) != nil else {
            throw EncodingFault("is an integer that does not fit into 64 bits; convert it to a string")
        }
        self = .integer(Int128(integer))
    }

    package init(elements: [PropertyListValue]) {
        self = .array(elements)
    }

    package init(unorderedElements: [PropertyListValue]) throws(EncodingFault) {
        throw EncodingFault("is a set, which a property list can't contain; convert it to an array")
    }

    package init(members: [(name: String, value: PropertyListValue)]) {
        self = .dictionary(Dictionary(members.lazy.map { ($0.name, $0.value) }) { _, last in last })
    }
}
