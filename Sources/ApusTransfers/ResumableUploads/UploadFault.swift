internal import ApusCore

/// The reason why a resumable upload can't go on.
enum UploadFault: Hashable, Sendable {
    /// The last error. Nothing is added to it.
    case last
    /// The server contradicts itself or the protocol.
    case contradiction(String)
    /// The upload exceeds a limit of the server.
    case limit(String)
    /// The server does not have the upload resource any more.
    case lost
    /// The server does not continue the upload.
    case refused

    /// Whether the server's copy of the upload can never be completed.
    var isOfUpload: Bool {
        switch self {
        case .contradiction, .limit: true
        case .last, .lost, .refused: false
        }
    }

    /// Returns the error of the upload.
    ///
    /// - Parameter result: The result of the last request.
    /// - Returns: The error. An error of the last request stays its cause.
    func error(after result: Result<Response, ApusError>) -> ApusError {
        switch result {
        case .success(let response):
            return response.about(error(status: response.statusCode))
        case .failure(let failure):
            switch self {
            // A validator has rejected the response.
            case .last, .lost, .refused: return failure
            case .contradiction, .limit:
                let error = error(status: failure.responseCode, underlying: failure)
                guard let target = failure.exchanges.first?.target else { return error }
                return error.about(method: failure.method, target: target)
            }
        }
    }

    private func error(status: Int?, underlying: ApusError? = nil) -> ApusError {
        let status = status.map { "status \($0)" } ?? "no status"
        return switch self {
        case .contradiction(let text): ApusError(.malformedResponse, text, underlying: underlying)
        case .limit(let text): ApusError(.invalidRequest, text, underlying: underlying)
        case .lost:
            ApusError(
                .unacceptableStatus,
                "the server does not have the upload any more (\(status)): it was removed, or completed before",
                hint: "upload it again from the beginning if that is safe"
            )
        case .last, .refused: ApusError(.unacceptableStatus, "the server does not continue the upload (\(status))")
        }
    }
}
