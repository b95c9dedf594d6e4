public import Apus
internal import ApusCore
public import Foundation
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

    /// The encoding of texts in forms, and in the parts that parameters have in multipart forms. Default: `.utf8`.
    public var stringEncoding: String.Encoding {
        get { settings.stringEncoding }
        set { settings.stringEncoding = newValue }
    }

    /// The options of each request, which override the session's configuration. Default: none.
    public var options: RequestOptions {
        get { settings.options }
        set { settings.options = newValue }
    }

    /// Whether requests send and store cookies. `nil` means as the session does. Default: `nil`.
    public var httpShouldHandleCookies: Bool? {
        get { settings.httpShouldHandleCookies }
        set { settings.httpShouldHandleCookies = newValue }
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
    /// Returns the request with the default fields and options that it does not have.
    func adding(fieldsTo request: RequestMessage) -> RequestMessage {
        var request = request
        let present = request.fields
        request.fields.append(contentsOf: httpRequestHeaders.filter { !present.contains($0.name) })
        var options = settings.requestOptions
        options.merge(request.options)
        request.options = options
        return request
    }

    /// Returns whether the parameters of a request are sent in its query.
    func encodesInURI(_ request: RequestMessage) -> Bool {
        httpMethodsEncodingParametersInURI.contains(request.method)
    }

    /// Returns the request with the default fields, and with the parameters in its query or, as a form, in its body.
    /// The body is set even without parameters.
    func serializingAsForm(_ request: RequestMessage, _ parameters: AFParameters?) throws -> RequestMessage {
        var request = adding(fieldsTo: request)
        guard !encodesInURI(request) else {
            request.target = try request.target.adding(encodedQuery: try queryString(request, parameters))
            return request
        }
        let encoding = try TextEncoding(stringEncoding)
        let type = "application/x-www-form-urlencoded" + encoding.parameter
        if stringEncoding == .utf8 || queryStringSerialization != nil {
            let form = try queryString(request, parameters)
            request.setContent(try encoding.data(form, of: "the form"), type: type)
        } else {
            var pairs: [ParameterPairs.Pair] = []
            if let root = try parameters?.value { pairs = try ParameterPairs.pairs(of: root) }
            request.setContent(try ParameterPairs.form(pairs, in: encoding), type: type)
        }
        return request
    }

    private func queryString(_ request: RequestMessage, _ parameters: AFParameters?) throws -> String {
        guard let parameters, let root = try parameters.value else { return "" }
        if let queryStringSerialization { return try queryStringSerialization(request, parameters) }
        // The elements of an array at the root have an empty key.
        guard case .dictionary(let members) = root else { return try QueryStringSerializer.string(from: ["": root]) }
        return try QueryStringSerializer.string(from: members)
    }
}

extension ApusError {
    static func ofParameters(_ error: any Error) -> ApusError {
        ApusError(wrapping: error, as: .parameterEncodingFailed)
    }
}
