internal import Foundation

/// Runs serializers on or off the event loop.
enum Serialization {
    typealias Completion = RequestTask.Completion

    /// Bodies above this many bytes are serialized off the event loop: 16 KiB.
    private static let longContent = 16 << 10

    /// Serializes a response. If the request has failed, its error is passed on without calling the serializer.
    @inline(__always)
    static func serialize<Serializer: ResponseSerializer, Body>(
        _ raw: RawResponse,
        with serializer: Serializer,
        for task: RequestTask,
        completion: @escaping @Sendable (SerializedResponse<Serializer.SerializedObject, Body>) -> Completion
    ) -> RequestTask.Serialized {
        guard task.download == nil else {
            return serializeFile(raw, with: serializer, for: task, completion: completion)
        }
        let isShort = serializer is any BuiltInSerializer && raw.data?.count ?? 0 <= longContent
        let staysOnLoop = isShort || raw.error != nil || task.core.configuration.handlerExecution == .eventLoop
        if staysOnLoop { return .now(completion(response(raw, serializer, task))) }
        return .later { await offEventLoop { completion(response(raw, serializer, task)) } }
    }

    /// Serializes a downloaded file. Always off the event loop, since reading files blocks.
    static func serializeFile<Serializer: DownloadResponseSerializer, Body>(
        _ raw: RawResponse,
        with serializer: Serializer,
        for task: RequestTask,
        completion: @escaping @Sendable (SerializedResponse<Serializer.SerializedObject, Body>) -> Completion
    ) -> RequestTask.Serialized {
        if raw.error != nil { return .now(completion(fileResponse(raw, serializer, task))) }
        return .later { await offEventLoop { completion(fileResponse(raw, serializer, task)) } }
    }

    private static func response<Serializer: ResponseSerializer, Body>(
        _ raw: RawResponse,
        _ serializer: Serializer,
        _ task: RequestTask
    ) -> SerializedResponse<Serializer.SerializedObject, Body> {
        timed(raw, task) { request, head in
            let data = try serializer.dataPreprocessor.preprocess(raw.data ?? Data())
            return try serializer.serialize(request: request, response: head.response, data: data)
        }
    }

    private static func fileResponse<Serializer: DownloadResponseSerializer, Body>(
        _ raw: RawResponse,
        _ serializer: Serializer,
        _ task: RequestTask
    ) -> SerializedResponse<Serializer.SerializedObject, Body> {
        timed(raw, task) { request, head in
            guard let file = raw.file else { throw ApusError(.downloadedFileUnreadable, "there is no file") }
            // This serializer only returns the URL, so it gets the final one.
            let fileURL = serializer is URLResponseSerializer ? file.destination : file.url
            return try serializer.serializeDownload(request: request, response: head.response, fileURL: fileURL)
        }
    }

    private static func timed<Value, Body>(
        _ raw: RawResponse,
        _ task: RequestTask,
        _ serialize: (RequestMessage, ResponseHead) throws -> Value
    ) -> SerializedResponse<Value, Body> {
        if let error = raw.error {
            return SerializedResponse(raw: raw, serializationDuration: .zero, result: .failure(error))
        }
        let context = task.context
        let begin = context.now
        let result = result(raw, serialize)
        let duration = begin.duration(to: context.now)
        context.post(.serialized(context.summary(of: raw, serializedIn: duration, failure: result.failure)))
        return SerializedResponse(raw: raw, serializationDuration: duration, result: result)
    }

    private static func result<Value>(
        _ raw: RawResponse,
        _ serialize: (RequestMessage, ResponseHead) throws -> Value
    ) -> Result<Value, ApusError> {
        guard let request = raw.request, let head = raw.head else {
            return .failure(ApusError(.emptyBody, "there was no response"))
        }
        do {
            return .success(try serialize(request, head))
        } catch {
            let failure = ApusError(wrapping: error, as: .serializerFailed)
            return .failure(
                failure.about(method: request.method, target: request.target)
                    .with(response: head.response, data: raw.data)
                    .with(exchanges: raw.metrics.course)
            )
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
