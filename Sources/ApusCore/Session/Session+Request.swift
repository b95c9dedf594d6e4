public import Foundation
public import HTTPTypes

extension Session {
    /// Makes a request with a handle: chainable, and inert until it is resumed or asked for its answer.
    ///
    /// - Parameters:
    ///   - url: What the request is for: a `String`, a `URL`, or a type of your own.
    ///   - method: The method; GET by default.
    ///   - query: What is added to the URL's query; nothing by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - body: The content; none by default.
    ///   - options: What this request sets otherwise than the session.
    /// - Returns: The handle. A wrong URL is reported like any other failure, to whoever asks for the answer.
    public func request(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) -> DataRequest {
        let source = Self.source(url, method, query, fields, body)
        return DataRequest(task: RequestTask(core: core, source: source, options: options))
    }

    /// Makes a request of a type that builds requests, with a handle.
    ///
    /// - Parameters:
    ///   - convertible: What builds the request; asked on the global executor when the request starts.
    ///   - options: What this request sets otherwise than the session.
    /// - Returns: The handle.
    public func request(_ convertible: some RequestConvertible, options: RequestOptions = .none) -> DataRequest {
        DataRequest(task: RequestTask(core: core, source: Self.source(convertible), options: options))
    }

    static func source(
        _ url: some URLConvertible,
        _ method: HTTPRequest.Method,
        _ query: [URLQueryItem],
        _ fields: HTTPFields,
        _ body: RequestBody
    ) -> RequestTask.Source {
        guard isOfTheLibrary(type(of: url)) else {
            return .user { try RequestMessage(url, method: method, query: query, fields: fields, body: body) }
        }
        do throws(ApusError) {
            let message = try build {
                try RequestMessage(url, method: method, query: query, fields: fields, body: body)
            }
            return .message(message)
        } catch {
            return .failure(error)
        }
    }

    static func source(_ convertible: some RequestConvertible) -> RequestTask.Source {
        if let message = convertible as? RequestMessage { return .message(message) }
        return .user { try convertible.asRequest() }
    }

    /// Whether it is known that saying the URL takes no time.
    private static func isOfTheLibrary(_ type: any URLConvertible.Type) -> Bool {
        type == String.self || type == URL.self || type == TargetURI.self
    }
}
