internal import Dispatch

/// Adds the serializers of handles. Generic over the serializer and the body only, not over the handle, since these
/// functions are called from other modules.
extension RequestTask {
    /// Serializes the response and calls a completion handler on a queue.
    func respond<Serializer: ResponseSerializer, Body>(
        on queue: DispatchQueue,
        with serializer: Serializer,
        _ handler: @escaping @Sendable (SerializedResponse<Serializer.SerializedObject, Body>) -> Void
    ) {
        append { [core] raw, task in
            Serialization.serialize(raw, with: serializer, for: task) { response in
                Completion(failure: response.result.failure) {
                    core.mainQueueWatch.deliver(on: queue) { handler(response) }
                }
            }
        }
    }

    /// Calls a completion handler on a queue, without a serializer.
    func respond<Value, Body>(
        on queue: DispatchQueue,
        with value: @escaping @Sendable (RawResponse) -> Value?,
        _ handler: @escaping @Sendable (SerializedResponse<Value?, Body>) -> Void
    ) {
        append { [core] raw, _ in
            let result = raw.error.map(Result<Value?, ApusError>.failure) ?? .success(value(raw))
            let response = SerializedResponse<Value?, Body>(raw: raw, serializationDuration: .zero, result: result)
            let completion = Completion(failure: nil) {
                core.mainQueueWatch.deliver(on: queue) { handler(response) }
            }
            return .now(completion)
        }
    }

    /// Returns a task that serializes the response. Starts the request.
    func serializing<Serializer: ResponseSerializer, Body>(
        with serializer: Serializer,
        automaticallyCancelling: Bool
    ) -> SerializingTask<Serializer.SerializedObject, Body> {
        let outcome: Deferred<SerializedResponse<Serializer.SerializedObject, Body>> = outcome(automaticallyCancelling)
        append { raw, task in
            Serialization.serialize(raw, with: serializer, for: task) { response in
                Completion(failure: response.result.failure) { outcome.fulfill(response) }
            }
        }
        return SerializingTask(self, outcome, cancelling: automaticallyCancelling)
    }

    /// Serializes the downloaded file and passes the response on.
    func appendForFile<Serializer: DownloadResponseSerializer>(
        _ serializer: Serializer,
        _ deliver: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) {
        append { raw, task in
            Serialization.serializeFile(raw, with: serializer, for: task) { response in
                Completion(failure: response.result.failure) { deliver(response) }
            }
        }
    }

    /// Returns a new deferred outcome of the request.
    func outcome<Outcome: Sendable>(_ cancelsAutomatically: Bool) -> Deferred<Outcome> {
        // A task that is already cancelled must not start the request.
        if cancelsAutomatically, Task.isCancelled { cancel(.task) }
        return Deferred()
    }
}
