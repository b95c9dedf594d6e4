/// A transport that records its exchanges as they are on the wire: the heads, the beginnings of the bodies while they
/// are read, and the measurements.
package struct RecordedTransport: Transport {
    private let base: any Transport
    private let recorder: HARRecorder

    package init(_ base: some Transport, recorder: HARRecorder) {
        self.base = base
        self.recorder = recorder
    }

    package func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        let recording = recorder.begin(request, context, record)
        request.body = recording.watching(request.body)
        return recording.watching(try await base.send(request, context: context, record: record))
    }

    package func executor(for origin: Origin) -> (any TaskExecutor)? { base.executor(for: origin) }

    package func guestExecutor(for origin: Origin) -> (any TaskExecutor)? { base.guestExecutor(for: origin) }

    package func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void) { base.wake(for: origin, work) }

    package var capabilities: TransportCapabilities { base.capabilities }

    package func close(gracefully: Bool) async { await base.close(gracefully: gracefully) }

    package var liveCounts: [String: Int] { base.liveCounts }
}

/// Records coded bodies after they were decoded.
package struct RecordedDecodingMiddleware: Middleware {
    private let recorder: HARRecorder

    package init(_ recorder: HARRecorder) {
        self.recorder = recorder
    }

    package func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let response = try await next(request, context: context)
        return recorder.recording(of: response.record)?.watchingDecoded(response) ?? response
    }
}
