public import Apus
public import HTTPTypes

/// Requests with Alamofire's labels. `parameters` can be `nil`, and a literal with values of several types.
extension Session {
    /// Creates a request, with a handle.
    ///
    /// ```swift
    /// let headers: HTTPHeaders = ["X-Request-Tag": "blue"]
    /// let users = AF.request("https://api.example.org/users", parameters: ["page": 2], headers: headers)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or your own type.
    ///   - method: The method. Default: GET.
    ///   - parameters: The parameters. Default: none.
    ///   - encoding: Encodes the parameters into the request. Default: as a form, in the query for GET, HEAD and
    ///     DELETE, otherwise in the body.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before the parameters are encoded. Called for each attempt. Default:
    ///     `nil`.
    /// - Returns: The handle. An invalid URL and encoding errors are reported like any other failure.
    @_disfavoredOverload
    public func request(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        parameters: Parameters? = nil,
        encoding: any ParameterEncoder = .urlEncodedForm,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url,
            method: method,
            parameters: parameters,
            encoder: encoding,
            fields: headers ?? [:],
            modifier: requestModifier
        )
        .intercepted(by: interceptor)
    }

    /// Creates a request with the parameters of a literal, or none, with a handle.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - parameters: The parameters. With `nil` nothing is encoded.
    ///   - encoder: Encodes the parameters into the request.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before the parameters are encoded. Called for each attempt. Default:
    ///     `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func request(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        parameters: Parameters?,
        encoder: any ParameterEncoder,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url,
            method: method,
            parameters: parameters,
            encoder: encoder,
            fields: headers ?? [:],
            modifier: requestModifier
        )
        .intercepted(by: interceptor)
    }

    /// Creates a request with parameters of any `Encodable` type, with a handle.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - parameters: The parameters. With `nil` nothing is encoded.
    ///   - encoder: Encodes the parameters into the request. Default: as a form, in the query for GET, HEAD and DELETE,
    ///     otherwise in the body.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before the parameters are encoded. Called for each attempt. Default:
    ///     `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func request<Values: Encodable & Sendable>(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        parameters: Values?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url,
            method: method,
            parameters: parameters,
            encoder: encoder,
            fields: headers ?? [:],
            modifier: requestModifier
        )
        .intercepted(by: interceptor)
    }

    /// Creates a request from a type that builds requests, with a handle.
    ///
    /// - Parameters:
    ///   - convertible: Builds the request. Called when the request starts, and again for each attempt.
    ///   - interceptor: Adapts the request and decides about retries, after the session's.
    /// - Returns: The handle.
    public func request(
        _ convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)?
    ) -> DataRequest {
        request(convertible).intercepted(by: interceptor)
    }
}
