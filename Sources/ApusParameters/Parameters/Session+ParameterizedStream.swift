public import ApusCore
public import Foundation
public import HTTPTypes

extension Session {
    /// Creates a request with parameters that passes the response body to handlers while it arrives. It does not start
    /// before it is resumed or has a stream handler.
    ///
    /// ```swift
    /// session.streamRequest("https://api.example.org/log", parameters: ["level": "warning"])
    ///     .responseStreamString { stream in
    ///         print(stream.value ?? "")
    ///     }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or your own type.
    ///   - method: The method. Default: GET.
    ///   - query: The items added to the URL's query, before those of the parameters. Default: none.
    ///   - parameters: The parameters. With `nil` nothing is encoded.
    ///   - encoder: Encodes the parameters into the request. Default: as a form, in the query for GET, HEAD and DELETE,
    ///     otherwise in the body.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - automaticallyCancelOnStreamError: Whether an error of a serializer or of a stream handler cancels the
    ///     request with that error. Default: `false`.
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request after method and fields are set and before the parameters are encoded. Called
    ///     once. Default: `nil`.
    /// - Returns: The handle. An invalid URL and encoding errors are reported like any other failure.
    public func streamRequest<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        automaticallyCancelOnStreamError: Bool = false,
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        let request = ParameterizedRequest(
            url,
            method: method,
            query: query,
            parameters: parameters,
            encoder: encoder,
            fields: fields,
            modifier: modifier
        )
        return streamRequest(
            request,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError,
            options: options
        )
    }

    /// Creates a stream request that a modifier changes before it is sent.
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or your own type.
    ///   - method: The method. Default: GET.
    ///   - query: The items added to the URL's query. Default: none.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - body: The body. Default: none.
    ///   - automaticallyCancelOnStreamError: Whether an error of a serializer or of a stream handler cancels the
    ///     request with that error. Default: `false`.
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request. Called once.
    /// - Returns: The handle. An invalid URL and errors of the modifier are reported like any other failure.
    public func streamRequest(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        automaticallyCancelOnStreamError: Bool = false,
        options: RequestOptions = .none,
        modifier: @escaping RequestModifier
    ) -> DataStreamRequest {
        let request = ModifiedRequest(
            url: url,
            method: method,
            query: query,
            fields: fields,
            body: body,
            modifier: modifier
        )
        return streamRequest(
            request,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError,
            options: options
        )
    }
}
