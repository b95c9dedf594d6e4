public import Foundation

extension PropertyListValue {
    /// The string. `nil` for other values.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The data. `nil` for other values.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// The date. `nil` for other values.
    public var date: Date? {
        if case .date(let date) = self { date } else { nil }
    }

    /// The integer. `nil` for other values, or if it does not fit into `Int`.
    public var integer: Int? {
        if case .integer(let integer) = self { Int(exactly: integer) } else { nil }
    }

    /// The integer or floating-point number. `nil` for other values.
    public var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    /// The Boolean. `nil` for other values.
    public var boolean: Bool? {
        if case .boolean(let boolean) = self { boolean } else { nil }
    }

    /// The elements of the array. `nil` for other values.
    public var array: [PropertyListValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members of the dictionary. `nil` for other values.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }

    /// The value for a key of the dictionary. `nil` if there is none, or for other values.
    public subscript(name: String) -> PropertyListValue? { dictionary?[name] }

    /// The value at an index of the array. `nil` if there is none, or for other values.
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

    /// If a key occurs twice, its last value is used.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}
