public import Apus
public import HTTPTypes

/// Async requests by method, URL and parameters. They follow the same rules as the variants with closures.
///
/// An unacceptable response throws an `ApusError`, whose `data` contains the body.
///
/// ## Cancellation
/// Cancelling the task cancels the request. See `SessionTask.cancel()`.
extension HTTPSessionManager {
    /// The result of a request: the serialized object, or `nil` if the body contains none, and the response head.
    public typealias ObjectResponse<Object> = (object: Object?, response: HTTPResponse)

    /// Sends a GET request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - progress: Called with the download progress of the response body.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func get(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let request = try core.request(.get, urlString, parameters, headers, options)
        return try await performAny(request, responseSerializer, downloadProgress: progress)
    }

    /// Sends a GET request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - progress: Called with the download progress of the response body.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func get<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let request = try core.request(.get, urlString, parameters, headers, options)
        return try await perform(request, serializer, downloadProgress: progress)
    }

    /// Sends a HEAD request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    /// - Returns: The response head.
    /// - Throws: `ApusError`.
    public func head(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> HTTPResponse {
        let request = try core.request(.head, urlString, parameters, headers, options)
        return try await performAny(request, responseSerializer).response
    }

    /// Sends a POST request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - progress: Called with the upload progress of the request body.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func post(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let request = try core.request(.post, urlString, parameters, headers, options)
        return try await performAny(request, responseSerializer, uploadProgress: progress)
    }

    /// Sends a POST request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - progress: Called with the upload progress of the request body.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let request = try core.request(.post, urlString, parameters, headers, options)
        return try await perform(request, serializer, uploadProgress: progress)
    }

    /// Sends a POST request with a multipart form, whose files are streamed.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The first parts of the form. Default: none.
    ///   - headers: Header fields for this request alone. A `Content-Type` is ignored. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - progress: Called with the upload progress of the form.
    ///   - build: Appends further parts. Called synchronously.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func post(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let request = try core.formRequest(urlString, parameters, headers, options, build)
        return try await anyForm(request, responseSerializer, progress)
    }

    /// Sends a POST request with a multipart form, whose files are streamed.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The first parts of the form. Default: none.
    ///   - headers: Header fields for this request alone. A `Content-Type` is ignored. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - progress: Called with the upload progress of the form.
    ///   - build: Appends further parts. Called synchronously.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let request = try core.formRequest(urlString, parameters, headers, options, build)
        return try await form(request, serializer, progress)
    }

    /// Sends a PUT request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func put(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let request = try core.request(.put, urlString, parameters, headers, options)
        return try await performAny(request, responseSerializer)
    }

    /// Sends a PUT request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func put<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let request = try core.request(.put, urlString, parameters, headers, options)
        return try await perform(request, serializer)
    }

    /// Sends a PATCH request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func patch(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let request = try core.request(.patch, urlString, parameters, headers, options)
        return try await performAny(request, responseSerializer)
    }

    /// Sends a PATCH request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func patch<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let request = try core.request(.patch, urlString, parameters, headers, options)
        return try await perform(request, serializer)
    }

    /// Sends a DELETE request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func delete(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let request = try core.request(.delete, urlString, parameters, headers, options)
        return try await performAny(request, responseSerializer)
    }

    /// Sends a DELETE request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func delete<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let request = try core.request(.delete, urlString, parameters, headers, options)
        return try await perform(request, serializer)
    }
}
