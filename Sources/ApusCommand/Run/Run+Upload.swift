internal import Apus
internal import HTTPTypes

extension Run {
    /// Sends a request as it is, or with `--resumable` as an upload that goes on after an interruption.
    func send(
        _ message: RequestMessage,
        in session: Session,
        options: RequestOptions,
        _ monitor: UploadMonitor?
    ) async throws -> ReceivedResponse {
        guard invocation.transfers.isResumable else {
            return ReceivedResponse(try await session.stream(message, options: options))
        }
        guard !message.body.isNone else {
            throw CommandFault("--resumable needs a body; add @FILE, or leave it out")
        }
        let upload = session.uploadResumably(
            message.body,
            to: message.target,
            method: message.method,
            fields: RequestFields(message.fields),
            options: options,
            policy: resumptionPolicy
        )
        let reports = upload.uploadProgress(bufferingPolicy: .bufferingNewest(1))
        let reader = Task {
            for await report in reports { monitor?.show(report) }
        }
        let outcome: Result<Response, ApusError>
        do throws(ApusError) {
            outcome = .success(try await upload.response())
        } catch {
            outcome = .failure(error)
        }
        // The reports end with the upload. The last one must not come after the line was cleared.
        await reader.value
        return ReceivedResponse(try outcome.get())
    }

    private var resumptionPolicy: ResumableUpload.Policy {
        var policy = ResumableUpload.Policy(interopVersion: invocation.transfers.draftVersion?.version ?? .v6)
        if invocation.retryLimit > 0 { policy.retryLimit = invocation.retryLimit }
        return policy
    }
}
