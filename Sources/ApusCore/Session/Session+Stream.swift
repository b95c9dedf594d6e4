public import Foundation
public import HTTPTypes

extension Session {
    /// Sends a request and returns when the response head has arrived. The body is read with back-pressure.
    ///
    /// ```swift
    /// let response = try await session.stream("https://example.org/large")
    /// for try await chunk in response.body {
    ///     print(chunk.count)
    /// }
    /// ```
    ///
    /// The request counts as in flight until its body is read to the end or released.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - query: Items to add to the URL's query. Default: none.
    ///   - fields: The header fields. The session's default fields are added.
    ///   - body: The request body. Default: none.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The response head, with any status, and the body to be read.
    /// - Throws: `ApusError`, also if the task is cancelled.
    public func stream(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> StreamedResponse {
        let message = try Self.build { () throws in
            try core.environment.request(url, method, query, fields, body)
        }
        return try await stream(message, options: options)
    }

    /// Sends a request and returns when the response head has arrived. The body is read with back-pressure.
    ///
    /// ## Cancellation
    /// Cancelling the task before the head has arrived, or the task that reads the body, ends the exchange and closes
    /// its connection, over HTTP/2 only its stream. Releasing a body that was not read to its end does so too. The response, its body and
    /// every iterator of the body hold it.
    ///
    /// - Parameters:
    ///   - request: The request, or a type that builds it.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The response head, with any status, and the body to be read.
    /// - Throws: `ApusError`, also if the task is cancelled.
    public func stream(
        _ request: some RequestConvertible,
        options: RequestOptions = .none
    ) async throws(ApusError) -> StreamedResponse {
        let message = try Self.build {
            try request.asRequest(overriding: options, relativeTo: try core.environment.baseURL?.get())
        }
        return try await StreamCall(session: self, request: message, options: options).response()
    }
}
