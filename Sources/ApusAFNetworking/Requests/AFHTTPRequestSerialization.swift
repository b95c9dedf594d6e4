public import Apus
internal import ApusCore
public import HTTPTypes

/// A request serializer with the fields and options that all of AFNetworking's have.
public protocol AFHTTPRequestSerialization: AFURLRequestSerialization {
    /// The fields and options; each is a property of the serializer as well.
    var settings: AFHTTPRequestSettings { get set }
}

extension AFHTTPRequestSerialization {
    /// The fields that a request gets unless it has them.
    public var httpRequestHeaders: HTTPFields {
        get { settings.httpRequestHeaders }
        set { settings.httpRequestHeaders = newValue }
    }

    /// The methods whose parameters go into the query, and not into the content; GET, HEAD and DELETE by default.
    public var httpMethodsEncodingParametersInURI: Set<HTTPRequest.Method> {
        get { settings.httpMethodsEncodingParametersInURI }
        set { settings.httpMethodsEncodingParametersInURI = newValue }
    }

    /// What writes queries and forms; `nil`, the default, is `QueryStringSerializer`.
    public var queryStringSerialization: QueryStringSerialization? {
        get { settings.queryStringSerialization }
        set { settings.queryStringSerialization = newValue }
    }

    /// How long a request may stand still; `nil`, the default, is as the session has it.
    public var timeoutInterval: Duration? {
        get { settings.timeoutInterval }
        set { settings.timeoutInterval = newValue }
    }

    /// How long a whole request may take; `nil`, the default, is as the session has it.
    public var deadline: Duration? {
        get { settings.deadline }
        set { settings.deadline = newValue }
    }

    /// The value of a field that each request gets; `nil` where there is none.
    public func value(forHTTPHeaderField field: String) -> String? {
        HTTPField.Name(field).flatMap { httpRequestHeaders[$0] }
    }

    /// Sets a field that each request gets unless it has it.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` takes the field out.
    ///   - field: The name, in any case.
    /// - Throws: `ApusError` with the code `invalidField`, for a control character for example.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) throws(ApusError) {
        try httpRequestHeaders.set(checking: field, value)
    }

    /// Gives each request an `Authorization` field of the Basic scheme.
    ///
    /// - Parameters:
    ///   - username: The user name, which has no colon.
    ///   - password: The password.
    /// - Throws: `ApusError` with the code `invalidField`.
    public mutating func setAuthorizationHeaderField(
        withUsername username: String,
        password: String
    ) throws(ApusError) {
        let field = try HTTPField.authorization(username: username, password: password)
        httpRequestHeaders[.authorization] = field.value
    }

    /// Takes the `Authorization` field out.
    public mutating func clearAuthorizationHeader() {
        httpRequestHeaders[.authorization] = nil
    }
}

extension AFHTTPRequestSerialization {
    /// The request with the serializer's fields, where it has none of their names.
    func adding(fieldsTo request: RequestMessage) -> RequestMessage {
        var request = request
        let present = request.fields
        request.fields.append(contentsOf: httpRequestHeaders.filter { !present.contains($0.name) })
        return request
    }

    /// Whether the parameters of a request go into its query.
    func encodesInURI(_ request: RequestMessage) -> Bool {
        httpMethodsEncodingParametersInURI.contains(request.method)
    }

    /// The request with its fields, and its parameters in the query or, as a form, in the content, which is there even
    /// where there are none.
    func serializingAsForm(_ request: RequestMessage, _ parameters: Parameters?) throws -> RequestMessage {
        var request = adding(fieldsTo: request)
        let query = try parameters.map { try queryString(request, $0) } ?? ""
        if encodesInURI(request) {
            request.target = try request.target.adding(encodedQuery: query)
        } else {
            request.setContent(query.utf8, type: "application/x-www-form-urlencoded")
        }
        return request
    }

    private func queryString(_ request: RequestMessage, _ parameters: Parameters) throws -> String {
        guard let queryStringSerialization else { return try QueryStringSerializer.string(from: parameters) }
        return try queryStringSerialization(request, parameters)
    }
}

extension ApusError {
    static func ofParameters(_ error: any Error) -> ApusError {
        wrapping(error) { ApusError(.parameterEncodingFailed, Redaction.text(String(describing: $0)), underlying: $0) }
    }
}
