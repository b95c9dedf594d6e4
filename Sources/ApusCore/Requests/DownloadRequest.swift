public import Foundation
public import HTTPTypes

/// A request whose response body is written to a file, chunk by chunk.
///
/// ```swift
/// session.download("https://example.org/archive.zip", to: .temporary)
///     .validate()
///     .downloadProgress { print($0.fractionCompleted) }
///     .responseURL { response in
///         print(response.result)
///     }
/// ```
///
/// The body is written to a temporary file beside its destination. The file is moved to the destination when it is
/// complete, every validator has accepted it and no retrier wants another attempt. A failure leaves no file but a part
/// that another download may continue, and a file that was at the destination stays.
///
/// A status outside 200 to 299 fails with `unacceptableStatus`, unless a validator of the session, of the options or of
/// the handle checks the status. The error has the body of a rejected response, up to `limits.errorBodyBytes`.
public final class DownloadRequest: SerializableRequest {
    public typealias Body = URL

    public let storage: RequestStorage

    init(task: RequestTask) {
        self.storage = RequestStorage(task: task)
    }

    /// The URL of the downloaded file. `nil` until the file is at its destination.
    public var fileURL: URL? {
        guard let file = task.raw?.file, file.isInPlace else { return nil }
        return file.destination
    }

    /// Adds a validator that runs after the file is written, and before it is moved to its destination.
    ///
    /// - Parameter validation: Receives the request, the response head and the URL of the temporary file. It may block:
    ///   it runs on the global executor unless the session is configured otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse, URL) -> ValidationResult
    ) -> Self {
        task.append(.customFile(validation))
        return self
    }

    /// Passes the URL of the downloaded file to a completion handler, without a serializer. ``SerializableRequest``
    /// describes the parameters.
    @discardableResult
    public func response(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (DownloadResponse<URL?>) -> Void
    ) -> Self {
        task.respond(on: queue, with: { $0.fileURL }, completionHandler)
        return self
    }
}

extension DownloadRequest {
    /// Serializes the downloaded file and passes the value to a completion handler.
    ///
    /// - Parameters:
    ///   - queue: The queue that `completionHandler` is called on. Default: `.main`.
    ///   - responseSerializer: The serializer that produces the value. Not called if the download failed.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializer>(
        queue: DispatchQueue = .main,
        responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        let core = task.core
        task.appendForFile(responseSerializer) { response in
            core.mainQueueWatch.deliver(on: queue) { completionHandler(response) }
        }
        return self
    }

    /// Returns a task that serializes the downloaded file. Starts the request.
    ///
    /// - Parameters:
    ///   - serializer: The serializer that produces the value.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    /// - Returns: A task whose value can be awaited any number of times.
    public func serializingDownload<Serializer: DownloadResponseSerializer>(
        using serializer: Serializer,
        automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> {
        let outcome: Deferred<DownloadResponse<Serializer.SerializedObject>> = task.outcome(automaticallyCancelling)
        task.appendForFile(serializer) { response in outcome.fulfill(response) }
        return DownloadTask(task, outcome, cancelling: automaticallyCancelling)
    }

    /// Passes the URL of the downloaded file to a completion handler. ``SerializableRequest`` describes the parameters.
    @discardableResult
    public func responseURL(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: URLResponseSerializer(), completionHandler: completionHandler)
    }

    /// Returns a task that provides the URL of the downloaded file. Starts the request.
    public func serializingURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
        serializingDownload(using: URLResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
    }
}

extension DownloadRequest: Hashable {
    /// Whether both are handles of the same request.
    public static func == (left: DownloadRequest, right: DownloadRequest) -> Bool { left.task === right.task }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(task)) }
}
