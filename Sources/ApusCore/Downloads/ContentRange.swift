/// The value of a `Content-Range` field: the place of a partial body in its representation.
///
/// ```
///   bytes 0-499/1234     the first 500 of 1,234 bytes
///   bytes 500-999/*      500 bytes of a representation whose length is unknown
///   bytes */1234         no bytes: the requested range is beyond the end, at 1,234 bytes
/// ```
///
/// See RFC 9110 §14.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-14.4
package struct ContentRange: Hashable, Sendable {
    /// The positions of the first and the last byte. `nil` if the response has no part of the representation. The last
    /// one is less than `Int64.max`, so that the end can be computed.
    package let bounds: ClosedRange<Int64>?
    /// The length of the whole representation in bytes. `nil` if it is unknown.
    package let total: Int64?

    /// Parses the value of the field. `nil` if the unit is another one than `bytes`, if the value has another form, if a
    /// number exceeds `Int64`, or if the range is reversed or ends after the representation.
    ///
    /// - Parameter text: The value.
    package init?(_ text: String) {
        let halves = text.split(separator: " ", omittingEmptySubsequences: false)
        // The names of units are case-insensitive, RFC 9110 §14.1.
        guard halves.count == 2, halves[0].lowercased() == "bytes" else { return nil }
        let parts = halves[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        self.total = total
        if parts[0] == "*" {
            guard total != nil else { return nil }
            self.bounds = nil
            return
        }
        let positions = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard positions.count == 2, let first = Self.number(positions[0]), let last = Self.number(positions[1]),
            first <= last, last < total ?? Int64.max
        else { return nil }
        self.bounds = first...last
    }

    private static func number(_ digits: Substring) -> Int64? {
        // A sign is not allowed.
        guard digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int64(digits)
    }
}
