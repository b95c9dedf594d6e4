public import ApusCore
package import ApusJSON
internal import Foundation

extension ParameterValue {
    /// Creates a parameter from a value of type `Any`.
    ///
    /// Strings, Booleans, numbers, dates, data, `NSNull`, optionals, arrays, sets, dictionaries with strings as keys,
    /// their counterparts in Foundation, and `Encodable` values are accepted, on their own or in each other. An
    /// `NSNumber` is a Boolean if it was made from one, and a number otherwise. An integer beyond `Int` becomes a
    /// decimal number with the same digits.
    ///
    /// On Linux, Foundation converts an `NSArray`, `NSDictionary` or `NSSet` with all that it contains before a limit
    /// can apply. One that contains itself, or is nested many thousand levels deep, overflows the stack there. Swift's
    /// own arrays and dictionaries have no such restriction.
    ///
    /// - Parameter foundationObject: The value.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, with the path of the first value that can't be
    ///   converted: one of another type, or nesting beyond `URLEncodedFormEncoder.nestingLimit`.
    public init(foundationObject: Any) throws(ApusError) {
        try self.init(converting: foundationObject, depthLimit: URLEncodedFormEncoder.nestingLimit)
    }

    /// Creates a parameter from any `Encodable` value.
    ///
    /// It becomes a dictionary, an array or a single value, as it encodes itself. Dates, data and decimal numbers keep
    /// their type, so the encoder of the request decides on their format.
    ///
    /// - Parameter value: The value.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` and the coding path. `underlying` is the error of
    ///   the value's own `encode(to:)`.
    public init(encoding value: some Encodable) throws(ApusError) {
        self = try ParameterValueEncoder.encode(value)
    }
}

extension Parameters {
    /// Creates parameters from an existing dictionary.
    ///
    /// ```swift
    /// let existing: [String: Any] = ["name": "Ada", "age": 36, "tags": ["a", "b"]]
    /// let parameters = try Parameters(foundationObject: existing)
    /// ```
    ///
    /// - Parameter foundationObject: The dictionary. `ParameterValue.init(foundationObject:)` lists the valid values.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, with the path of the first value that can't be
    ///   converted.
    public init(foundationObject: [String: Any]) throws(ApusError) {
        self = try ParameterValue(foundationObject: foundationObject).members
    }

    /// Creates parameters from any `Encodable` value with keys at its root: a `struct`, a `class` or a dictionary.
    ///
    /// - Parameter value: The value.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` and the coding path. A value without keys throws
    ///   too.
    public init(encoding value: some Encodable) throws(ApusError) {
        self = try ParameterValue(encoding: value).members
    }
}

extension ParameterValue {
    /// The members of a dictionary. Throws if it is none.
    fileprivate var members: Parameters {
        get throws(ApusError) {
            guard case .dictionary(let members) = self else {
                throw EncodingFault("has no keys, but parameters need them; put it into a dictionary").at([])
            }
            return members
        }
    }
}

extension ParameterValue: FoundationObjectConvertible {
    package init(scalar: FoundationScalar) throws(EncodingFault) {
        switch scalar {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): try self.init(integer: integer)
        case .double(let double): self = .number(double)
        case .decimal(let decimal): self = .decimal(decimal)
        case .string(let string): self = .string(string)
        case .data(let data): self = .data(data)
        case .date(let date): self = .date(date)
        }
    }

    /// Creates an integer of any width. Throws if it does not fit into 64 bits.
    init(integer: some BinaryInteger) throws(EncodingFault) {
        if let integer = Int64(exactly: integer) {
            self.init(integer)
        } else if let integer = UInt64(exactly: integer) {
            self.init(integer)
        } else {
            throw EncodingFault("is an integer that does not fit into 64 bits; convert it to a string")
        }
    }

    package init(elements: [ParameterValue]) {
        self = .array(elements)
    }

    package init(unorderedElements: [ParameterValue]) throws(EncodingFault) {
        self = .set(Set(unorderedElements))
    }

    package init(members: [(name: String, value: ParameterValue)]) {
        self = .dictionary(Dictionary(members.lazy.map { ($0.name, $0.value) }) { $1 })
    }

    package init(other: Any) throws(EncodingFault) {
        guard let value = other as? any Encodable else { throw .unsupported(other) }
        do throws(ApusError) {
            self = try ParameterValueEncoder.encode(value)
        } catch {
            throw EncodingFault("can't be encoded: \(error.detail)")
        }
    }
}
