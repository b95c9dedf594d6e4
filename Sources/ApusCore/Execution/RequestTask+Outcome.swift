internal import HTTPTypes

extension RequestTask {
    /// Returns the raw response of the attempts. If the request was cancelled, the cancel reason replaces their result.
    func raw(_ outcome: AttemptOutcome<CollectedResponse>, _ reason: CancelReason?) -> RawResponse {
        let (message, metrics) = (outcome.request, context.metrics)
        if let reason {
            let cause = outcome.result.failure
            var error = reason.error.about(method: message.method, target: message.target)
            // If the attempts were cancelled too, their own error repeats the reason, and its cause is the earlier
            // failure.
            error.contents.underlying = cause?.phase == .cancelled ? cause?.underlying as? ApusError : cause
            error = error.with(response: cause?.response, data: cause?.data).with(
                exchanges: context.exchanges(endedBy: error)
            )
            return RawResponse(request: message, metrics: metrics, error: error)
        }
        switch outcome.result {
        case .success(let collected):
            return RawResponse(request: message, collected: collected, metrics: metrics)
        case .failure(let error):
            return RawResponse(
                request: message,
                metrics: metrics,
                error: error.with(exchanges: context.exchanges(endedBy: error))
            )
        }
    }

    /// Returns the raw response of a request that ends without the result of an attempt.
    func failure(_ error: ApusError) -> RawResponse {
        let sent = context.sent
        guard let message = sent ?? source.message else {
            return RawResponse(request: nil, metrics: context.metrics, error: error)
        }
        return RawResponse(request: sent, metrics: context.metrics, error: context.described(error, of: message))
    }

    /// Moves a downloaded file to its destination, after the retriers have decided. If the request failed, or was
    /// cancelled before, removes the file or keeps it for another download instead.
    func placing(
        _ outcome: AttemptOutcome<CollectedResponse>,
        _ reason: CancelReason?
    ) async -> AttemptOutcome<CollectedResponse> {
        guard let collected = outcome.output, case .file(let file) = collected.content else {
            await download?.settle()
            return outcome
        }
        guard reason == nil else {
            await download?.settle(file.part)
            return outcome
        }
        var outcome = outcome
        do throws(ApusError) {
            let placed = try await file.placed()
            context.post(.downloaded(placed.destination))
            outcome.result = .success(collected.with(content: .file(placed)))
        } catch {
            await download?.settle(file.part)
            let (method, target) = (outcome.request.method, outcome.request.target)
            outcome.result = .failure(
                error.about(method: method, target: target).with(response: collected.head.response)
            )
        }
        return outcome
    }
}
