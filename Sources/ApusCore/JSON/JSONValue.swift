/// A value of JSON.
///
/// It is for content whose shape is not known beforehand; what is known is better decoded into a type of your own. A
/// subscript of what is missing, or of a value of another kind, is `nil`, as far down as one likes.
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
    /// A number, without loss.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, with its members in their order.
    case object(JSONObject)
}

extension JSONValue {
    /// An integer of any width.
    public init(_ integer: some BinaryInteger) {
        self = .number(JSONNumber(integer))
    }

    /// A number; `null` for infinity and what is no number, which JSON does not have.
    public init(_ double: Double) {
        self = JSONNumber(double).map(JSONValue.number) ?? .null
    }

    /// Whether it is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value; `nil` for any other kind, numbers too.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The number; `nil` for any other kind.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number as an `Int`, `1.0` and `1e3` too; `nil` where it is none.
    public var int: Int? { number?.int }

    /// The nearest `Double` of the number; `nil` for any other kind.
    public var double: Double? { number?.double }

    /// The string; `nil` for any other kind.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The elements of the array; `nil` for any other kind.
    public var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members of the object; `nil` for any other kind.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member of an object; `nil` where there is none, or where it is no object.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element of an array; `nil` where there is none, or where it is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let array) = self, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The value without the members that are `null`, and without the elements that are, at every depth.
    ///
    /// What is empty after that stays, and a value that is itself `null` does.
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
    /// The member of an object; `nil` where there is none, or where it is no object.
    public subscript(name: String) -> JSONValue? { self?[name] }

    /// The element of an array; `nil` where there is none, or where it is no array.
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
