public import ApusCore
public import Tracing

extension SessionConfiguration {
    /// Has the requests of a session traced with swift-distributed-tracing, as OpenTelemetry's conventions for HTTP clients
    /// have it.
    ///
    /// ```swift
    /// var configuration = Session.Configuration()
    /// configuration.trace()
    /// let session = Session(configuration: configuration)
    /// ```
    ///
    /// Each exchange, one for a redirect or a challenge too, has a span of the kind `client`. They are below one of the
    /// kind `internal` for the attempt at the request that they are made for: what is seen on the wire is a client's span,
    /// and nothing else. Both are called by their method, begin when they begin, and end when the content of the answer has
    /// ended, failed, or was let go of. A status of 400 and more, and a failure, make them errors. URLs are shown without
    /// what is secret in them.
    ///
    /// What the tracer has to say to the server, `traceparent` and `tracestate` for example, is written into the fields of
    /// each exchange, behind all middleware; a field of that name which is there already is replaced.
    ///
    /// A span's parent is the `ServiceContext.current` of the task that asks for the request: the one that makes a direct
    /// call, or makes a handle with `session.request` or its like. Where a handle is resumed or awaited makes no difference.
    /// Middleware, and what it begins, finds the span of the attempt as `ServiceContext.current`; completion handlers, which
    /// run on a queue, find none.
    ///
    /// While there is no tracer nothing is injected, and a request costs a look for one and nothing else.
    ///
    /// - Parameters:
    ///   - tracer: What traces; `nil` (the default) is the one that is active for the task which asks for a request: that of
    ///     `withTracer`, or else the one that `InstrumentationSystem` was bootstrapped with.
    ///   - isTold: Whether an origin is told of the trace; each is by default. Its exchanges have their spans in any case.
    ///
    /// See https://opentelemetry.io/docs/specs/semconv/http/http-spans/
    public mutating func trace(
        with tracer: (any Tracer)? = nil,
        telling isTold: @escaping @Sendable (Origin) -> Bool = { _ in true }
    ) {
        options[ChainEnds.self] = ChainEnds(
            prepare: { options in
                if let trace = CallTrace(tracer) { options[CallTrace.self] = trace }
            },
            outer: RequestTracing(),
            inner: ExchangeTracing(isTold: isTold)
        )
    }
}
