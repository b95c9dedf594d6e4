internal import ApusCore
internal import HTTPTypes
internal import Tracing

/// A span with the attributes of OpenTelemetry's conventions for HTTP.
struct HTTPSpan: Sendable {
    private let span: any Span

    /// Starts a span.
    init(_ tracer: any Tracer, of request: borrowing RequestMessage, kind: SpanKind, below parent: ServiceContext) {
        let method = request.method.rawValue
        let isKnown = Self.methods.contains(method)
        span = tracer.startSpan(isKnown ? method : "HTTP", context: parent, ofKind: kind)
        guard span.isRecording else { return }
        let target = request.target
        span.updateAttributes { attributes in
            attributes["http.request.method"] = isKnown ? method : "_OTHER"
            if !isKnown { attributes["http.request.method_original"] = method }
            attributes["url.full"] = target.description
            attributes["server.address"] = target.origin.host
            attributes["server.port"] = target.origin.port
        }
    }

    private static let methods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The context for child spans.
    var context: ServiceContext { span.context }

    /// Sets the number of earlier exchanges of the request.
    func setResendCount(_ count: Int) {
        guard count > 0, span.isRecording else { return }
        span.updateAttributes { $0["http.request.resend_count"] = count }
    }

    /// Sets the protocol version from its ALPN name: `http/1.1`, `h2`.
    func setProtocol(_ name: String) {
        guard span.isRecording else { return }
        let version = name.hasPrefix("http/") ? name.dropFirst(5) : name.hasPrefix("h") ? name.dropFirst() : name[...]
        span.updateAttributes { $0["network.protocol.version"] = String(version) }
    }

    /// Records the response's head. Ends the span with the body, or at once if the body is complete.
    func finishing(_ response: ResponseMessage) -> ResponseMessage {
        let code = response.status.code
        if span.isRecording {
            span.updateAttributes { attributes in
                attributes["http.response.status_code"] = code
                if code >= 400 { attributes["error.type"] = String(code) }
            }
        }
        if code >= 400 { span.setStatus(SpanStatus(code: .error)) }
        var response = response
        response.body = response.body.observed(onEnd: { ending in
            if case .failed(let error) = ending { fail(error) } else { end() }
        })
        return response
    }

    /// Ends the span without a failure.
    func end() { span.end() }

    /// Ends the span with a failure.
    func fail(_ error: any Error) {
        let failure = ApusError.wrapping(error) { ApusError(.middlewareFailed, "a middleware threw", underlying: $0) }
        if span.isRecording {
            span.updateAttributes { $0["error.type"] = failure.code.name }
            span.recordError(failure)
        }
        span.setStatus(SpanStatus(code: .error))
        span.end()
    }
}
