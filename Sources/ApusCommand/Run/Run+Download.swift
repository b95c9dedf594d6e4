internal import Apus
internal import HTTPTypes

extension Run {
    /// Opens the part that `--continue` goes on with. Returns `nil` without the flag.
    func continuation(of plan: RequestPlan) async throws(CommandFault) -> Continuation? {
        guard invocation.continues else { return nil }
        return try await Continuation.open(invocation.download, plan, files: console.files)
    }

    /// Sends the request, or one for the rest of the part.
    ///
    /// If the response to the latter can't be used, the request is sent again as it is.
    func answer(
        to message: RequestMessage,
        _ continuation: Continuation?,
        send: (RequestMessage) async throws -> ReceivedResponse
    ) async throws -> Answer {
        guard let continuation, continuation.requestsRest else {
            return Answer(response: try await send(message), part: continuation?.part)
        }
        let response = try await send(continuation.prepared(message))
        let verdict = continuation.verdict(on: response)
        guard verdict == .restarts else {
            return Answer(response: response, part: continuation.part, verdict: verdict)
        }
        response.body.discard()
        return Answer(response: try await send(message), part: continuation.part)
    }

    /// Saves the body of a response that is not refused.
    func save(_ answer: Answer, of plan: RequestPlan, isCoded: Bool) async throws {
        guard let destination = invocation.download else { return }
        if answer.verdict == .unrelated {
            answer.response.body.discard()
            throw CommandFault(
                """
                \(answer.response.target) returned \(answer.response.status.code), which is not the rest of the file; \
                nothing was saved
                """
            )
        }
        let download = Download(
            destination: destination,
            console: console,
            isQuiet: invocation.isQuiet,
            timeout: invocation.timeout,
            checksum: invocation.checksum?.digest,
            method: plan.method,
            target: plan.target,
            isCoded: isCoded
        )
        try await download.save(answer.response, in: answer.part, answer.verdict)
    }
}
