public import HTTPTypes

/// Fields whose names and values are strings of the program's.
///
/// A string that came from elsewhere may hold the end of its line and a field of its own behind it. `HTTPField` turns
/// such characters into spaces; here they are errors, and so is every other control character but the tab.
///
/// See RFC 9110 §5.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-5.5
extension HTTPField {
    /// A field, checked.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value; spaces and tabs around it are no part of it.
    /// - Throws: `ApusError` with the code `invalidField`.
    public init(checking name: String, _ value: String) throws(ApusError) {
        try self.init(name: Name(checking: name), checking: value)
    }

    /// A field, checked.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value; spaces and tabs around it are no part of it.
    /// - Throws: `ApusError` with the code `invalidField`.
    public init(name: Name, checking value: String) throws(ApusError) {
        try Self.check(value.utf8, of: name)
        self.init(name: name, value: value.trimmed)
    }

    /// A field, checked, whose value need be no UTF-8.
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
                "the value of \(name.rawName) has \(character) at byte \(place.offset), which no field may have"
            )
        }
    }
}

extension HTTPField.Name {
    /// A name, checked.
    ///
    /// - Parameter name: The name, in any case.
    /// - Throws: `ApusError` with the code `invalidField` where it is no token.
    public init(checking name: String) throws(ApusError) {
        guard let name = HTTPField.Name(name) else {
            throw ApusError(
                .invalidField,
                "\(name.debugDescription) is no name of a field: letters, digits and some signs may stand in one"
            )
        }
        self = name
    }
}

extension HTTPFields {
    /// More than these make a precondition of `HTTPFields` fail.
    private static let largestCount = Int(UInt16.max) - 1

    /// Fields in their order, checked; one name may come several times.
    ///
    /// ```swift
    /// let fields = try HTTPFields(checking: ["Accept": "text/plain", "X-Request-Tag": "blue"])
    /// ```
    ///
    /// - Parameter pairs: Names and values.
    /// - Throws: `ApusError` with the code `invalidField`, for the first that is not right.
    public init(checking pairs: KeyValuePairs<String, String>) throws(ApusError) {
        try self.init(checking: pairs.map { ($0, $1) })
    }

    /// Fields in their order, checked; one name may come several times.
    ///
    /// - Parameter pairs: Names and values.
    /// - Throws: `ApusError` with the code `invalidField`, for the first that is not right.
    public init(checking pairs: [(String, String)]) throws(ApusError) {
        self.init()
        for (name, value) in pairs { try append(checking: name, value) }
    }

    /// Adds a field, checked, behind those that are there.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value; spaces and tabs around it are no part of it.
    /// - Throws: `ApusError` with the code `invalidField`; the fields are as they were.
    public mutating func append(checking name: String, _ value: String) throws(ApusError) {
        let field = try HTTPField(checking: name, value)
        try requireRoom()
        append(field)
    }

    /// Sets a field, checked, in place of all of its name.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value; spaces and tabs around it are no part of it. `nil` takes the field out.
    /// - Throws: `ApusError` with the code `invalidField`; the fields are as they were.
    public mutating func set(checking name: String, _ value: String?) throws(ApusError) {
        guard let value else {
            self[try HTTPField.Name(checking: name)] = nil
            return
        }
        let field = try HTTPField(checking: name, value)
        if !contains(field.name) { try requireRoom() }
        self[fields: field.name] = [field]
    }

    /// The fields with one of them set, checked, in place of all of its name.
    ///
    /// - Parameters:
    ///   - name: The name, in any case.
    ///   - value: The value; spaces and tabs around it are no part of it. `nil` takes the field out.
    /// - Returns: The fields.
    /// - Throws: `ApusError` with the code `invalidField`.
    public func setting(checking name: String, _ value: String?) throws(ApusError) -> HTTPFields {
        var fields = self
        try fields.set(checking: name, value)
        return fields
    }

    private func requireRoom() throws(ApusError) {
        guard count < Self.largestCount else {
            throw ApusError(.invalidField, "there are \(count) fields already, and there can be no more")
        }
    }
}
