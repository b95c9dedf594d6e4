public import HTTPTypes

/// The fields of a request that is made: names and values, in order. They are checked when the request is made, as its
/// URL is. Trailer fields (`RequestBody.withTrailers`) are checked when the request is sent.
///
/// ```swift
/// let pages = try await session.get(url, fields: ["X-Request-Tag": tag, .accept: "text/html"])
/// let users = try await session.get(url, fields: [.authorization(bearerToken: token), .accept("text/csv")])
/// ```
///
/// A name that is not a token, and a value with a control character other than the tab, make no request: it fails with
/// the code `invalidField`, and the error names the field. `HTTPField` would replace such characters by spaces.
///
/// The message has checked fields: `RequestMessage.fields`.
///
/// See RFC 9110 §5, https://www.rfc-editor.org/rfc/rfc9110.html#section-5
public struct RequestFields: Sendable {
    /// The fields that passed their check, in order.
    package private(set) var fields: HTTPFields
    /// The error of the first field that failed its check.
    package private(set) var fault: ApusError?

    /// Creates an empty list.
    public init() {
        fields = [:]
    }

    /// Creates a list of checked fields.
    public init(_ fields: HTTPFields) {
        self.fields = fields
    }

    /// Creates a list of names and values. A dictionary has no order, so the fields are sorted by name.
    public init(_ values: [String: String]) {
        self.init()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            append(RequestField(RequestFieldName(name), value))
        }
    }

    /// Returns the fields after checking them.
    ///
    /// - Throws: `ApusError` with the code `invalidField`, about the first field that failed its check.
    public func checked() throws(ApusError) -> HTTPFields {
        if let fault { throw fault }
        return fields
    }

    /// The value of the fields with a name. Several are joined by commas, those of `Cookie` by semicolons. `nil` if there
    /// is none. Setting it replaces all fields with the name.
    public subscript(name: RequestFieldName) -> String? {
        get {
            guard case .success(let name) = name.checked else { return nil }
            return fields[name]
        }
        set {
            guard let newValue else { return remove(name) }
            update(RequestField(name, newValue))
        }
    }

    /// Appends a field, even if there is one with its name.
    public mutating func append(_ field: RequestField) {
        note { fields throws(ApusError) in try fields.append(checked: try field.checked.get()) }
    }

    /// Appends a field, even if there is one with its name.
    public mutating func append(_ name: RequestFieldName, _ value: String) {
        append(RequestField(name, value))
    }

    /// Appends all fields of another list.
    public mutating func append(contentsOf others: RequestFields) {
        if fault == nil { fault = others.fault }
        for field in others.fields { note { fields throws(ApusError) in try fields.append(checked: field) } }
    }

    /// Sets a field. It replaces all fields with its name.
    public mutating func update(_ field: RequestField) {
        note { fields throws(ApusError) in
            let field = try field.checked.get()
            fields[field.name] = nil
            try fields.append(checked: field)
        }
    }

    /// Removes all fields with a name.
    public mutating func remove(_ name: RequestFieldName) {
        note { fields throws(ApusError) in fields[try name.checked.get()] = nil }
    }

    private mutating func note(_ change: (inout HTTPFields) throws(ApusError) -> Void) {
        do throws(ApusError) {
            try change(&fields)
        } catch {
            if fault == nil { fault = error }
        }
    }
}

extension RequestFields: ExpressibleByDictionaryLiteral {
    /// Creates a list of names and values. A name may occur several times.
    public init(dictionaryLiteral elements: (RequestFieldName, String)...) {
        self.init()
        for (name, value) in elements { append(RequestField(name, value)) }
    }
}

extension RequestFields: ExpressibleByArrayLiteral {
    /// Creates a list of fields. A name may occur several times.
    public init(arrayLiteral fields: RequestField...) {
        self.init()
        for field in fields { append(field) }
    }
}

extension RequestFields: CustomStringConvertible, CustomReflectable {
    /// The fields, one a line. Secret values are redacted.
    public var description: String {
        let lines = Redaction.fields(fields).map { "\($0.name): \($0.value)" }
        return (lines + (fault.map { ["(\($0.detail))"] } ?? [])).joined(separator: "\n")
    }

    // Reflection would print the values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
