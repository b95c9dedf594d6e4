internal import ApusCore
internal import Tracing

/// Gives each attempt of a request a span, and makes it the current span of the whole chain.
struct RequestTracingMiddleware: Middleware {
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        guard let trace = request.options[CallTrace.self] else { return try await next(request, context: context) }
        let request = request
        let span = HTTPSpan(trace.tracer, of: request, kind: .internal, below: trace.parent)
        do {
            let response = try await ServiceContext.withValue(span.context) {
                try await next(request, context: context)
            }
            return span.finishing(response)
        } catch {
            span.fail(error)
            throw error
        }
    }
}
