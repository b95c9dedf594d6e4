public import Apus
public import Foundation

/// Tasks whose answers go through the manager's own response serializer. They begin when they are resumed.
nonisolated extension HTTPSessionManager {
    /// Makes a task that collects its answer in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: What this request sets otherwise than the session.
    ///   - uploadProgress: Told how much of the request's content was sent.
    ///   - downloadProgress: Told how much of the answer's content is here.
    ///   - completionHandler: Called exactly once, with what the response serializer made of the answer.
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

    /// Makes a task that sends a file.
    ///
    /// - Parameters:
    ///   - request: The request without its content.
    ///   - fileURL: The file; it is opened when the task begins, and one that can't be read is the task's error.
    ///   - options: What this request sets otherwise than the session.
    ///   - progress: Told how much of the file was sent.
    ///   - completionHandler: Called exactly once, with what the response serializer made of the answer.
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

    /// Makes a task that sends bytes.
    ///
    /// - Parameters:
    ///   - request: The request without its content.
    ///   - bodyData: The bytes.
    ///   - options: What this request sets otherwise than the session.
    ///   - progress: Told how many of them were sent.
    ///   - completionHandler: Called exactly once, with what the response serializer made of the answer.
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

    /// Makes a task that sends the content which its request has, a stream for example.
    ///
    /// - Parameters:
    ///   - request: The request with its content. What has to send it a second time, a redirect for example, needs one that
    ///     can be read again, and fails with `bodyNotReplayable` otherwise.
    ///   - options: What this request sets otherwise than the session.
    ///   - progress: Told how much of the content was sent.
    ///   - completionHandler: Called exactly once, with what the response serializer made of the answer.
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
