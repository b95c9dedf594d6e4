public import Foundation
internal import HTTPTypes

/// The direct calls. They return a complete response with any status. `validate()` rejects an unsuccessful one.
extension Session {
    /// Sends a GET request.
    public func get(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .get, query, fields, .none, options).response()
    }

    /// Sends a HEAD request.
    public func head(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .head, query, fields, .none, options).response()
    }

    /// Sends a POST request with `body`.
    public func post(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .post, query, fields, body, options).response()
    }

    /// Sends a PUT request with `body`.
    public func put(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .put, query, fields, body, options).response()
    }

    /// Sends a PATCH request with `body`.
    public func patch(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .patch, query, fields, body, options).response()
    }

    /// Sends a DELETE request.
    public func delete(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .delete, query, fields, body, options).response()
    }

    /// Sends a request and collects its response.
    ///
    /// - Parameters:
    ///   - request: The request, or a type that builds it.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The response, with any status.
    /// - Throws: `ApusError`, also if the task is cancelled.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the exchange and closes its connection, over HTTP/2 only its stream.
    public func send(
        _ request: some RequestConvertible,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await DirectCall(core: core, options: options) { context throws(ApusError) in
            try Self.build { try request.asRequest(in: context) }
        }.response()
    }

    private func call(
        _ url: some URLConvertible,
        _ method: HTTPRequest.Method,
        _ query: [URLQueryItem],
        _ fields: RequestFields,
        _ body: RequestBody,
        _ options: RequestOptions
    ) throws(ApusError) -> DirectCall {
        try DirectCall(core: core, options: options) { context throws(ApusError) in
            try Self.build {
                try context.environment.request(url, method, query, fields, body, context.options)
            }
        }
    }

    /// Returns the message that `make` builds, or throws the error of a request that could not be built.
    static func build(_ make: () throws -> RequestMessage) throws(ApusError) -> RequestMessage {
        do { return try make() } catch { throw buildingFailure(error) }
    }

    /// Returns the error of a request that could not be built.
    static func buildingFailure(_ error: any Error) -> ApusError {
        ApusError(wrapping: error, as: .requestBuildingFailed)
    }
}
