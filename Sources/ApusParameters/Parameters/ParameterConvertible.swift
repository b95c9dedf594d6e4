public import Foundation

/// A type whose values are parameters.
///
/// Strings, Booleans, numbers, dates, data, URLs and UUIDs conform to it, and optionals, arrays, sets and dictionaries
/// of them. Conform your own types if they are always sent in the same way. `ParameterValue.init(encoding:)` converts
/// any other `Encodable` value.
///
/// ```swift
/// enum Order: ParameterConvertible {
///     case ascending, descending
///
///     var parameterValue: ParameterValue { self == .ascending ? "asc" : "desc" }
/// }
/// let parameters: Parameters = ["sort": ParameterValue(Order.descending), "page": ParameterValue(page)]
/// ```
public protocol ParameterConvertible {
    /// The value as a parameter.
    var parameterValue: ParameterValue { get }
}

extension ParameterValue {
    /// Creates a parameter from the value of a variable.
    public init(_ value: some ParameterConvertible) {
        self = value.parameterValue
    }
}

extension Parameters {
    /// Creates parameters from a dictionary of values of one type.
    public init(_ values: [String: some ParameterConvertible]) {
        self = values.mapValues(\.parameterValue)
    }
}

extension ParameterValue: ParameterConvertible {
    /// The value itself.
    public var parameterValue: ParameterValue { self }
}

extension ParameterConvertible where Self: StringProtocol {
    /// The text.
    public var parameterValue: ParameterValue { .string(String(self)) }
}

extension String: ParameterConvertible {}
extension Substring: ParameterConvertible {}

extension Bool: ParameterConvertible {
    /// The Boolean.
    public var parameterValue: ParameterValue { .bool(self) }
}

extension ParameterConvertible where Self: FixedWidthInteger {
    /// The integer, or a decimal number with the same digits if it exceeds `Int`.
    public var parameterValue: ParameterValue {
        Int(exactly: self).map(ParameterValue.integer) ?? .decimal(Decimal(UInt64(clamping: self)))
    }
}

extension Int: ParameterConvertible {}
extension Int8: ParameterConvertible {}
extension Int16: ParameterConvertible {}
extension Int32: ParameterConvertible {}
extension Int64: ParameterConvertible {}
extension UInt: ParameterConvertible {}
extension UInt8: ParameterConvertible {}
extension UInt16: ParameterConvertible {}
extension UInt32: ParameterConvertible {}
extension UInt64: ParameterConvertible {}

extension Double: ParameterConvertible {
    /// The number.
    public var parameterValue: ParameterValue { .number(self) }
}

extension Float: ParameterConvertible {
    /// The number that it prints as. The nearest `Double` has digits that a `Float` lacks.
    public var parameterValue: ParameterValue { .number(Double(description) ?? Double(self)) }
}

extension Decimal: ParameterConvertible {
    /// The decimal number.
    public var parameterValue: ParameterValue { .decimal(self) }
}

extension Date: ParameterConvertible {
    /// The date.
    public var parameterValue: ParameterValue { .date(self) }
}

extension Data: ParameterConvertible {
    /// The bytes.
    public var parameterValue: ParameterValue { .data(self) }
}

extension URL: ParameterConvertible {
    /// The absolute string.
    public var parameterValue: ParameterValue { .string(absoluteString) }
}

extension UUID: ParameterConvertible {
    /// The string in uppercase, with hyphens.
    public var parameterValue: ParameterValue { .string(uuidString) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// The wrapped value, or `.null`.
    public var parameterValue: ParameterValue { self?.parameterValue ?? .null }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    /// The elements as an array.
    public var parameterValue: ParameterValue { .array(map(\.parameterValue)) }
}

extension Set: ParameterConvertible where Element: ParameterConvertible {
    /// The members as a set, which a form writes with the same key for each, sorted.
    public var parameterValue: ParameterValue { .set(Set<ParameterValue>(map(\.parameterValue))) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// The members as a dictionary.
    public var parameterValue: ParameterValue { .dictionary(mapValues(\.parameterValue)) }
}
