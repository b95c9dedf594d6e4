public import Apus
internal import ApusCore
internal import HTTPTypes

/// The members of Alamofire's `HTTPHeaders`. As there, a name occurs once after each of these calls. `append` keeps
/// existing fields with the name.
extension RequestFields {
    /// The fields that a session adds by default: `SessionConfiguration.defaultFields`.
    ///
    /// `Accept-Encoding` is not among them. A session adds it according to `contentDecoding`.
    public static var `default`: RequestFields { RequestFields(SessionConfiguration.defaultFields) }

    /// Creates a list of fields. If a name occurs several times, the last field counts.
    public init(_ headers: [RequestField]) {
        self.init()
        for header in headers { update(header) }
    }

    /// Sets a field. It replaces all fields with its name.
    public mutating func add(_ header: RequestField) {
        update(header)
    }

    /// Sets a field. It replaces all fields with its name.
    public mutating func add(name: String, value: String) {
        update(name: name, value: value)
    }

    /// Sets a field. It replaces all fields with its name.
    public mutating func update(name: String, value: String) {
        update(RequestField(name: name, value: value))
    }

    /// Removes all fields with a name.
    public mutating func remove(name: String) {
        remove(RequestFieldName(name))
    }

    /// Returns the value of the fields with a name. Several are joined by commas. `nil` if there is none.
    public func value(for name: String) -> String? {
        self[RequestFieldName(name)]
    }

    /// The value of the fields with a name. Several are joined by commas. `nil` if there is none. Setting it replaces
    /// all fields with the name.
    public subscript(name: String) -> String? {
        get { self[RequestFieldName(name)] }
        set { self[RequestFieldName(name)] = newValue }
    }

    /// The values by name. The values of a name that occurs several times are joined. A field that failed its check is
    /// missing.
    public var dictionary: [String: String] {
        var dictionary: [String: String] = [:]
        var names: Set<HTTPField.Name> = []
        for field in fields where names.insert(field.name).inserted {
            dictionary[field.name.rawName] = fields[field.name]
        }
        return dictionary
    }
}

extension RequestField {
    /// Creates a field from a name and a value, which are checked when the request is made.
    public init(name: String, value: String) {
        self.init(RequestFieldName(name), value)
    }
}
