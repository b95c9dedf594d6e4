/// The reason why a request was cancelled.
package enum CancelReason: Sendable, Hashable {
    case user
    case task
    case deadline(Duration)
    case sessionShutDown
    case sessionGone

    package var error: ApusError {
        switch self {
        case .user: ApusError(.cancelled, "cancel() was called")
        case .task: ApusError(.cancelled, "the task waiting for it was cancelled")
        case .deadline(let duration):
            ApusError(
                .deadlineExceeded,
                "it did not finish within \(duration.formatted)",
                hint: "raise timeouts.request, or the RequestDeadline of the request"
            )
        case .sessionShutDown: ApusError(.sessionShutDown, "its session was shut down")
        case .sessionGone: ApusError(.sessionGone, "its session was released; keep a reference to it")
        }
    }
}
