internal import Foundation
internal import HTTPTypes

/// The call of a handle.
extension RequestTask: Call {
    var handle: RequestTask? { self }

    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> CollectedResponse {
        guard let download else { return try await nextAttempt(for: request.options).run(request, because: cause) }
        return try await attempt(request, into: download, because: cause)
    }

    /// A separate function, so that other requests have a small frame.
    @inline(never)
    private func attempt(
        _ request: RequestMessage,
        into download: PartialDownload,
        because cause: ExchangeCause
    ) async throws(ApusError) -> CollectedResponse {
        try await nextAttempt(for: request.options).run(request, into: download, because: cause)
    }

    func requestAttempt(at request: RequestMessage, _ output: CollectedResponse) -> RequestAttempt {
        let (data, fileURL): (Data?, URL?) =
            switch output.content {
            case .memory(let data): (data, nil)
            case .file(let file): (nil, file.url)
            }
        return RequestAttempt(request: request, head: output.head, data: data, fileURL: fileURL, context: context)
    }

    func process(_ output: CollectedResponse, of request: RequestMessage) async -> ProcessingResult {
        await process(RawResponse(request: request, collected: output, metrics: context.metrics))
    }

    func status(of output: CollectedResponse) -> HTTPResponse.Status { output.head.status }
}
