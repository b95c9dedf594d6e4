internal import Foundation

/// Runs serializers on or off the event loop.
enum Serialization {
    /// Bodies above this many bytes are serialized off the event loop: 16 KiB.
    private static let longContent = 16 << 10

    /// Serializes a response. If the request has failed, its error is passed on without calling the serializer.
    @inline(__always)
    static func serialize<Serializer: ResponseSerializer>(
        _ raw: RawResponse,
        with serializer: Serializer,
        for task: RequestTask,
        completion: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> RequestTask.Completion
    ) -> RequestTask.Serialized {
        let isShort = serializer is any BuiltInSerializer && raw.data?.count ?? 0 <= longContent
        let staysOnLoop = isShort || raw.error != nil || task.core.configuration.handlerExecution == .eventLoop
        if staysOnLoop { return .now(completion(response(raw, serializer, task))) }
        return .later { await offEventLoop { completion(response(raw, serializer, task)) } }
    }

    /// Serializes a downloaded file. Always off the event loop, since reading files blocks.
    @inline(__always)
    static func serialize<Serializer: DownloadResponseSerializer>(
        _ raw: RawResponse,
        with serializer: Serializer,
        for task: RequestTask,
        completion: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> RequestTask.Completion
    ) -> RequestTask.Serialized {
        if raw.error != nil { return .now(completion(downloadResponse(raw, serializer, task))) }
        return .later { await offEventLoop { completion(downloadResponse(raw, serializer, task)) } }
    }

    private static func response<Serializer: ResponseSerializer>(
        _ raw: RawResponse,
        _ serializer: Serializer,
        _ task: RequestTask
    ) -> DataResponse<Serializer.SerializedObject> {
        let (duration, result) = timed(raw, task) { request, head in
            let data = try serializer.dataPreprocessor.preprocess(raw.data ?? Data())
            return try serializer.serialize(request: request, response: head.response, data: data)
        }
        return DataResponse(raw: raw, serializationDuration: duration, result: result)
    }

    private static func downloadResponse<Serializer: DownloadResponseSerializer>(
        _ raw: RawResponse,
        _ serializer: Serializer,
        _ task: RequestTask
    ) -> DownloadResponse<Serializer.SerializedObject> {
        let (duration, result) = timed(raw, task) { request, head in
            guard let file = raw.file else { throw ApusError(.downloadedFileUnreadable, "there is no file") }
            // This serializer only returns the URL, so it gets the final one.
            let fileURL = serializer is URLResponseSerializer ? file.destination : file.url
            return try serializer.serializeDownload(request: request, response: head.response, fileURL: fileURL)
        }
        return DownloadResponse(raw: raw, serializationDuration: duration, result: result)
    }

    private static func timed<Value>(
        _ raw: RawResponse,
        _ task: RequestTask,
        _ serialize: (RequestMessage, ResponseHead) throws -> Value
    ) -> (Duration, Result<Value, ApusError>) {
        if let error = raw.error { return (.zero, .failure(error)) }
        let time = task.context.time
        let begin = time.now
        let result = Self.result(raw, serialize)
        let duration = begin.duration(to: time.now)
        task.context.post(.serialized(duration, result.failure))
        return (duration, result)
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
