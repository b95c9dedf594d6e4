public import Apus
public import HTTPTypes

/// Requests by method, URL and parameters, with a closure for success or failure, called once on the completion queue.
///
/// A relative URL is resolved against `baseURL`, as in RFC 3986 §5.2: `users` is relative to the base's path, and
/// `/users` to the root. The request serializer encodes the parameters. `headers` replace the serializer's fields, and
/// `options` its options. Names and values of `headers` are checked when the request is created. The tasks are already
/// resumed. If a request cannot be created, there is no task and `failure` is called.
extension HTTPSessionManager {
    /// Sends a GET request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - progress: Called with the download progress of the response body.
    ///   - success: Called with the object from the response serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func get(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.get, urlString, parameters, headers, options, downloadProgress: progress, success, failure)
    }

    /// Sends a HEAD request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - success: Called with the task, whose `response` is the head.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func head(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: (@Sendable (SessionTask) -> Void)?,
        failure: Failure?
    ) -> SessionTask? {
        let whole: Success = { task, _ in success?(task) }
        return start(.head, urlString, parameters, headers, options, whole, failure)
    }

    /// Sends a POST request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - progress: Called with the upload progress of the request body.
    ///   - success: Called with the object from the response serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func post(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.post, urlString, parameters, headers, options, uploadProgress: progress, success, failure)
    }

    /// Sends a POST request with a multipart form, whose files are streamed.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The first parts of the form. Default: none.
    ///   - headers: Header fields for this request alone. A `Content-Type` is ignored. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - build: Appends further parts. Called synchronously.
    ///   - progress: Called with the upload progress of the form.
    ///   - success: Called with the object from the response serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func post(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void,
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        let request: ManagerRequest
        do {
            request = try core.formRequest(urlString, parameters, headers, options, build)
        } catch {
            return fail(failure, error)
        }
        let task = uploadTask(
            withStreamedRequest: request.message,
            options: request.options,
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
    ///   - success: Called with the object from the response serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func put(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.put, urlString, parameters, headers, options, success, failure)
    }

    /// Sends a PATCH request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - success: Called with the object from the response serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func patch(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.patch, urlString, parameters, headers, options, success, failure)
    }

    /// Sends a DELETE request.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - success: Called with the object from the response serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, or `nil` if the request cannot be created.
    @discardableResult
    public func delete(
        _ urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.delete, urlString, parameters, headers, options, success, failure)
    }

    /// Creates a task with any method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - urlString: The URL.
    ///   - parameters: The parameters to send. Default: none.
    ///   - headers: Header fields for this request alone. Default: none.
    ///   - options: Options that override the session's configuration. Default: none.
    ///   - uploadProgress: Called with the upload progress of the request body.
    ///   - downloadProgress: Called with the download progress of the response body.
    ///   - success: Called with the object from the response serializer.
    ///   - failure: Called with the error.
    /// - Returns: The task, suspended, or `nil` if the request cannot be created.
    public func dataTask(
        withHTTPMethod method: HTTPRequest.Method,
        urlString: String,
        parameters: AFParameters? = nil,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        success: Success?,
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
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            completionHandler: Self.completion(success, failure)
        )
    }

    private func start(
        _ method: HTTPRequest.Method,
        _ urlString: String,
        _ parameters: AFParameters?,
        _ headers: RequestFields,
        _ options: RequestOptions,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        _ success: Success?,
        _ failure: Failure?
    ) -> SessionTask? {
        let task = dataTask(
            withHTTPMethod: method,
            urlString: urlString,
            parameters: parameters,
            headers: headers,
            options: options,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success,
            failure: failure
        )
        task?.resume()
        return task
    }

    /// Reports a request that cannot be created, asynchronously as for any other failure.
    func fail(_ failure: Failure?, _ error: ApusError) -> SessionTask? {
        core.complete(on: nil, nil) { failure?(nil, error) }
        return nil
    }

    static func completion<Object>(_ success: TypedSuccess<Object>?, _ failure: Failure?) -> Completion<Object> {
        { task, _, object, error in
            if let error { failure?(task, error) } else { success?(task, object) }
        }
    }
}
