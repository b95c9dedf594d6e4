public import ApusJSON

extension JSONValue {
    /// Converts an object that `JSONSerialization` accepts, such as a `[String: Any]`.
    ///
    /// ```swift
    /// let settings: [String: Any] = ["name": "Ada", "age": 36, "tags": ["a", "b"], "parent": NSNull()]
    /// let value = try JSONValue(foundationObject: settings)
    /// print(value)  // {"age":36,"name":"Ada","parent":null,"tags":["a","b"]}
    /// ```
    ///
    /// Strings, Booleans, integers of any width, floating-point numbers, `Decimal`, `NSNumber`, `NSNull`, optionals,
    /// arrays, dictionaries with strings as keys, and `JSONValue` itself are accepted, on their own or in each other.
    /// An `NSNumber` is a Boolean if it was made from one, and a number otherwise, also if it is 0 or 1. A `Float`
    /// becomes the number that it prints as. Integers and decimal numbers keep their digits. Members are sorted by
    /// name, since a dictionary has no order.
    ///
    /// On Linux, Foundation converts an `NSArray`, `NSDictionary` or `NSSet` with all that it contains before a limit
    /// can apply. One that contains itself, or is nested many thousand levels deep, overflows the stack there. Swift's
    /// own arrays and dictionaries have no such restriction.
    ///
    /// - Parameters:
    ///   - foundationObject: The object. Any kind is allowed at the root.
    ///   - depthLimit: The maximum nesting of arrays and dictionaries. Default: 512.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, with the path of the first object that JSON can't
    ///   represent: a number that is not finite, data, a date, a set, an object of another type, a dictionary with
    ///   other keys, or nesting beyond the limit.
    public init(foundationObject: Any, depthLimit: Int = Self.defaultDepthLimit) throws(ApusError) {
        try self.init(converting: foundationObject, depthLimit: depthLimit)
    }
}
