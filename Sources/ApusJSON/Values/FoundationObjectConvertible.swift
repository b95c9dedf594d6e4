/// A type of values that objects of Foundation can be converted to.
package protocol FoundationObjectConvertible {
    /// Creates a value without elements. Throws if the type has none for it.
    init(scalar: FoundationScalar) throws(EncodingFault)

    /// Creates an array.
    init(elements: [Self])

    /// Creates a set. Throws if the type has no sets.
    init(unorderedElements: [Self]) throws(EncodingFault)

    /// Creates a dictionary from its members, sorted by name.
    init(members: [(name: String, value: Self)])

    /// Creates a value from one of any other type. Default: throws.
    init(other: Any) throws(EncodingFault)
}

extension FoundationObjectConvertible {
    package init(other: Any) throws(EncodingFault) {
        throw .unsupported(other)
    }
}

extension EncodingFault {
    /// Returns the fault of a value whose type can't be converted.
    package static func unsupported(_ value: Any) -> EncodingFault {
        if value is [AnyHashable: Any] {
            return EncodingFault("is a dictionary with a key that is not a string; convert its keys to strings")
        }
        let name = Excerpt.of(String(describing: type(of: value)))
        return EncodingFault("has the type \(name), which can't be converted; convert it to a string or a number")
    }
}
