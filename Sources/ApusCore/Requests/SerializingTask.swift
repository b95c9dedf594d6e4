public import ApusJSON
public import Foundation

/// A request's outcome, to be awaited.
///
/// ```swift
/// let user = try await session.request(url).validate().serializingDecodable(User.self).value
/// ```
///
/// `Body` is the type of the received body, as in ``SerializedResponse``. Use the names ``DataTask`` and
/// ``DownloadTask``.
///
/// ## Cancellation
/// Cancelling a task that awaits it cancels the request, unless `automaticallyCancelling` was `false`.
public final class SerializingTask<Value: Sendable, Body>: Sendable {
    private let task: RequestTask
    // Closures avoid the cost of calling generic code across modules, which is several times as high.
    private let outcome: @Sendable (RequestTask?) async -> SerializedResponse<Value, Body>
    private let success: @Sendable (RequestTask?) async throws(ApusError) -> Value
    /// Whether cancelling an awaiting task cancels the request.
    private let isAutomatic: Bool

    init(_ task: RequestTask, _ outcome: Deferred<SerializedResponse<Value, Body>>, cancelling isAutomatic: Bool) {
        self.task = task
        self.isAutomatic = isAutomatic
        // Each captures one reference, which needs no allocation.
        self.outcome = { await outcome.value(cancelling: $0) }
        self.success = { request async throws(ApusError) in try await outcome.value(cancelling: request).result.get() }
    }

    /// The response: the value or the error, with the metadata of the exchange.
    public var response: SerializedResponse<Value, Body> {
        get async { await outcome(isAutomatic ? task : nil) }
    }

    /// The value or the error.
    public var result: Result<Value, ApusError> {
        get async { await response.result }
    }

    /// The value.
    public var value: Value {
        get async throws(ApusError) { try await success(isAutomatic ? task : nil) }
    }

    /// The value, or a failure with the service's own error description.
    ///
    /// - Parameters:
    ///   - type: The type of the service's error responses.
    ///   - decoder: The decoder for error responses. Default: `JSONContentDecoder`.
    /// - Returns: The value.
    /// - Throws: `ServiceFailure`: `refused` if a validator rejected the response and its body decodes as `type`.
    public func value<Explanation: Decodable & Sendable>(
        orThrowing type: Explanation.Type,
        decoder: any DataDecoder = JSONContentDecoder()
    ) async throws(ServiceFailure<Explanation>) -> Value {
        switch await response.result {
        case .success(let value): return value
        case .failure(let error): throw ServiceFailure<Explanation>(error, decoder: decoder)
        }
    }

    /// Cancels the request.
    public func cancel() { task.cancel(.user) }

    /// Starts or resumes the request.
    public func resume() { task.resume() }

    /// Suspends the request.
    public func suspend() { task.suspend() }
}

/// The outcome of a request whose body is collected in memory, to be awaited.
public typealias DataTask<Value: Sendable> = SerializingTask<Value, Data>

/// The outcome of a download, to be awaited.
///
/// ```swift
/// let download = session.download("https://example.org/archive.zip", to: .temporary).validate()
/// let archive = try await download.serializingURL().value
/// try FileManager.default.removeItem(at: archive)
/// ```
public typealias DownloadTask<Value: Sendable> = SerializingTask<Value, URL>
