public import Foundation
public import HTTPTypes

/// A request's response, to be awaited.
///
/// ```swift
/// let user = try await session.request(url).validate().serializingDecodable(User.self).value
/// ```
///
/// ## Cancellation
/// Cancelling a task that awaits it cancels the request, unless `automaticallyCancelling` was `false`.
public final class DataTask<Value: Sendable>: Sendable {
    private let task: RequestTask
    // Closures avoid the cost of calling generic code across modules, which is several times as high.
    private let outcome: @Sendable () async -> DataResponse<Value>
    private let success: @Sendable () async throws(ApusError) -> Value

    init(_ task: RequestTask, _ outcome: Deferred<DataResponse<Value>>) {
        self.task = task
        self.outcome = { await outcome.value }
        self.success = { () async throws(ApusError) in try await outcome.value.result.get() }
    }

    /// The response: the value or the error, with the metadata of the exchange.
    public var response: DataResponse<Value> {
        get async { await outcome() }
    }

    /// The value or the error.
    public var result: Result<Value, ApusError> {
        get async { await response.result }
    }

    /// The value.
    public var value: Value {
        get async throws(ApusError) { try await success() }
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

extension RequestTask {
    /// Returns the deferred outcome of the request. Cancelling an awaiting task cancels the request if
    /// `cancelsAutomatically` is `true`.
    func outcome<Outcome: Sendable>(_ cancelsAutomatically: Bool) -> Deferred<Outcome> {
        // A task that is already cancelled must not start the request.
        if cancelsAutomatically, Task.isCancelled { cancel(.task) }
        return Deferred(cancelling: cancelsAutomatically ? self : nil)
    }
}

extension DataRequest {
    /// Returns a task that serializes the response. Starts the request.
    ///
    /// - Parameters:
    ///   - serializer: The serializer that produces the value.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    /// - Returns: A task whose value can be awaited any number of times.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.SerializedObject> {
        let task = task
        let outcome: Deferred<DataResponse<Serializer.SerializedObject>> = task.outcome(automaticallyCancelling)
        task.append { raw in
            Serialization.serialize(raw, with: serializer, for: task) { response in
                RequestTask.Completion(failure: response.result.failure) { outcome.fulfill(response) }
            }
        }
        return DataTask(task, outcome)
    }

    /// Returns a task that collects the response body. Starts the request.
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
    ) -> DataTask<Data> {
        serializingResponse(
            using: DataResponseSerializer(
                dataPreprocessor: dataPreprocessor,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            automaticallyCancelling: automaticallyCancelling
        )
    }

    /// Returns a task that decodes the response body as a string. Starts the request.
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
    ) -> DataTask<String> {
        serializingResponse(
            using: StringResponseSerializer(
                dataPreprocessor: dataPreprocessor,
                encoding: encoding,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            automaticallyCancelling: automaticallyCancelling
        )
    }

    /// Returns a task that decodes the response body as a `Decodable` type. Starts the request.
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
    ) -> DataTask<Value> {
        serializingResponse(
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
