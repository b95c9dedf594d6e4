public import ApusCore
public import Foundation
public import HTTPTypes

extension Session {
    /// Creates a request with parameters, with a handle. It does not start before it is resumed or its response is
    /// awaited.
    ///
    /// ```swift
    /// let request = session.request(
    ///     "https://example.org/users",
    ///     method: .post,
    ///     parameters: ["name": "Ada"],
    ///     encoder: .json
    /// )
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
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request after method and fields are set and before the parameters are encoded. Called
    ///     for each attempt. Default: `nil`.
    /// - Returns: The handle. An invalid URL and encoding errors are reported like any other failure.
    public func request<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let request = ParameterizedRequest(
            url,
            method: method,
            query: query,
            parameters: parameters,
            encoder: encoder,
            fields: fields,
            modifier: modifier
        )
        return self.request(request, options: options)
    }

    /// Creates a request that a modifier changes before it is sent, with a handle.
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or your own type.
    ///   - method: The method. Default: GET.
    ///   - query: The items added to the URL's query. Default: none.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - body: The body. Default: none.
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request. Called for each attempt.
    /// - Returns: The handle. An invalid URL and errors of the modifier are reported like any other failure.
    public func request(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none,
        modifier: @escaping RequestModifier
    ) -> DataRequest {
        let request = ModifiedRequest(
            url: url,
            method: method,
            query: query,
            fields: fields,
            body: body,
            modifier: modifier
        )
        return self.request(request, options: options)
    }
}

/// They return the complete response with any status code. `validate()` rejects errors.
///
/// By default, GET, HEAD and DELETE send the parameters in the query, the others in the body. With `nil` nothing is
/// encoded. The items of `query` are added to the URL's query with every method, before those of the parameters. The
/// modifier is called after method, query and fields are set and before the parameters are encoded.
extension Session {
    /// Sends a GET request to `url`, with `parameters` in its query.
    public func get<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.get, url, query, parameters, encoder, fields, options, modifier)
    }

    /// Sends a HEAD request to `url`, with `parameters` in its query.
    public func head<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.head, url, query, parameters, encoder, fields, options, modifier)
    }

    /// Sends a POST request with `parameters` as a form in its body, or as `encoder` puts them.
    public func post<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.post, url, query, parameters, encoder, fields, options, modifier)
    }

    /// Sends a PUT request with `parameters` as a form in its body, or as `encoder` puts them.
    public func put<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.put, url, query, parameters, encoder, fields, options, modifier)
    }

    /// Sends a PATCH request with `parameters` as a form in its body, or as `encoder` puts them.
    public func patch<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.patch, url, query, parameters, encoder, fields, options, modifier)
    }

    /// Sends a DELETE request to `url`, with `parameters` in its query.
    public func delete<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.delete, url, query, parameters, encoder, fields, options, modifier)
    }

    private func call<Parameters: Encodable & Sendable>(
        _ method: HTTPRequest.Method,
        _ url: some URLConvertible,
        _ query: [URLQueryItem],
        _ parameters: Parameters?,
        _ encoder: any ParameterEncoder,
        _ fields: RequestFields,
        _ options: RequestOptions,
        _ modifier: RequestModifier?
    ) async throws(ApusError) -> Response {
        let request = ParameterizedRequest(
            url,
            method: method,
            query: query,
            parameters: parameters,
            encoder: encoder,
            fields: fields,
            modifier: modifier
        )
        return try await send(request, options: options)
    }
}
