public import ApusCore
public import Tracing

extension SessionConfiguration {
    /// Traces the requests of a session with swift-distributed-tracing, following OpenTelemetry's conventions for HTTP
    /// clients.
    ///
    /// ```swift
    /// var configuration = Session.Configuration()
    /// configuration.trace()
    /// let session = Session(configuration: configuration)
    /// ```
    ///
    /// Each exchange, also for a redirect or a challenge, has a span of the kind `client`. Its parent is a span of the
    /// kind `internal` for the attempt, because only exchanges on the wire have client spans. Both are named after
    /// their method. They start with the exchange or the attempt, and end when the body of the response ended, failed
    /// or was released. A status of 400 or above, or a failure, marks them as errors. Secrets in URLs are redacted.
    ///
    /// The tracer's fields, such as `traceparent` and `tracestate`, are added to each exchange, after all middleware.
    /// They replace existing fields of the same name.
    ///
    /// The parent of the attempt's span is the `ServiceContext.current` of the task that makes a direct call or creates
    /// a handle, for example with `session.request`. The task that resumes or awaits a handle has no effect. Middleware
    /// and tasks that it starts see the attempt's span as `ServiceContext.current`. Completion handlers, which run on a
    /// queue, do not.
    ///
    /// Without a tracer nothing is injected. The only cost is looking for a tracer, once per request.
    ///
    /// - Parameters:
    ///   - tracer: The tracer. `nil` uses the tracer that is active for the task that makes the request: the one of
    ///     `withTracer`, or else the one that `InstrumentationSystem` was bootstrapped with. Default: `nil`.
    ///   - propagatesContext: Whether to send the trace context to an origin. Its exchanges have spans in any case. Default: all
    ///     origins.
    ///
    /// See https://opentelemetry.io/docs/specs/semconv/http/http-spans/
    public mutating func trace(
        with tracer: (any Tracer)? = nil,
        propagatingTo propagatesContext: @escaping @Sendable (Origin) -> Bool = { _ in true }
    ) {
        options[TracingMiddleware.self] = TracingMiddleware(
            prepare: { options in
                if let trace = CallTrace(tracer) { options[CallTrace.self] = trace }
            },
            outer: RequestTracingMiddleware(),
            inner: ExchangeTracingMiddleware(propagatesContext: propagatesContext)
        )
    }
}
