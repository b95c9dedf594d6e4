public import Foundation

/// A download's outcome for those who await it.
///
/// ```swift
/// let download = session.download("https://example.org/archive.zip", to: .temporary).validate()
/// let archive = try await download.serializingURL().value
/// try FileManager.default.removeItem(at: archive)
/// ```
///
/// ## Cancellation
/// Cancelling a task that awaits it cancels the request, unless `automaticallyCancelling` was `false`.
public final class DownloadTask<Value: Sendable>: Sendable {
    private let awaited: Awaited<DownloadResponse<Value>>

    init(request: DownloadRequest, cancelsAutomatically: Bool) {
        self.awaited = Awaited(task: request.task, cancelsAutomatically: cancelsAutomatically)
    }

    func fulfill(_ response: DownloadResponse<Value>) { awaited.fulfill(response) }

    /// What came of the download: the value or the error, and all that is known besides.
    public var response: DownloadResponse<Value> {
        get async { await awaited.value }
    }

    /// The value or the error.
    public var result: Result<Value, ApusError> {
        get async { await response.result }
    }

    /// The value.
    public var value: Value {
        get async throws(ApusError) { try await response.result.get() }
    }

    /// Gives the download up.
    public func cancel() { awaited.task.cancel(.user) }

    /// Lets the download go on.
    public func resume() { awaited.task.resume() }

    /// Holds the download back.
    public func suspend() { awaited.task.suspend() }
}

extension DownloadRequest {
    /// What `serializer` makes of the file, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - serializer: What makes the value.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingDownload<Serializer: DownloadResponseSerializer>(
        using serializer: Serializer,
        automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> {
        let outcome = DownloadTask<Serializer.SerializedObject>(
            request: self,
            cancelsAutomatically: automaticallyCancelling
        )
        append(serializer) { response in { outcome.fulfill(response) } }
        return outcome
    }

    /// Where the content is, for those who await it. It starts the request.
    public func serializingURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
        serializingDownload(using: URLResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content, for those who await it. It starts the request.
    public func serializingData(automaticallyCancelling: Bool = true) -> DownloadTask<Data> {
        serializingDownload(using: DataResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content as a string, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - encoding: The encoding; `nil` (the default) believes the answer.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingString(
        encoding: String.Encoding? = nil,
        automaticallyCancelling: Bool = true
    ) -> DownloadTask<String> {
        serializingDownload(
            using: StringResponseSerializer(encoding: encoding),
            automaticallyCancelling: automaticallyCancelling
        )
    }

    /// The file's content, decoded, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - type: What to make of it.
    ///   - decoder: What decodes; a plain `JSONDecoder` by default.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelling: Bool = true
    ) -> DownloadTask<Value> {
        serializingDownload(
            using: DecodableResponseSerializer<Value>(decoder: decoder),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}
