internal import Foundation
internal import HTTPTypes

/// Work that is attempted once or several times: a direct call, a handle's request, or a stream.
protocol AttemptedWork: Sendable {
    associatedtype Answer: Sendable

    var core: SessionCore { get }

    var context: RequestContext { get }

    /// A target of the origin on whose executor the attempts already run, or `nil` if the executor has to be found.
    var home: TargetURI? { get }

    /// Whether the request and its body are built again for each further attempt.
    var isRemade: Bool { get }

    /// Returns the request for another attempt, as its user builds it.
    func remake() async throws(ApusError) -> RequestMessage

    /// Makes one attempt at an adapted request.
    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> Answer

    /// Returns the status of a response.
    func status(of answer: Answer) -> HTTPResponse.Status

    /// Returns the view of a response for retriers.
    func glimpse(of answer: Answer) -> AnswerGlimpse

    /// Whether a response is serialized before the retriers decide, which may fail.
    var settles: Bool { get }

    /// Serializes a response.
    func settle(_ answer: Answer, to request: RequestMessage) async -> Settlement

    /// Discards the result of an attempt.
    func rewind(_ answer: Answer?) async

    /// Whether a response keeps its slot in the limit of requests in flight.
    var holdsPlace: Bool { get }

    /// Whether a handle exists. The session then knows the request without a slot, and the handle posts its completion.
    var hasHandle: Bool { get }
}

extension AttemptedWork {
    var home: TargetURI? { nil }

    var isRemade: Bool { false }

    var holdsPlace: Bool { false }

    var hasHandle: Bool { false }

    var settles: Bool { false }

    func settle(_ answer: Answer, to request: RequestMessage) async -> Settlement { .settled(nil) }

    func rewind(_ answer: Answer?) async {}
}

/// The view of a response for retriers.
struct AnswerGlimpse {
    let head: ResponseHead
    var data: Data?
    var fileURL: URL?
}

/// The outcome of serializing a response.
enum Settlement {
    /// Serialization has ended, with or without an error.
    case settled(ApusError?)
    /// The request was cancelled in the meantime and ends with its present result.
    case over
}

/// The outcome of the attempts at a request.
struct AttemptOutcome<Answer: Sendable>: Sendable {
    /// The request message of the last attempt.
    let request: RequestMessage
    var result: Result<Answer, ApusError>
    /// Whether the retriers are asked: about each failure, and about few successes.
    var isOfInterest = true
    /// Whether the response has been serialized.
    var isSettled = false

    var answer: Answer? { if case .success(let answer) = result { answer } else { nil } }

    var isSuccess: Bool { if case .success = result { true } else { false } }
}
