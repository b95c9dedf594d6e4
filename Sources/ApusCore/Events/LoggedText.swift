internal import HTTPTypes

/// Composes the messages of a `LogMonitor`.
struct LoggedText: Sendable {
    private let hasHeads: Bool
    /// The maximum number of bytes shown of a body.
    let bodyBytes: Int

    init(_ detail: LogMonitor.Detail) {
        hasHeads = detail != .off && detail != .lines
        bodyBytes = if case .bodies(let count) = detail { max(0, count) } else { 0 }
    }

    /// Returns the lines of the message about an event, or `nil` if the event has none.
    func lines(of event: RequestEvent, _ request: RequestSummary) -> [String]? {
        switch event {
        case .exchangeBegan(let message, let cause): lines(of: message, cause, request)
        case .informational(let head): hasHeads ? lines(of: head, request, "") : nil
        case .redirected(let head, let next?): lines(of: head, request, ", redirected to \(next)")
        case .challenged(let head, let scheme?): lines(of: head, request, ", answered by \(scheme)")
        case .completed(let response): lines(of: response, request)
        case .serialized(let response): response.error.map { ["✗ \(request) could not be serialized", "    \($0)"] }
        case .waitingForConnectivity: ["↻ \(request) waits for a network"]
        case .retrying(let delay, let error):
            ["↻ \(request) is retried after \(delay.formatted)\(error.map { ": \($0.code.name)" } ?? "")"]
        // The reason of these failures, and a response that is neither followed nor answered, are in `completed`.
        case .creationFailed, .adaptationFailed, .redirected, .challenged: nil
        case .resumed, .suspended, .cancelled, .created, .adapted, .contentSent, .responded, .exchangeEnded, .validated,
            .destinationChosen, .contentReceived, .downloaded, .finished:
            nil
        }
    }

    private func lines(of message: RequestMessage, _ cause: ExchangeCause, _ request: RequestSummary) -> [String] {
        let body = ShownBody(message.body, message.fields, upTo: bodyBytes)
        let size = message.body.isNone ? "" : ", \(body.summary)"
        var lines = ["→ \(request.description(of: message))\(size)\(cause.reason)"]
        add(message.fields, body.text, to: &lines)
        return lines
    }

    /// Returns the lines of a response whose body is not read.
    private func lines(of head: HTTPResponse, _ request: RequestSummary, _ sequel: String) -> [String] {
        var lines = ["← \(Redaction.text("\(head.status)")), \(request)\(sequel)"]
        add(head.headerFields, nil, to: &lines)
        return lines
    }

    private func lines(of response: ResponseSummary, _ request: RequestSummary) -> [String] {
        let sign = response.error == nil ? "←" : "✗"
        let begin = response.status.map { Redaction.text("\($0)") } ?? "no response"
        let body = response.status == nil ? "" : ", \(response.bodyOutcome)"
        var lines = ["\(sign) \(begin), \(request)\(body) in \(response.duration.formatted)"]
        if let error = response.error { lines.append("    \(error)") }
        add(response.fields, response.shownBody(upTo: bodyBytes)?.text, to: &lines)
        return lines
    }

    private func add(_ fields: HTTPFields, _ text: String?, to lines: inout [String]) {
        if hasHeads { lines += RawResponse.lines(of: fields) }
        guard let text else { return }
        lines.append("")
        lines += RawResponse.indented(text)
    }
}

extension ExchangeCause {
    /// The reason for the exchange, after its request.
    fileprivate var reason: String {
        switch self {
        case .first: ""
        case .redirect: ", after a redirect"
        case .challenge: ", after a challenge"
        case .hedge: ", because the first response is late"
        case .retry: ", again"
        case .restart: ", from the beginning"
        case .segment: ", for a segment"
        }
    }
}
