internal import Apus
internal import ApusCore
internal import ApusTesting
internal import HTTPTypes
internal import InMemoryTracing
internal import Tracing

@testable internal import ApusTracing

/// A gate at which tasks wait until the test opens it.
final class Gate: Sendable {
    private let opening = Deferred<Bool>()

    func pass() async { _ = await opening.value }

    func open() { opening.fulfill(true) }
}

/// Runs synchronous work below a span.
func below<Result>(_ span: InMemorySpan, _ work: () -> Result) -> Result {
    ServiceContext.withValue(span.context, operation: work)
}

/// A middleware that creates a span.
struct SpanMiddleware: Middleware {
    let name: String
    let tracer: InMemoryTracer

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        return try await tracer.withSpan(name) { _ in try await next(request, context: context) }
    }
}

/// A middleware that records whether requests are traced.
final class TraceRecorder: Middleware {
    private let stored = Lock<[Bool]>([])

    var traces: [Bool] { stored.withLock { $0 } }

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let isTraced = request.options[CallTrace.self] != nil
        stored.withLock { $0.append(isTraced) }
        return try await next(request, context: context)
    }
}
