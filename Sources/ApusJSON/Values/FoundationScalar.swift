package import Foundation

/// A value without elements: an object of Foundation, or a value of Swift in place of one.
package enum FoundationScalar {
    /// `NSNull`, or the `nil` of an optional type.
    case null
    case bool(Bool)
    case integer(any BinaryInteger)
    /// A number that may be infinite or NaN.
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case data(Data)
    case date(Date)

    /// Returns `nil` for a value of any other type.
    init?(_ value: Any) {
        if let string = value as? String {
            self = .string(string)
        } else if type(of: value) is AnyClass, let number = value as? NSNumber {
            // On Linux, every `NSNumber` can be cast to a `Bool`.
            self.init(number: number)
        } else if value is NSNull {
            self = .null
        } else if let bool = value as? Bool {
            self = .bool(bool)
        } else if let integer = value as? any BinaryInteger {
            self = .integer(integer)
        } else if let number = value as? any BinaryFloatingPoint {
            self = .double(Self.printed(number))
        } else if let decimal = value as? Decimal {
            self = .decimal(decimal)
        } else if let date = value as? Date {
            self = .date(date)
        } else if let data = value as? Data {
            self = .data(data)
        } else if let text = value as? any StringProtocol {
            self = .string(text.description)
        } else {
            return nil
        }
    }

    private init(number: NSNumber) {
        // Foundation has one object for `true` and one for `false`. All other objects are numbers, also 0 and 1.
        if number === NSNumber(value: true) {
            self = .bool(true)
        } else if number === NSNumber(value: false) {
            self = .bool(false)
        } else if let decimal = number as? NSDecimalNumber {
            self = .decimal(decimal.decimalValue)
        } else {
            switch UInt8(truncatingIfNeeded: number.objCType.pointee) {
            case UInt8(ascii: "d"): self = .double(number.doubleValue)
            case UInt8(ascii: "f"): self = .double(Self.printed(number.floatValue))
            case UInt8(ascii: "Q"): self = .integer(number.uint64Value)
            default: self = .integer(number.int64Value)
            }
        }
    }

    /// Returns the number that a number prints as. The nearest `Double` of a `Float` has digits that the `Float` lacks.
    private static func printed(_ number: some BinaryFloatingPoint) -> Double {
        if let double = number as? Double { return double }
        return Double("\(number)") ?? Double(number)
    }
}
