public import HTTPTypes

/// Fields made from strings, with checks.
///
/// A string from an untrusted source may contain a line break, followed by a field of its own. `HTTPField` replaces
/// such characters by spaces. These functions throw instead, for every control character except the tab.
///
/// See RFC 9110 §5.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-5.5
extension HTTPField {
    /// Creates a field from a name and a value after checking both.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value. Leading and trailing spaces and tabs are removed.
    /// - Throws: `ApusError` with the code `invalidField`.
    public init(checking name: String, _ value: String) throws(ApusError) {
        try self.init(name: Name(checking: name), checking: value)
    }

    /// Creates a field after checking its value.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value. Leading and trailing spaces and tabs are removed.
    /// - Throws: `ApusError` with the code `invalidField`.
    public init(name: Name, checking value: String) throws(ApusError) {
        try Self.check(value.utf8, of: name)
        self.init(name: name, value: value.trimmed)
    }

    /// Creates a field after checking its value, which does not have to be UTF-8.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - octets: The value.
    /// - Throws: `ApusError` with the code `invalidField`.
    package init(name: Name, checking octets: [UInt8]) throws(ApusError) {
        try Self.check(octets, of: name)
        self.init(name: name, value: octets)
    }

    private static func check(_ value: some Sequence<UInt8>, of name: Name) throws(ApusError) {
        if let place = value.enumerated().first(where: { $1 < 0x20 && $1 != 0x09 || $1 == 0x7F }) {
            let character =
                switch place.element {
                case 0x00: "a NUL"
                case 0x0A: "a line feed"
                case 0x0D: "a carriage return"
                default: "a control character"
                }
            throw ApusError(
                .invalidField,
                "the value of \(name.rawName) has \(character) at byte \(place.offset), which is not allowed"
            )
        }
    }
}

extension HTTPField.Name {
    /// Creates a name after checking it.
    ///
    /// - Parameter name: The name, in any case.
    /// - Throws: `ApusError` with the code `invalidField` if it is not a token.
    public init(checking name: String) throws(ApusError) {
        guard let name = HTTPField.Name(name) else {
            throw ApusError(
                .invalidField,
                "\(name.debugDescription) is not a valid field name: only letters, digits and some symbols are allowed"
            )
        }
        self = name
    }
}

extension HTTPFields {
    /// Above this count, a precondition of `HTTPFields` fails.
    private static let largestCount = Int(UInt16.max) - 1

    /// Creates fields in the given order after checking them. The same name may occur several times.
    ///
    /// ```swift
    /// let fields = try HTTPFields(checking: ["Accept": "text/plain", "X-Request-Tag": "blue"])
    /// ```
    ///
    /// - Parameter pairs: The names and values.
    /// - Throws: `ApusError` with the code `invalidField` for the first invalid field.
    public init(checking pairs: KeyValuePairs<String, String>) throws(ApusError) {
        try self.init(checking: pairs.map { ($0, $1) })
    }

    /// Creates fields in the given order after checking them. The same name may occur several times.
    ///
    /// - Parameter pairs: The names and values.
    /// - Throws: `ApusError` with the code `invalidField` for the first invalid field.
    public init(checking pairs: [(String, String)]) throws(ApusError) {
        self.init()
        for (name, value) in pairs { try append(checking: name, value) }
    }

    /// Appends a field after checking it.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value. Leading and trailing spaces and tabs are removed.
    /// - Throws: `ApusError` with the code `invalidField`. The fields are then unchanged.
    public mutating func append(checking name: String, _ value: String) throws(ApusError) {
        let field = try HTTPField(checking: name, value)
        try requireRoom()
        append(field)
    }

    /// Appends a field that was checked.
    mutating func append(checked field: HTTPField) throws(ApusError) {
        // A pseudo-header field of HTTP/2, such as :path, would be a precondition failure.
        guard !field.name.rawName.hasPrefix(":") else {
            throw ApusError(
                .invalidField,
                "\(field.name.rawName) is a pseudo-header field, which only HTTP/2 itself sends"
            )
        }
        try requireRoom()
        append(field)
    }

    /// Sets a field after checking it. It replaces all fields with the same name.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value. Leading and trailing spaces and tabs are removed. `nil` removes the field.
    /// - Throws: `ApusError` with the code `invalidField`. The fields are then unchanged.
    public mutating func set(checking name: String, _ value: String?) throws(ApusError) {
        guard let value else {
            self[try HTTPField.Name(checking: name)] = nil
            return
        }
        let field = try HTTPField(checking: name, value)
        if !contains(field.name) { try requireRoom() }
        self[fields: field.name] = [field]
    }

    /// Returns a copy with one field set after checking it. It replaces all fields with the same name.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value. Leading and trailing spaces and tabs are removed. `nil` removes the field.
    /// - Returns: The fields.
    /// - Throws: `ApusError` with the code `invalidField`.
    public func setting(checking name: String, _ value: String?) throws(ApusError) -> HTTPFields {
        var fields = self
        try fields.set(checking: name, value)
        return fields
    }

    private func requireRoom() throws(ApusError) {
        guard count < Self.largestCount else {
            throw ApusError(.invalidField, "there are \(count) fields already, which is the maximum")
        }
    }
}
