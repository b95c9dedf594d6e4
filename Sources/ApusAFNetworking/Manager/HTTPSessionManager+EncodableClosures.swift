public import Apus
public import HTTPTypes

/// Requests with parameters of any `Encodable` type: a dictionary in a variable, an array, or a type of your own.
///
/// ```swift
/// struct Registration: Encodable {
///     let name: String
///     let age: Int
/// }
/// let registration = Registration(name: "Ada", age: 36)
/// manager.post("users", parameters: registration, success: { _, _ in print("registered") }, failure: nil)
/// ```
///
/// They follow the same rules as the variants with `AFParameters`, which a literal selects.
extension HTTPSessionManager {
    /// Sends a GET request with parameters of any type.
    @_disfavoredOverload
    @discardableResult
    public func get(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        get(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Sends a HEAD request with parameters of any type.
    @_disfavoredOverload
    @discardableResult
    public func head(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: (@Sendable (SessionTask) -> Void)?,
        failure: Failure?
    ) -> SessionTask? {
        head(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            success: success,
            failure: failure
        )
    }

    /// Sends a POST request with parameters of any type.
    @_disfavoredOverload
    @discardableResult
    public func post(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Sends a POST request with a multipart form, whose first parts are parameters of any type.
    @_disfavoredOverload
    @discardableResult
    public func post(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void,
        progress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            constructingBodyWith: build,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Sends a PUT request with parameters of any type.
    @_disfavoredOverload
    @discardableResult
    public func put(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        put(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            success: success,
            failure: failure
        )
    }

    /// Sends a PATCH request with parameters of any type.
    @_disfavoredOverload
    @discardableResult
    public func patch(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        patch(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            success: success,
            failure: failure
        )
    }

    /// Sends a DELETE request with parameters of any type.
    @_disfavoredOverload
    @discardableResult
    public func delete(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        delete(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            success: success,
            failure: failure
        )
    }

    /// Creates a task with any method and with parameters of any type.
    @_disfavoredOverload
    public func dataTask(
        withHTTPMethod method: HTTPRequest.Method,
        urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        success: Success?,
        failure: Failure?
    ) -> SessionTask? {
        dataTask(
            withHTTPMethod: method,
            urlString: urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success,
            failure: failure
        )
    }

    /// Sends a GET request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    @discardableResult
    public func get<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        get(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Sends a POST request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    @discardableResult
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Sends a POST request with a multipart form, whose first parts are parameters of any type, and with a
    /// response serializer of its own.
    @_disfavoredOverload
    @discardableResult
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void,
        progress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            constructingBodyWith: build,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Sends a PUT request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    @discardableResult
    public func put<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        put(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            success: success,
            failure: failure
        )
    }

    /// Sends a PATCH request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    @discardableResult
    public func patch<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        patch(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            success: success,
            failure: failure
        )
    }

    /// Sends a DELETE request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    @discardableResult
    public func delete<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        delete(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            success: success,
            failure: failure
        )
    }

    /// Creates a task with any method and with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    public func dataTask<Serializer: AFURLResponseSerialization>(
        withHTTPMethod method: HTTPRequest.Method,
        urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        success: TypedSuccess<Serializer.ResponseObject>?,
        failure: Failure?
    ) -> SessionTask? {
        dataTask(
            withHTTPMethod: method,
            urlString: urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success,
            failure: failure
        )
    }
}
