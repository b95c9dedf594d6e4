extension RequestTask {
    /// What came of the attempt. Where the request was given up the reason counts, and not what the wire made of it;
    /// but for a file that is in its place already: it stays there, and so it is said to be there.
    func raw(_ outcome: AttemptOutcome<Collected>, _ reason: CancelReason?) -> RawResponse {
        let (message, metrics) = (outcome.request, context.metrics)
        if let reason, !outcome.isFile {
            let cause = outcome.result.failure
            var error = reason.error.about(method: message.method, target: message.target)
            error.contents.underlying = cause?.code == .cancelled ? cause?.underlying as? ApusError : cause
            error = error.with(response: cause?.response, data: cause?.data).with(hops: context.hops(endedBy: error))
            return RawResponse(request: message, metrics: metrics, error: error)
        }
        switch outcome.result {
        case .success(let collected):
            return RawResponse(request: message, collected: collected, metrics: metrics)
        case .failure(let error):
            return RawResponse(
                request: message,
                metrics: metrics,
                error: error.with(hops: context.hops(endedBy: error))
            )
        }
    }
}

extension AttemptOutcome<Collected> {
    /// Whether the content is in a file, in its place.
    var isFile: Bool { if case .file? = answer?.content { true } else { false } }
}
