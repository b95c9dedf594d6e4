public import Apus
public import Foundation

/// Tasks that use the manager's response serializer. They start when they are resumed.
extension HTTPSessionManager {
    /// Creates a task that collects its response body in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Options that override the session's configuration.
    ///   - uploadProgress: Called with the upload progress of the request body.
    ///   - downloadProgress: Called with the download progress of the response body.
    ///   - completionHandler: Called exactly once, with the result of the response serializer.
    /// - Returns: The task, suspended.
    public func dataTask(
        with request: RequestMessage,
        options: RequestOptions = .none,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        completionHandler: @escaping Completion<any Sendable>
    ) -> SessionTask {
        dataTask(request, options, responseSerializer, uploadProgress, downloadProgress, completionHandler)
    }

    /// Creates a task that uploads a file.
    ///
    /// - Parameters:
    ///   - request: The request without its body.
    ///   - fileURL: The file. It is opened when the task starts. If it cannot be read, the task fails.
    ///   - options: Options that override the session's configuration.
    ///   - progress: Called with the upload progress of the file.
    ///   - completionHandler: Called exactly once, with the result of the response serializer.
    /// - Returns: The task, suspended.
    public func uploadTask(
        with request: RequestMessage,
        fromFile fileURL: URL,
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        completionHandler: @escaping Completion<any Sendable>
    ) -> SessionTask {
        uploadTask(request, options, { try .file(fileURL) }, responseSerializer, progress, completionHandler)
    }

    /// Creates a task that uploads bytes.
    ///
    /// - Parameters:
    ///   - request: The request without its body.
    ///   - bodyData: The bytes.
    ///   - options: Options that override the session's configuration.
    ///   - progress: Called with the upload progress of the bytes.
    ///   - completionHandler: Called exactly once, with the result of the response serializer.
    /// - Returns: The task, suspended.
    public func uploadTask(
        with request: RequestMessage,
        from bodyData: Data,
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        completionHandler: @escaping Completion<any Sendable>
    ) -> SessionTask {
        uploadTask(request, options, { .bytes(bodyData) }, responseSerializer, progress, completionHandler)
    }

    /// Creates a task that uploads the body of its request, such as a stream.
    ///
    /// - Parameters:
    ///   - request: The request with its body. If the body must be sent again, for example after a redirect, but can be
    ///     read only once, the task fails with `bodyNotReplayable`.
    ///   - options: Options that override the session's configuration.
    ///   - progress: Called with the upload progress of the request body.
    ///   - completionHandler: Called exactly once, with the result of the response serializer.
    /// - Returns: The task, suspended.
    public func uploadTask(
        withStreamedRequest request: RequestMessage,
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        completionHandler: @escaping Completion<any Sendable>
    ) -> SessionTask {
        uploadTask(request, options, nil, responseSerializer, progress, completionHandler)
    }

    private func dataTask<Serializer: AFURLResponseSerialization>(
        _ request: RequestMessage,
        _ options: RequestOptions,
        _ serializer: Serializer,
        _ uploadProgress: ProgressBlock?,
        _ downloadProgress: ProgressBlock?,
        _ completion: @escaping Completion<any Sendable>
    ) -> SessionTask {
        dataTask(
            with: request,
            options: options,
            serializer: serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress
        ) { completion($0, $1, $2, $3) }
    }

    private func uploadTask<Serializer: AFURLResponseSerialization>(
        _ request: RequestMessage,
        _ options: RequestOptions,
        _ content: (@Sendable () throws -> RequestBody)?,
        _ serializer: Serializer,
        _ progress: ProgressBlock?,
        _ completion: @escaping Completion<any Sendable>
    ) -> SessionTask {
        uploadTask(
            with: request,
            options: options,
            content: content,
            serializer: serializer,
            progress: progress
        ) { completion($0, $1, $2, $3) }
    }
}
