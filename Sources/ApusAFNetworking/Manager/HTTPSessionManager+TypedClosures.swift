public import Apus
public import HTTPTypes

/// Requests with a response serializer of their own, whose type is that of the object.
///
/// ```swift
/// let serializer = AFPropertyListResponseSerializer()
/// manager.get("settings", serializer: serializer) { _, settings in
///     print(settings?["theme"] ?? "none")
/// } failure: { _, error in
///     print(error)
/// }
/// ```
///
/// They follow the same rules as the variants with the manager's serializer.
extension HTTPSessionManager {
    /// Sends a GET request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - progress: Called with the download progress of the response body.
    ///   - success: Called with the object from the serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func get<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        start(
            .get,
            urlString,
            parameters,
            headers,
            options,
            serializer,
            downloadProgress: progress,
            success,
            failure
        )
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
    ///   - success: Called with the object from the serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        start(
            .post,
            urlString,
            parameters,
            headers,
            options,
            serializer,
            uploadProgress: progress,
            success,
            failure
        )
    }

    /// Sends a POST request with a multipart form, whose files are streamed.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The first parts of the form. Default: none.
    ///   - headers: Header fields for this request alone. A `Content-Type` is ignored. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - build: Appends further parts. Called synchronously.
    ///   - progress: Called with the upload progress of the form.
    ///   - success: Called with the object from the serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void,
        progress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        let request: ManagerRequest
        do {
            request = try core.formRequest(urlString, parameters, headers, options, build)
        } catch {
            return fail(failure, error)
        }
        let task = uploadTask(
            with: request.message,
            options: request.options,
            content: nil,
            serializer: serializer,
            progress: progress,
            completionHandler: Self.completion(success, failure)
        )
        task.resume()
        return task
    }

    /// Sends a PUT request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - success: Called with the object from the serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func put<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        start(
            .put,
            urlString,
            parameters,
            headers,
            options,
            serializer,
            success,
            failure
        )
    }

    /// Sends a PATCH request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - success: Called with the object from the serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func patch<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        start(
            .patch,
            urlString,
            parameters,
            headers,
            options,
            serializer,
            success,
            failure
        )
    }

    /// Sends a DELETE request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - success: Called with the object from the serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func delete<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        start(
            .delete,
            urlString,
            parameters,
            headers,
            options,
            serializer,
            success,
            failure
        )
    }

    /// Creates a task with any method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - serializer: The response serializer, which replaces the manager's.
    ///   - uploadProgress: Called with the upload progress of the request body.
    ///   - downloadProgress: Called with the download progress of the response body.
    ///   - success: Called with the object from the serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, suspended, or `nil` if the request cannot be created.
    public func dataTask<Serializer: AFURLResponseSerialization>(
        withHTTPMethod method: HTTPRequest.Method,
        urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        let request: ManagerRequest
        do {
            request = try core.request(method, urlString, parameters, headers, options)
        } catch {
            return fail(failure, error)
        }
        return dataTask(
            with: request.message,
            options: request.options,
            serializer: serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            completionHandler: Self.completion(success, failure)
        )
    }

    private func start<Serializer: AFURLResponseSerialization>(
        _ method: HTTPRequest.Method,
        _ urlString: String,
        _ parameters: AFParameters?,
        _ headers: RequestFields,
        _ options: RequestOptions,
        _ serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        _ success: TypedSuccess<Serializer.ResponseObject>?,
        _ failure: Failure?
    ) -> SessionTask? {
        let task = dataTask(
            withHTTPMethod: method,
            urlString: urlString,
            parameters: parameters,
            headers: headers,
            options: options,
            serializer: serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success,
            failure: failure
        )
        task?.resume()
        return task
    }
}
