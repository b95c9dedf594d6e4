internal import ApusCore
internal import HTTPTypes
internal import Tracing

/// Gives each exchange a span, and sends its context to the server.
struct ExchangeTracingMiddleware: Middleware {
    let propagatesContext: @Sendable (Origin) -> Bool

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        guard let trace = request.options[CallTrace.self] else { return try await next(request, context: context) }
        var request = request
        // An exchange started by middleware in a new task may have no current span.
        let parent = ServiceContext.current ?? trace.parent
        let span = HTTPSpan(trace.tracer, of: request, kind: .client, below: parent)
        let earlierCount = context.exchangeCount
        span.setResendCount(earlierCount)
        if propagatesContext(request.target.origin) {
            trace.instrument.inject(span.context, into: &request.fields, using: FieldsInjector())
        }
        do {
            let response = try await next(request, context: context)
            let exchange = response.record.metrics
            span.setResendCount(earlierCount + exchange.resendCount)
            if let name = exchange.networkProtocol { span.setProtocol(name) }
            return span.finishing(response)
        } catch {
            span.fail(error)
            throw error
        }
    }
}

/// Writes the values of a tracer into fields. Skips values that are invalid in a field.
struct FieldsInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        try? fields.set(checking: key, value)
    }
}
