public import Foundation

extension PropertyListValue {
    /// The text; `nil` where it is something else.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The bytes; `nil` where it is something else.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// The moment; `nil` where it is something else.
    public var date: Date? {
        if case .date(let date) = self { date } else { nil }
    }

    /// The whole number; `nil` where it is something else, or does not fit an `Int`.
    public var integer: Int? {
        if case .integer(let integer) = self { Int(exactly: integer) } else { nil }
    }

    /// The number, whole or not; `nil` where it is something else.
    public var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    /// Yes or no; `nil` where it is something else.
    public var boolean: Bool? {
        if case .boolean(let boolean) = self { boolean } else { nil }
    }

    /// The values of the array; `nil` where it is something else.
    public var array: [PropertyListValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The values of the dictionary; `nil` where it is something else.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }

    /// The value of this name in the dictionary; `nil` where there is none, or it is something else.
    public subscript(name: String) -> PropertyListValue? { dictionary?[name] }

    /// The value at this place in the array; `nil` where there is none, or it is something else.
    public subscript(index: Int) -> PropertyListValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }

    public init(integerLiteral value: Int) { self = .integer(Int128(value)) }

    public init(floatLiteral value: Double) { self = .real(value) }

    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }

    /// Of a name that stands there twice the last value counts.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}
