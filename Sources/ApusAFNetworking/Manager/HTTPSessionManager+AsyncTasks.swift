public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// Async variants of tasks for existing requests.
///
/// ## Cancellation
/// Cancelling the task cancels the request. See `SessionTask.cancel()`.
extension HTTPSessionManager {
    /// Sends a request and collects its response body in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Options that override the session's configuration.
    ///   - serializer: The response serializer.
    ///   - uploadProgress: Called with the upload progress of the request body.
    ///   - downloadProgress: Called with the download progress of the response body.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func data<Serializer: AFURLResponseSerialization>(
        for request: RequestMessage,
        options: RequestOptions = .none,
        serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let request = ManagerRequest(message: request, options: options)
        return try await perform(
            request,
            serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress
        )
    }

    /// Sends a request with a body.
    ///
    /// - Parameters:
    ///   - request: The request without its body.
    ///   - content: Creates the body when the request starts. `nil` keeps the body of the request.
    ///   - options: Options that override the session's configuration.
    ///   - serializer: The response serializer.
    ///   - progress: Called with the upload progress of the request body.
    /// - Returns: The object and the response head.
    /// - Throws: `ApusError`.
    public func upload<Serializer: AFURLResponseSerialization>(
        for request: RequestMessage,
        content: (@Sendable () throws -> RequestBody)?,
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await awaiting { completion in
            uploadTask(
                with: request,
                options: options,
                content: content,
                serializer: serializer,
                queue: core.queue,
                progress: progress,
                completionHandler: completion
            )
        }
    }

    /// Sends a request and saves its response body in a file. See
    /// `downloadTask(with:options:queue:progress:destination:fileOptions:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Options that override the session's configuration.
    ///   - progress: Called with the download progress of the response body.
    ///   - destination: Returns the file's destination. `nil` means a unique file in the temporary folder (default).
    ///   - fileOptions: The options for moving the file to its destination. Default: none.
    /// - Returns: The location of the file, and the response head.
    /// - Throws: `ApusError`.
    public func download(
        for request: RequestMessage,
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        destination: Destination? = nil,
        fileOptions: DownloadDestination.Options = []
    ) async throws(ApusError) -> (fileURL: URL, response: HTTPResponse) {
        let result = try await awaiting { completion in
            downloadTask(
                with: request,
                options: options,
                queue: core.queue,
                progress: progress,
                destination: destination,
                fileOptions: fileOptions,
                completionHandler: completion
            )
        }
        guard let fileURL = result.object else { throw .noCompletion }
        return (fileURL, result.response)
    }

    // MARK: Shared implementation

    func perform<Serializer: AFURLResponseSerialization>(
        _ request: ManagerRequest,
        _ serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await awaiting { completion in
            dataTask(
                with: request.message,
                options: request.options,
                serializer: serializer,
                queue: core.queue,
                uploadProgress: uploadProgress,
                downloadProgress: downloadProgress,
                completionHandler: completion
            )
        }
    }

    func performAny<Serializer: AFURLResponseSerialization>(
        _ request: ManagerRequest,
        _ serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let result = try await perform(
            request,
            serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress
        )
        return (result.object, result.response)
    }

    func form<Serializer: AFURLResponseSerialization>(
        _ request: ManagerRequest,
        _ serializer: Serializer,
        _ progress: ProgressBlock?
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        let (message, options) = (request.message, request.options)
        return try await upload(
            for: message,
            content: nil,
            options: options,
            serializer: serializer,
            progress: progress
        )
    }

    func anyForm<Serializer: AFURLResponseSerialization>(
        _ request: ManagerRequest,
        _ serializer: Serializer,
        _ progress: ProgressBlock?
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        let result = try await form(request, serializer, progress)
        return (result.object, result.response)
    }

    /// Runs a task and waits for its completion handler.
    private func awaiting<Object: Sendable>(
        _ make: (@escaping Completion<Object>) -> SessionTask
    ) async throws(ApusError) -> ObjectResponse<Object> {
        let outcome = Deferred<Result<ObjectResponse<Object>, ApusError>>()
        let task = make { _, response, object, error in
            if let error {
                outcome.fulfill(.failure(error))
            } else {
                outcome.fulfill(response.map { .success((object, $0)) } ?? .failure(.noCompletion))
            }
        }
        let result = await withTaskCancellationHandler {
            // Resume only here, because a task that is already cancelled must not start.
            task.resume()
            return await outcome.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}

extension ApusError {
    /// The error if a subclass's task calls its completion handler with neither a response nor an error.
    fileprivate static let noCompletion = ApusError(
        .serializerFailed,
        "the completion handler was called with neither a response nor an error; pass it one of them"
    )
}
