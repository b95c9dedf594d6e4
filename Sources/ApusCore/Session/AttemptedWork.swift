internal import Foundation
internal import HTTPTypes

/// What is attempted, once or several times: a direct call, a handle's request, or a stream.
protocol AttemptedWork: Sendable {
    associatedtype Answer: Sendable

    var core: SessionCore { get }

    var context: RequestContext { get }

    /// A target of the origin on whose executor the attempts run already; `nil` where that is to be found out.
    var home: TargetURI? { get }

    /// Whether another attempt has a request, and a content, of its own.
    var isRemade: Bool { get }

    /// The request as its user makes it, for another attempt.
    func remake() async throws(ApusError) -> RequestMessage

    /// One attempt, at a request that was adapted.
    func attempt(_ request: RequestMessage, because cause: HopCause) async throws(ApusError) -> Answer

    /// The status of an answer.
    func status(of answer: Answer) -> HTTPResponse.Status

    /// What retriers get to see of an answer.
    func glimpse(of answer: Answer) -> AnswerGlimpse

    /// Whether something is made of an answer yet, which may fail.
    var settles: Bool { get }

    /// Makes of an answer what its users asked for.
    func settle(_ answer: Answer, to request: RequestMessage) async -> Settlement

    /// Takes back what an attempt has brought.
    func rewind(_ answer: Answer?) async

    /// Whether an answer goes on holding its place among the requests in flight.
    var holdsPlace: Bool { get }

    /// Whether it is a handle's: its session knows of it without a place, and it tells itself that an answer is there.
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

/// What retriers get to see of an answer.
struct AnswerGlimpse {
    let head: ResponseHead
    var data: Data?
    var fileURL: URL?
}

/// What came of making something of an answer.
enum Settlement {
    /// It is made, or can't be.
    case settled(ApusError?)
    /// The request was given up meanwhile: it ends with what there is.
    case over
}

/// How the attempts at a request ended.
struct AttemptOutcome<Answer: Sendable>: Sendable {
    /// What was sent last.
    let request: RequestMessage
    var result: Result<Answer, ApusError>
    /// Whether a retrier may have something to say of it: each failure is offered to them, and few successes.
    var isOfInterest = true
    /// Whether its users have made of the answer what they asked for.
    var isSettled = false

    var answer: Answer? { if case .success(let answer) = result { answer } else { nil } }

    var isSuccess: Bool { if case .success = result { true } else { false } }
}
