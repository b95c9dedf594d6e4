public import Foundation
public import HTTPTypes

/// A request's answer for those who await it.
///
/// ```swift
/// let user = try await session.request(url).validate().serializingDecodable(User.self).value
/// ```
///
/// ## Cancellation
/// Cancelling a task that awaits it cancels the request, unless `automaticallyCancelling` was `false`.
public final class DataTask<Value: Sendable>: Sendable {
    private let task: RequestTask
    // Closures, made where the type of the value is known: what is generic costs several times as much where another
    // module calls it.
    private let outcome: @Sendable () async -> DataResponse<Value>
    private let success: @Sendable () async throws(ApusError) -> Value

    init(_ task: RequestTask, _ outcome: Deferred<DataResponse<Value>>) {
        self.task = task
        self.outcome = { await outcome.value }
        self.success = { () async throws(ApusError) in try await outcome.value.result.get() }
    }

    /// What came of the request: the value or the error, and all that is known besides.
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

    /// The value, or a failure with the service's own explanation of why it refused.
    ///
    /// - Parameters:
    ///   - type: The type of the service's error answers.
    ///   - decoder: What decodes them; `JSONContentDecoder` by default.
    /// - Returns: The value.
    /// - Throws: `ServiceFailure`: `refused` where a validator refused and the content is an explanation.
    public func value<Explanation: Decodable & Sendable>(
        orThrowing type: Explanation.Type,
        decoder: any DataDecoder = JSONContentDecoder()
    ) async throws(ServiceFailure<Explanation>) -> Value {
        switch await response.result {
        case .success(let value): return value
        case .failure(let error): throw ServiceFailure<Explanation>(error, decoder: decoder)
        }
    }

    /// Gives the request up.
    public func cancel() { task.cancel(.user) }

    /// Lets the request go on.
    public func resume() { task.resume() }

    /// Holds the request back.
    public func suspend() { task.suspend() }
}

extension RequestTask {
    /// What will come of the request for those who await it; cancelling one of them cancels the request, where that is
    /// wanted.
    func outcome<Outcome: Sendable>(_ cancelsAutomatically: Bool) -> Deferred<Outcome> {
        // A task that is cancelled already starts nothing.
        if cancelsAutomatically, Task.isCancelled { cancel(.task) }
        return Deferred(cancelling: cancelsAutomatically ? self : nil)
    }
}

extension DataRequest {
    /// The answer's value, made by `serializer`, for those who await it. It starts the request.
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

    /// The answer's content, for those who await it. It starts the request.
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

    /// The answer's content as a string, for those who await it. It starts the request.
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

    /// The answer's content, decoded, for those who await it. It starts the request.
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
