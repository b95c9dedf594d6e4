/// A JSON value.
///
/// Use it for JSON whose structure is not known in advance. Otherwise, prefer to decode your own types. A subscript
/// returns `nil` if the member or element is missing or the value is of another kind, so subscripts can be chained.
///
/// ```swift
/// let value = try JSONValue(parsing: Data(#"{"items": [{"id": 7, "tags": null}]}"#.utf8))
/// let id = value["items"][0]["id"]?.int
/// print(value.removingNulls())  // {"items":[{"id":7}]}
/// ```
///
/// See RFC 8259, https://www.rfc-editor.org/rfc/rfc8259.html
public enum JSONValue: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, without loss of precision.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, with its members in order.
    case object(JSONObject)
}

extension JSONValue {
    /// Creates a number from an integer of any width.
    public init(_ integer: some BinaryInteger) {
        self = .number(JSONNumber(integer))
    }

    /// Creates a number, or `null` for infinity and NaN, which JSON does not support.
    public init(_ double: Double) {
        self = JSONNumber(double).map(JSONValue.number) ?? .null
    }

    /// Whether it is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The Boolean value. `nil` for any other kind, including numbers.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The number. `nil` for any other kind.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number as an `Int`, including `1.0` and `1e3`. `nil` if it is not an `Int`.
    public var int: Int? { number?.int }

    /// The number as the nearest `Double`. `nil` for any other kind, or if the number is out of range.
    public var double: Double? { number?.double }

    /// The string. `nil` for any other kind.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The elements of the array. `nil` for any other kind.
    public var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members of the object. `nil` for any other kind.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// Returns the member of an object. `nil` if there is none, or if the value is not an object.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// Returns the element of an array. `nil` if there is none, or if the value is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let array) = self, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// Returns the value without `null` members and elements, at any depth.
    ///
    /// Containers that become empty are kept, and so is a root value that is `null`.
    public func removingNulls() -> JSONValue {
        switch self {
        case .array(let array):
            .array(array.lazy.filter { !$0.isNull }.map { $0.removingNulls() })
        case .object(let object):
            .object(JSONObject(object.lazy.filter { !$0.value.isNull }.map { ($0.key, $0.value.removingNulls()) }))
        case .null, .bool, .number, .string:
            self
        }
    }
}

extension JSONValue? {
    /// Returns the member of an object. `nil` if there is none, or if the value is not an object.
    public subscript(name: String) -> JSONValue? { self?[name] }

    /// Returns the element of an array. `nil` if there is none, or if the value is not an array.
    public subscript(index: Int) -> JSONValue? { self?[index] }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }

    public init(booleanLiteral value: Bool) { self = .bool(value) }

    public init(integerLiteral value: Int64) { self.init(value) }

    public init(floatLiteral value: Double) { self.init(value) }

    public init(stringLiteral value: String) { self = .string(value) }

    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0, value: $1) }))
    }
}
