public import Apus
internal import ApusCore
public import HTTPTypes

/// A request serializer with the fields and options common to AFNetworking's serializers.
public protocol AFHTTPRequestSerialization: AFURLRequestSerialization {
    /// The fields and options. Each is also a property of the serializer.
    var settings: AFHTTPRequestSettings { get set }
}

extension AFHTTPRequestSerialization {
    /// The default fields. A field set by a request takes precedence.
    public var httpRequestHeaders: HTTPFields {
        get { settings.httpRequestHeaders }
        set { settings.httpRequestHeaders = newValue }
    }

    /// The methods that send parameters in the query instead of the body. Default: GET, HEAD and DELETE.
    public var httpMethodsEncodingParametersInURI: Set<HTTPRequest.Method> {
        get { settings.httpMethodsEncodingParametersInURI }
        set { settings.httpMethodsEncodingParametersInURI = newValue }
    }

    /// The closure that encodes queries and forms. `nil` means `QueryStringSerializer`. Default: `nil`.
    public var queryStringSerialization: QueryStringSerialization? {
        get { settings.queryStringSerialization }
        set { settings.queryStringSerialization = newValue }
    }

    /// The time that a request may be idle. `nil` means the session's. Default: `nil`.
    public var timeoutInterval: Duration? {
        get { settings.timeoutInterval }
        set { settings.timeoutInterval = newValue }
    }

    /// The time that a whole request may take. `nil` means the session's. Default: `nil`.
    public var deadline: Duration? {
        get { settings.deadline }
        set { settings.deadline = newValue }
    }

    /// Returns the value of a default field, or `nil` if there is none.
    public func value(forHTTPHeaderField field: String) -> String? {
        HTTPField.Name(field).flatMap { httpRequestHeaders[$0] }
    }

    /// Sets a default field. A field set by a request takes precedence.
    ///
    /// - Parameters:
    ///   - value: The value. `nil` removes the field.
    ///   - field: The name, case-insensitive.
    /// - Throws: `ApusError` with the code `invalidField`, for example for a control character.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) throws(ApusError) {
        try httpRequestHeaders.set(checking: field, value)
    }

    /// Sets the default `Authorization` field to Basic credentials.
    ///
    /// - Parameters:
    ///   - username: The user name. It must not contain a colon.
    ///   - password: The password.
    /// - Throws: `ApusError` with the code `invalidField`.
    public mutating func setAuthorizationHeaderField(
        withUsername username: String,
        password: String
    ) throws(ApusError) {
        let field = try HTTPField.authorization(username: username, password: password)
        httpRequestHeaders[.authorization] = field.value
    }

    /// Removes the default `Authorization` field.
    public mutating func clearAuthorizationHeader() {
        httpRequestHeaders[.authorization] = nil
    }
}

extension AFHTTPRequestSerialization {
    /// Returns the request with the default fields whose names it does not have.
    func adding(fieldsTo request: RequestMessage) -> RequestMessage {
        var request = request
        let present = request.fields
        request.fields.append(contentsOf: httpRequestHeaders.filter { !present.contains($0.name) })
        return request
    }

    /// Returns whether the parameters of a request are sent in its query.
    func encodesInURI(_ request: RequestMessage) -> Bool {
        httpMethodsEncodingParametersInURI.contains(request.method)
    }

    /// Returns the request with the default fields, and with the parameters in its query or, as a form, in its body.
    /// The body is set even without parameters.
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
        ApusError(wrapping: error, as: .parameterEncodingFailed)
    }
}
