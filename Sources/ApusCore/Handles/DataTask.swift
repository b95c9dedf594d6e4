public import Foundation

/// A request's answer for those who await it.
///
/// ```swift
/// let user = try await session.request(url).validate().serializingDecodable(User.self).value
/// ```
///
/// ## Cancellation
/// Cancelling a task that awaits it cancels the request, unless `automaticallyCancelling` was `false`.
public final class DataTask<Value: Sendable>: Sendable {
    private let request: DataRequest
    private let cancelsAutomatically: Bool
    private let outcome = Deferred<DataResponse<Value>>()

    init(request: DataRequest, cancelsAutomatically: Bool) {
        self.request = request
        self.cancelsAutomatically = cancelsAutomatically
    }

    func fulfill(_ response: DataResponse<Value>) {
        outcome.fulfill(response)
    }

    /// What came of the request: the value or the error, and all that is known besides.
    public var response: DataResponse<Value> {
        get async {
            guard cancelsAutomatically else { return await outcome.value }
            return await withTaskCancellationHandler {
                await outcome.value
            } onCancel: {
                request.task.cancel(.task)
            }
        }
    }

    /// The value or the error.
    public var result: Result<Value, ApusError> {
        get async { await response.result }
    }

    /// The value.
    public var value: Value {
        get async throws(ApusError) { try await response.result.get() }
    }

    /// Gives the request up.
    public func cancel() { request.cancel() }

    /// Lets the request go on.
    public func resume() { request.resume() }

    /// Holds the request back.
    public func suspend() { request.suspend() }
}

extension DataRequest {
    /// The answer's value, made by `serializer`, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - serializer: What makes the value.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.SerializedObject> {
        let outcome = DataTask<Serializer.SerializedObject>(
            request: self,
            cancelsAutomatically: automaticallyCancelling
        )
        let task = task
        // A task that is cancelled already starts nothing.
        if automaticallyCancelling, Task.isCancelled { task.cancel(.task) }
        task.append { raw in
            let response = await Serialization.serialize(raw, with: serializer, for: task)
            return { outcome.fulfill(response) }
        }
        return outcome
    }

    /// The answer's content, for those who await it. It starts the request.
    public func serializingData(automaticallyCancelling: Bool = true) -> DataTask<Data> {
        serializingResponse(using: DataResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
    }

    /// The answer's content as a string, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - encoding: The encoding; `nil` (the default) believes the answer.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingString(
        encoding: String.Encoding? = nil,
        automaticallyCancelling: Bool = true
    ) -> DataTask<String> {
        serializingResponse(
            using: StringResponseSerializer(encoding: encoding),
            automaticallyCancelling: automaticallyCancelling
        )
    }

    /// The answer's content, decoded, for those who await it. It starts the request.
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
    ) -> DataTask<Value> {
        serializingResponse(
            using: DecodableResponseSerializer<Value>(decoder: decoder),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}
