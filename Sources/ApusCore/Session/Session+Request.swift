public import Foundation
public import HTTPTypes

extension Session {
    /// Creates a request handle. The handle is chainable and does nothing until it is started.
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or a type of your own.
    ///   - method: The method. Default: GET.
    ///   - query: Items to add to the URL's query. Default: none.
    ///   - fields: The header fields. The session's default fields are added.
    ///   - body: The request body. Default: none.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The handle. An invalid URL is reported as the request's failure, like any other error.
    public func request(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) -> DataRequest {
        let source = source(url, method, query, fields, body)
        return DataRequest(task: RequestTask(core: core, source: source, options: options))
    }

    /// Creates a request handle from a type that builds requests.
    ///
    /// - Parameters:
    ///   - convertible: Builds the request. Called on the global executor when the request starts.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The handle.
    public func request(_ convertible: some RequestConvertible, options: RequestOptions = .none) -> DataRequest {
        DataRequest(task: RequestTask(core: core, source: Self.source(convertible), options: options))
    }

    func source(
        _ url: some URLConvertible,
        _ method: HTTPRequest.Method,
        _ query: [URLQueryItem],
        _ fields: RequestFields,
        _ body: RequestBody
    ) -> RequestTask.Source {
        let environment = core.environment
        guard Self.isBuiltIn(type(of: url)) else {
            return .user { try environment.request(url, method, query, fields, body, $0.options) }
        }
        do throws(ApusError) {
            return .message(try Self.build { try environment.request(url, method, query, fields, body) })
        } catch {
            return .failure(error)
        }
    }

    static func source(_ convertible: some RequestConvertible) -> RequestTask.Source {
        if let message = convertible as? RequestMessage { return .message(message) }
        return .user(convertible.asRequest(in:))
    }

    /// Returns whether the conversion to a URL is known not to block.
    private static func isBuiltIn(_ type: any URLConvertible.Type) -> Bool {
        type == String.self || type == URL.self || type == TargetURI.self
    }
}

extension SessionEnvironment {
    /// Builds a request from its parts. The URL may be relative to the base URL of the session.
    func request(
        _ url: some URLConvertible,
        _ method: HTTPRequest.Method = .get,
        _ query: [URLQueryItem],
        _ fields: RequestFields,
        _ body: RequestBody = .none,
        _ options: RequestOptions = .none
    ) throws -> RequestMessage {
        try RequestMessage(
            url,
            relativeTo: try baseURL?.get(),
            method: method,
            query: query,
            fields: fields,
            body: body,
            options: options
        )
    }
}
