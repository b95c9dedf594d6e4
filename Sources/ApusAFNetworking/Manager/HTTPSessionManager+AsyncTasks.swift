public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// Tasks of requests that were made already, for those who await the answer.
///
/// ## Cancellation
/// Cancelling the task cancels the request; see `SessionTask.cancel()`.
nonisolated extension HTTPSessionManager {
    /// Sends a request and collects its answer in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: What this request sets otherwise than the session.
    ///   - serializer: What makes an object of the answer.
    ///   - uploadProgress: Told how much of the request's content was sent.
    ///   - downloadProgress: Told how much of the answer's content is here.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func data<Serializer: AFURLResponseSerialization>(
        for request: RequestMessage,
        options: RequestOptions = .none,
        serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
        let request = ManagerRequest(message: request, options: options)
        return try await answer(
            request,
            serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress
        )
    }

    /// Sends a request with a content.
    ///
    /// - Parameters:
    ///   - request: The request without its content.
    ///   - content: Makes the content when the request begins; `nil` leaves the request the one it has.
    ///   - options: What this request sets otherwise than the session.
    ///   - serializer: What makes an object of the answer.
    ///   - progress: Told how much of the content was sent.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func upload<Serializer: AFURLResponseSerialization>(
        for request: RequestMessage,
        content: (@Sendable () throws -> RequestBody)?,
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
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

    /// Sends a request whose answer goes into a file; see
    /// `downloadTask(with:options:queue:progress:destination:fileOptions:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: What this request sets otherwise than the session.
    ///   - progress: Told how much of the content is here.
    ///   - destination: Says where the file shall be; with `nil` it is one of its own in the folder for temporary files.
    ///   - fileOptions: What may be done to put the file there; nothing by default.
    /// - Returns: Where the file is, and the head.
    /// - Throws: `ApusError`.
    public func download(
        for request: RequestMessage,
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        destination: Destination? = nil,
        fileOptions: DownloadDestination.Options = []
    ) async throws(ApusError) -> (fileURL: URL, response: HTTPResponse) {
        let answer = try await awaiting { completion in
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
        guard let fileURL = answer.object else { throw .untold }
        return (fileURL, answer.response)
    }

    // MARK: What the variants share

    func answer<Serializer: AFURLResponseSerialization>(
        _ request: ManagerRequest,
        _ serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
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

    func anyAnswer<Serializer: AFURLResponseSerialization>(
        _ request: ManagerRequest,
        _ serializer: Serializer,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<any Sendable> {
        let answer = try await answer(
            request,
            serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress
        )
        return (answer.object, answer.response)
    }

    func form<Serializer: AFURLResponseSerialization>(
        _ request: ManagerRequest,
        _ serializer: Serializer,
        _ progress: ProgressBlock?
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
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
    ) async throws(ApusError) -> Answer<any Sendable> {
        let answer = try await form(request, serializer, progress)
        return (answer.object, answer.response)
    }

    /// Runs a task, and waits for what comes of it.
    private func awaiting<Object: Sendable>(
        _ make: (@escaping Completion<Object>) -> SessionTask
    ) async throws(ApusError) -> Answer<Object> {
        let outcome = Deferred<Result<Answer<Object>, ApusError>>()
        let task = make { _, response, object, error in
            if let error {
                outcome.fulfill(.failure(error))
            } else {
                outcome.fulfill(response.map { .success((object, $0)) } ?? .failure(.untold))
            }
        }
        let result = await withTaskCancellationHandler {
            // Not before: a task that is cancelled already starts nothing.
            task.resume()
            return await outcome.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}

extension ApusError {
    /// What a task of a subclass ends in that is told of neither an answer nor an error.
    fileprivate static let untold = ApusError(
        .serializerFailed,
        "the completion handler was told of neither an answer nor an error; let a task that you make tell of one"
    )
}
