package import ApusCore
internal import Foundation
internal import HTTPTypes

/// Uploads: plain ones are one request, which begins anew each time. Resumable ones are continued from their state.
extension SessionTransferPerformer {
    package func upload(
        _ transfer: Transfer,
        resumingWith state: ResumableUpload.State?,
        keeping: @escaping @Sendable (ResumableUpload.State?) async throws(ApusError) -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(ApusError) -> TransferResponse {
        guard let upload = transfer.upload else {
            throw ApusError(.invalidRequest, "the transfer \(transfer.id) is no upload")
        }
        var options = try transfer.options
        // One more byte shows that there are more.
        options[KeptBeginning.self] = KeptBeginning(byteCount: QueueLimits.responseBytes + 1)
        // The retry policy of a session must not repeat it either.
        if !transfer.mayBeginAnew { options[ManagedTransfer.self] = ManagedTransfer() }
        let body = try await Self.blocking { () throws(ApusError) in try upload.body(of: transfer.destination) }
        do throws(ApusError) {
            let response: Response
            if let version = upload.resumption {
                let course = UploadCourse(
                    transfer: transfer,
                    method: upload.method,
                    body: body,
                    options: options,
                    policy: ResumableUpload.Policy(beginsAnew: upload.beginsAnew, interopVersion: version),
                    keeping: keeping,
                    progress: progress
                )
                response = try await self.response(of: course, resumingWith: state)
            } else {
                response = try await self.response(to: transfer, upload.method, body, options, progress)
            }
            let accepted = try response.validate()
            return TransferResponse(status: accepted.statusCode, body: accepted.data)
        } catch {
            // The upload has succeeded, but its response is too long for the session.
            guard error.code == .bodyTooLarge, let status = error.responseCode, (200..<300).contains(status) else {
                throw error
            }
            return TransferResponse(status: status, body: error.data ?? Data(), isTruncated: true)
        }
    }

    package func withdraw(_ transfer: Transfer, _ state: ResumableUpload.State) async {
        guard var options = try? transfer.options else { return }
        // A server that does not answer must not hold up the run.
        let limit = session.configuration.timeouts.request ?? QueueLimits.withdrawalTime
        options[RequestDeadline.self] = RequestDeadline(min(limit, QueueLimits.withdrawalTime))
        let upload = session.uploadResumably(
            resumingWith: state.withUser(of: transfer),
            // Nothing of the file is sent, so it may be gone, or another one.
            body: RequestBody.replayable(length: state.length) { AsyncStream<BodyChunk> { $0.finish() } },
            fields: RequestFields(transfer.fields),
            options: options
        )
        upload.cancel(discarding: true)
        _ = try? await upload.response()
    }

    // MARK: Plain uploads

    private func response(
        to transfer: Transfer,
        _ method: HTTPRequest.Method,
        _ body: RequestBody,
        _ options: RequestOptions,
        _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(ApusError) -> Response {
        let request = try session.transferRequest(
            transfer.url,
            method: method,
            fields: RequestFields(transfer.fields),
            body: body,
            options: options
        )
        let length = body.length
        let tracker = ProgressTracker(AnySessionClock(session.configuration.time))
        tracker.add(ProgressObserver(report: progress))
        // No report follows the end.
        defer { tracker.end() }
        return try await session.send(request, notifying: nil) { tracker.report($0, of: length) }
    }

    // MARK: Resumable uploads

    /// The parts of a resumable upload that stay the same when it begins anew.
    private struct UploadCourse: Sendable {
        let transfer: Transfer
        let method: HTTPRequest.Method
        let body: RequestBody
        let options: RequestOptions
        let policy: ResumableUpload.Policy
        let keeping: @Sendable (ResumableUpload.State?) async throws(ApusError) -> Void
        let progress: @Sendable (TransferProgress) -> Void

        var fields: RequestFields { RequestFields(transfer.fields) }
    }

    private func response(
        of course: UploadCourse,
        resumingWith state: ResumableUpload.State?
    ) async throws(ApusError) -> Response {
        if let state {
            let continued = session.uploadResumably(
                resumingWith: state.withUser(of: course.transfer),
                body: course.body,
                fields: course.fields,
                options: course.options,
                policy: course.policy
            )
            do throws(ApusError) {
                return try await Self.response(of: continued, course)
            } catch {
                guard Self.isLost(error), course.transfer.mayBeginAnew else { throw error }
            }
        }
        let upload = session.uploadResumably(
            course.body,
            to: course.transfer.url,
            method: course.method,
            fields: course.fields,
            options: course.options,
            policy: course.policy
        )
        return try await Self.response(of: upload, course)
    }

    /// Whether an upload can't be continued any more.
    private static func isLost(_ error: ApusError) -> Bool {
        error.code == .malformedResponse || [404, 410].contains(error.responseCode)
    }

    /// Performs an upload, and passes on its states and its progress until its end.
    private static func response(
        of upload: ResumableUpload,
        _ course: UploadCourse
    ) async throws(ApusError) -> Response {
        let (states, reports) = (upload.states(), upload.uploadProgress(bufferingPolicy: .bufferingNewest(1)))
        let keeper = Task { () async -> ApusError? in
            for await state in states {
                do throws(ApusError) {
                    try await course.keeping(state.withoutUser)
                } catch {
                    upload.cancel()
                    return error
                }
            }
            return nil
        }
        let reporter = Task { () async -> Void in
            for await report in reports { course.progress(report) }
        }
        var outcome: Result<Response, ApusError>
        do throws(ApusError) {
            outcome = .success(try await upload.response())
        } catch {
            outcome = .failure(error)
        }
        // Both sequences end with the upload.
        await reporter.value
        if let failure = await keeper.value, case .failure = outcome { outcome = .failure(failure) }
        // A transfer that is resumed must not meet the same state again.
        if case .failure(let error) = outcome, isLost(error) { try await course.keeping(nil) }
        return try outcome.get()
    }
}

extension ResumableUpload.State {
    /// Returns the state with the user name and the password that the URL of its transfer has. They are not recorded
    /// with the upload resource, and go to no other host, and not without the encryption of the transfer.
    func withUser(of transfer: Transfer) -> ResumableUpload.State {
        guard let target = try? TargetURI(transfer.url), let user = target.userInformation,
            let found = try? TargetURI(resource), found.origin.host == target.origin.host,
            found.origin == target.origin || found.origin.scheme == .https
        else { return self }
        return with(resource: Transfer.text(of: found, with: user))
    }

    /// The state without a user name and a password.
    var withoutUser: ResumableUpload.State {
        guard let found = try? TargetURI(resource), found.userInformation != nil else { return self }
        return with(resource: found.uri)
    }

    private func with(resource: String) -> ResumableUpload.State {
        ResumableUpload.State(
            resource: resource,
            length: length,
            offset: offset,
            expiry: expiry,
            interopVersion: interopVersion,
            file: file
        )
    }
}
