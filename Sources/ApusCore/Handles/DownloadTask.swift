public import Foundation
public import HTTPTypes

/// A download's outcome, to be awaited.
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

    /// The response of the download: the value or the error, with the metadata of the exchange.
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

    /// Cancels the download.
    public func cancel() { task.cancel(.user) }

    /// Starts or resumes the download.
    public func resume() { task.resume() }

    /// Suspends the download.
    public func suspend() { task.suspend() }
}

extension DownloadRequest {
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
        append(serializer) { response in outcome.fulfill(response) }
        return DownloadTask(task, outcome)
    }

    /// Returns a task that provides the URL of the downloaded file. Starts the request.
    public func serializingURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
        serializingDownload(using: URLResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
    }

    /// Returns a task that reads the downloaded file into memory. Starts the request.
    ///
    /// - Parameters:
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`.
    ///   - emptyResponseCodes: The status codes that allow an empty body. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may have an empty body. Default: HEAD.
    /// - Returns: A task whose value can be awaited any number of times.
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

    /// Returns a task that decodes the downloaded file as a string. Starts the request.
    ///
    /// - Parameters:
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`.
    ///   - encoding: The string encoding, or `nil` to detect it from the response. Default: `nil`.
    ///   - emptyResponseCodes: The status codes that allow an empty body. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may have an empty body. Default: HEAD.
    /// - Returns: A task whose value can be awaited any number of times.
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

    /// Returns a task that decodes the downloaded file as a `Decodable` type. Starts the request.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`.
    ///   - decoder: The decoder. Default: `JSONContentDecoder`.
    ///   - emptyResponseCodes: The status codes that allow an empty body. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may have an empty body. Default: HEAD.
    /// - Returns: A task whose value can be awaited any number of times.
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
