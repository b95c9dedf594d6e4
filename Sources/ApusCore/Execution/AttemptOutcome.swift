/// The outcome of the attempts at a request.
struct AttemptOutcome<Output: Sendable>: Sendable {
    /// The request message of the last attempt.
    let request: RequestMessage
    var result: Result<Output, ApusError>
    /// Whether the retriers are called: for each failure, and for few successes.
    var isOfInterest = true
    /// Whether the response has been serialized.
    var isProcessed = false

    var output: Output? { if case .success(let output) = result { output } else { nil } }

    var isSuccess: Bool { if case .success = result { true } else { false } }
}

/// The outcome of serializing a response before the retriers decide.
enum ProcessingResult {
    /// All serializers have run. The error is the first that one of them threw.
    case processed(ApusError?)
    /// The request was cancelled in the meantime and ends with its present result.
    case cancelled
}
