public import ApusCore
public import Foundation
public import HTTPTypes

extension Session {
    /// Makes a request with parameters, with a handle: inert until it is resumed or asked for its answer.
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
    ///   - url: What the request is for: a `String`, a `URL`, or a type of your own.
    ///   - method: The method; GET by default.
    ///   - parameters: What is to be sent; with `nil` nothing is encoded.
    ///   - encoder: Puts them into the request; as a form by default, into the query of a GET, HEAD or DELETE and into
    ///     the content of others.
    ///   - fields: The fields; the session's own are added to them.
    ///   - options: What this request sets otherwise than the session.
    ///   - modifier: Changes the request after method and fields are set and before the parameters are encoded, for
    ///     each attempt again; nothing by default.
    /// - Returns: The handle. A wrong URL, and what can't be encoded, are reported like any other failure.
    public func request<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let request = ParameterizedRequest(
            url,
            method: method,
            parameters: parameters,
            encoder: encoder,
            fields: fields,
            modifier: modifier
        )
        return self.request(request, options: options)
    }

    /// Makes a request that somebody changes before it goes its way, with a handle.
    ///
    /// - Parameters:
    ///   - url: What the request is for: a `String`, a `URL`, or a type of your own.
    ///   - method: The method; GET by default.
    ///   - query: What is added to the URL's query; nothing by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - body: The content; none by default.
    ///   - options: What this request sets otherwise than the session.
    ///   - modifier: Changes the request, for each attempt again.
    /// - Returns: The handle. A wrong URL, and what the modifier throws, are reported like any other failure.
    public func request(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
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

/// The direct calls with parameters: a request in, a whole answer out, whatever its status; `validate()` refuses what is
/// no success.
///
/// By default, GET, HEAD and DELETE have their parameters in the query, and the others in their content. With `nil`
/// nothing is encoded. The modifier runs after method and fields are set and before the parameters are encoded.
extension Session {
    /// GETs what `url` names, with `parameters` in its query.
    public func get<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.get, url, parameters, encoder, fields, options, modifier)
    }

    /// Asks for the head alone, with `parameters` in the query.
    public func head<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.head, url, parameters, encoder, fields, options, modifier)
    }

    /// POSTs `parameters`, as JSON.
    public func post<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .json,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.post, url, parameters, encoder, fields, options, modifier)
    }

    /// PUTs `parameters`, as JSON.
    public func put<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .json,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.put, url, parameters, encoder, fields, options, modifier)
    }

    /// PATCHes with `parameters`, as JSON.
    public func patch<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .json,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.patch, url, parameters, encoder, fields, options, modifier)
    }

    /// DELETEs what `url` names, with `parameters` in its query.
    public func delete<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) async throws(ApusError) -> Response {
        try await call(.delete, url, parameters, encoder, fields, options, modifier)
    }

    private func call<Parameters: Encodable & Sendable>(
        _ method: HTTPRequest.Method,
        _ url: some URLConvertible,
        _ parameters: Parameters?,
        _ encoder: any ParameterEncoder,
        _ fields: HTTPFields,
        _ options: RequestOptions,
        _ modifier: RequestModifier?
    ) async throws(ApusError) -> Response {
        let request = ParameterizedRequest(
            url,
            method: method,
            parameters: parameters,
            encoder: encoder,
            fields: fields,
            modifier: modifier
        )
        return try await send(request, options: options)
    }
}
