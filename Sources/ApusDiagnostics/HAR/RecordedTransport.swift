package import ApusCore

/// A transport that records its exchanges as they are on the wire: the heads, the beginnings of the bodies while they
/// are read, and the measurements.
package final class RecordedTransport: EventLoopTransport {
    private let base: any Transport
    private let eventLoopBase: (any EventLoopTransport)?
    private let recorder: HARRecorder

    package init(_ base: some Transport, recorder: HARRecorder) {
        self.base = base
        self.eventLoopBase = base as? any EventLoopTransport
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

    package func guestExecutor(for origin: Origin) -> (any TaskExecutor)? {
        eventLoopBase?.guestExecutor(for: origin) ?? base.executor(for: origin)
    }

    package func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void) {
        if let eventLoopBase { eventLoopBase.wake(for: origin, work) } else { work() }
    }

    package func prepare(_ origin: Origin, count: Int) async throws(ApusError) -> Int {
        try await eventLoopBase?.prepare(origin, count: count) ?? 0
    }

    package var capabilities: TransportCapabilities { base.capabilities }

    package func close(gracefully: Bool) async { await base.close(gracefully: gracefully) }
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
