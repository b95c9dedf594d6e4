public import Foundation
public import HTTPTypes

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
    private let task: RequestTask
    private let outcome: Deferred<DownloadResponse<Value>>

    init(_ task: RequestTask, _ outcome: Deferred<DownloadResponse<Value>>) {
        self.task = task
        self.outcome = outcome
    }

    /// What came of the download: the value or the error, and all that is known besides.
    public var response: DownloadResponse<Value> {
        get async { await outcome.value }
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
    public func cancel() { task.cancel(.user) }

    /// Lets the download go on.
    public func resume() { task.resume() }

    /// Holds the download back.
    public func suspend() { task.suspend() }
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
        let outcome: Deferred<DownloadResponse<Serializer.SerializedObject>> = task.outcome(automaticallyCancelling)
        append(serializer) { response in outcome.fulfill(response) }
        return DownloadTask(task, outcome)
    }

    /// Where the content is, for those who await it. It starts the request.
    public func serializingURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
        serializingDownload(using: URLResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    /// - Returns: What can be awaited, any number of times.
    public func serializingData(
        automaticallyCancelling: Bool = true,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) -> DownloadTask<Data> {
        serializingDownload(
            using: DataResponseSerializer(
                dataPreprocessor: dataPreprocessor,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            automaticallyCancelling: automaticallyCancelling
        )
    }

    /// The file's content as a string, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - encoding: The encoding; `nil` (the default) believes the answer.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    /// - Returns: What can be awaited, any number of times.
    public func serializingString(
        automaticallyCancelling: Bool = true,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) -> DownloadTask<String> {
        serializingDownload(
            using: StringResponseSerializer(
                dataPreprocessor: dataPreprocessor,
                encoding: encoding,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            automaticallyCancelling: automaticallyCancelling
        )
    }

    /// The file's content, decoded, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - type: What to make of it.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - decoder: What decodes; `JSONContentDecoder` by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    /// - Returns: What can be awaited, any number of times.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        automaticallyCancelling: Bool = true,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: any DataDecoder = JSONContentDecoder(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) -> DownloadTask<Value> {
        serializingDownload(
            using: DecodableResponseSerializer<Value>(
                dataPreprocessor: dataPreprocessor,
                decoder: decoder,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}
