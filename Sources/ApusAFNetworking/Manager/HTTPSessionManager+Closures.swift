public import Apus
public import HTTPTypes

/// Requests by method, URL and parameters, that tell a closure of success or failure, once, on the completion queue.
///
/// A relative URL is resolved against `baseURL`, as RFC 3986 §5.2 has it: `users` is beside the base's path, and `/users`
/// at the root. Parameters go where the request serializer puts them. Fields stand in place of the serializer's. The tasks
/// are resumed; where the request can't be made there is none, and `failure` is told.
nonisolated extension HTTPSessionManager {
    /// Asks for something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - progress: Told how much of the answer's content is here.
    ///   - success: Told the object that the response serializer made.
    ///   - failure: Told why there is none.
    /// - Returns: The task; `nil` where the request can't be made.
    @discardableResult
    public func get(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.get, urlString, parameters, headers, downloadProgress: progress, success, failure)
    }

    /// Asks for the head of something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - success: Told that it was there; `response` of the task is the head.
    ///   - failure: Told why not.
    /// - Returns: The task; `nil` where the request can't be made.
    @discardableResult
    public func head(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        success: (@Sendable (SessionTask) -> Void)?,
        failure: Failure?
    ) -> SessionTask? {
        let whole: Success = { task, _ in success?(task) }
        return start(.head, urlString, parameters, headers, whole, failure)
    }

    /// Sends something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - progress: Told how much of the request's content was sent.
    ///   - success: Told the object that the response serializer made.
    ///   - failure: Told why there is none.
    /// - Returns: The task; `nil` where the request can't be made.
    @discardableResult
    public func post(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.post, urlString, parameters, headers, uploadProgress: progress, success, failure)
    }

    /// Sends a form with files, streamed from where they are.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The first parts of the form; none by default.
    ///   - headers: Fields of this request alone; none by default. The form keeps its own `Content-Type`.
    ///   - build: Appends further parts; it is called here and now.
    ///   - progress: Told how much of the form was sent.
    ///   - success: Told the object that the response serializer made.
    ///   - failure: Told why there is none.
    /// - Returns: The task; `nil` where the request can't be made.
    @discardableResult
    public func post(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void,
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        let request: ManagerRequest
        do {
            request = try core.formRequest(urlString, parameters, headers, build)
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

    /// Puts something in its place.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - success: Told the object that the response serializer made.
    ///   - failure: Told why there is none.
    /// - Returns: The task; `nil` where the request can't be made.
    @discardableResult
    public func put(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.put, urlString, parameters, headers, success, failure)
    }

    /// Changes a part of something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - success: Told the object that the response serializer made.
    ///   - failure: Told why there is none.
    /// - Returns: The task; `nil` where the request can't be made.
    @discardableResult
    public func patch(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.patch, urlString, parameters, headers, success, failure)
    }

    /// Deletes something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - success: Told the object that the response serializer made.
    ///   - failure: Told why there is none.
    /// - Returns: The task; `nil` where the request can't be made.
    @discardableResult
    public func delete(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        start(.delete, urlString, parameters, headers, success, failure)
    }

    /// Makes a task of any method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - uploadProgress: Told how much of the request's content was sent.
    ///   - downloadProgress: Told how much of the answer's content is here.
    ///   - success: Told the object that the response serializer made.
    ///   - failure: Told why there is none.
    /// - Returns: The task, suspended; `nil` where the request can't be made.
    public func dataTask(
        withHTTPMethod method: HTTPRequest.Method,
        urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        let request: ManagerRequest
        do {
            request = try core.request(method, urlString, parameters, headers)
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
        _ parameters: Parameters?,
        _ headers: HTTPFields,
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
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success,
            failure: failure
        )
        task?.resume()
        return task
    }

    /// Tells of a request that can't be made, later, as of any other failure.
    private func fail(_ failure: Failure?, _ error: ApusError) -> SessionTask? {
        core.complete(on: nil, nil) { failure?(nil, error) }
        return nil
    }

    private static func completion(_ success: Success?, _ failure: Failure?) -> Completion<any Sendable> {
        { task, _, object, error in
            if let error { failure?(task, error) } else { success?(task, object) }
        }
    }
}
