public import Foundation
public import HTTPTypes

extension Session {
    /// Creates a request handle that passes the response body to handlers while it arrives. The handle is chainable and
    /// does nothing until it is started.
    ///
    /// ```swift
    /// session.streamRequest("https://api.example.org/users.ndjson").responseStreamDecodable(of: User.self) { stream in
    ///     if let user = stream.value { print(user.name) }
    /// }
    /// ```
    ///
    /// To read a body in a loop, ``stream(_:method:query:fields:body:options:)`` is simpler.
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or a type of your own.
    ///   - method: The method. Default: GET.
    ///   - query: Items to add to the URL's query. Default: none.
    ///   - fields: The header fields. The session's default fields are added.
    ///   - body: The request body. Default: none.
    ///   - automaticallyCancelOnStreamError: Whether an error of a serializer or of a stream handler cancels the
    ///     request with that error. Default: `false`.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The handle. An invalid URL is reported as the request's failure, like any other error.
    public func streamRequest(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        automaticallyCancelOnStreamError: Bool = false,
        options: RequestOptions = .none
    ) -> DataStreamRequest {
        let source = source(url, method, query, fields, body)
        return streamRequest(from: source, options, automaticallyCancelOnStreamError)
    }

    /// Creates a request handle that passes the response body to handlers while it arrives, from a type that builds
    /// requests.
    ///
    /// - Parameters:
    ///   - convertible: Builds the request. Called once, on the global executor, when the request starts.
    ///   - automaticallyCancelOnStreamError: Whether an error of a serializer or of a stream handler cancels the
    ///     request with that error. Default: `false`.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The handle.
    public func streamRequest(
        _ convertible: some RequestConvertible,
        automaticallyCancelOnStreamError: Bool = false,
        options: RequestOptions = .none
    ) -> DataStreamRequest {
        streamRequest(from: Self.source(convertible), options, automaticallyCancelOnStreamError)
    }

    private func streamRequest(
        from source: RequestTask.Source,
        _ options: RequestOptions,
        _ cancelsOnError: Bool
    ) -> DataStreamRequest {
        DataStreamRequest(
            runner: StreamRunner(session: self, source: source, options: options, cancelsOnError: cancelsOnError)
        )
    }
}
