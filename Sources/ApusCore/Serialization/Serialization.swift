internal import Foundation

/// Runs serializers where they belong.
enum Serialization {
    /// Contents above this many bytes are decoded off the loop: 16 KiB.
    private static let longContent = 16 << 10

    /// What a serializer makes of an answer; an error from before is handed on without asking it.
    static func serialize<Serializer: ResponseSerializer>(
        _ raw: RawResponse,
        with serializer: Serializer,
        for task: RequestTask
    ) async -> DataResponse<Serializer.SerializedObject> {
        if let error = raw.error {
            return DataResponse(raw: raw, serializationDuration: .zero, result: .failure(error))
        }
        let time = task.context.time
        let begin = time.now
        let isShort = serializer is any BuiltInSerializer && raw.data?.count ?? 0 <= longContent
        let staysOnLoop = isShort || task.core.configuration.userCode == .onLoop
        let result = staysOnLoop ? run(serializer, raw) : await offLoop { run(serializer, raw) }
        let duration = begin.duration(to: time.now)
        task.context.post(.serialized(duration, result.failure))
        return DataResponse(raw: raw, serializationDuration: duration, result: result)
    }

    private static func run<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ raw: RawResponse
    ) -> Result<Serializer.SerializedObject, ApusError> {
        guard let request = raw.request, let head = raw.head, let data = raw.data else {
            return .failure(ApusError(.emptyBody, "there was no answer"))
        }
        do {
            return .success(try serializer.serialize(request: request, response: head.response, data: data))
        } catch {
            let failure = ApusError.wrapping(error) {
                ApusError(.serializerFailed, Redaction.text(String(describing: $0)), underlying: $0)
            }
            return .failure(
                failure.about(method: request.method, target: request.target)
                    .with(response: head.response, data: data)
                    .with(hops: raw.metrics.hops)
            )
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
