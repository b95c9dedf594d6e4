public import Foundation
public import HTTPTypes

/// An event in the life of a request.
///
/// A message is not boxed, since an event is moved to a single monitor, and copied for further ones. Larger payloads
/// are.
public enum RequestEvent: Sendable {
    /// `resume()` took effect.
    case resumed
    /// `suspend()` took effect.
    case suspended
    /// `cancel()` took effect.
    case cancelled
    /// The request was built.
    case created(RequestMessage)
    /// The request could not be built.
    case creationFailed(ApusError)
    /// The adapters returned the request to send, for the first attempt or a later one.
    case adapted(RequestMessage)
    /// An adapter failed.
    case adaptationFailed(ApusError)
    /// An exchange was handed to the transport. The message is the request as it is sent, with the fields that the
    /// session and the middleware have added. The transport adds `Host`, `Content-Length` and `Transfer-Encoding`.
    case exchangeBegan(RequestMessage, cause: ExchangeCause)
    /// The number of bytes of the request's body that were handed to the wire in this exchange, and the total if known.
    /// Sent only if `receivesProgress` is `true`.
    case contentSent(Int64, of: Int64?)
    /// An informational (1xx) response arrived.
    case informational(HTTPResponse)
    /// A redirect arrived. The request follows it to the new target, or does not follow it if that is `nil`.
    ///
    /// A redirect that cannot be followed fails the request and is reported by its error.
    indirect case redirected(HTTPResponse, to: RequestMessage?)
    /// A challenge arrived. The request is sent again with credentials of that scheme, for example `digest`. The scheme
    /// is `nil` if there are no credentials left to try. Sent only if the session or the request has credentials.
    indirect case challenged(HTTPResponse, answeredBy: String?)
    /// The head of the final response passed through the chain.
    case responded(HTTPResponse)
    /// An exchange ended. `metrics` holds its measurements. Their `ignoredContentBytes` is set once the body was read
    /// to its end, which may be later.
    case exchangeEnded(ExchangeRecord)
    /// The validators ran. `nil` means that the response was accepted.
    case validated(ApusError?)
    /// The destination of the response's body was chosen.
    case destinationChosen(URL)
    /// The number of bytes of the response's body that were received and read, before decoding, and the total if known.
    /// Sent only if `receivesProgress` is `true`.
    case contentReceived(Int64, of: Int64?)
    /// The response's body was saved at its destination. If there are retriers, this follows their decision.
    case downloaded(URL)
    /// The network part of this attempt ended, with this response or error. If a request is cancelled, or failed by a
    /// retrier, after its serializers have run, a second `completed` event follows.
    case completed(ResponseSummary)
    /// A serializer finished or failed. The summary has its running time and its error.
    case serialized(ResponseSummary)
    /// The request failed because there is no network, and a retrier waits for one.
    case waitingForConnectivity
    /// A retrier repeats the request, after a failure or, with `nil`, after a success.
    case retrying(after: Duration, dueTo: ApusError?)
    /// The request is over: all serializers have run, and the completion handlers are called next. Later events belong
    /// to serializers or calls that were added afterwards. A direct call or a stream that ends before its exchange, for
    /// example at its deadline, may also report the end of that exchange later.
    case finished
}

extension RequestEvent: CustomStringConvertible {
    /// A short description of the event.
    public var description: String {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .cancelled: "cancelled"
        case .created(let request): "created: \(request)"
        case .creationFailed(let error): "not created: \(error)"
        case .adapted(let request): "adapted: \(request)"
        case .adaptationFailed(let error): "not adapted: \(error)"
        case .exchangeBegan(let request, let cause): "exchange began (\(cause.rawValue)): \(request)"
        case .contentSent(let count, let total): "sent \(Self.progress(count, total))"
        case .informational(let response): "informational response: \(Self.status(response))"
        case .redirected(let response, let next?): "redirected: \(Self.status(response)), to \(next)"
        case .redirected(let response, nil): "redirected: \(Self.status(response)), not followed"
        case .challenged(let response, let scheme?): "challenged: \(Self.status(response)), answered by \(scheme)"
        case .challenged(let response, nil): "challenged: \(Self.status(response)), not answered"
        case .responded(let response): "responded: \(Self.status(response))"
        case .exchangeEnded(let record): "exchange ended: \(record.metrics)"
        case .validated(nil): "valid"
        case .validated(let error?): "invalid: \(error)"
        case .destinationChosen(let url): "destination: \(url.path)"
        case .contentReceived(let count, let total): "received \(Self.progress(count, total))"
        case .downloaded(let url): "downloaded to \(url.path)"
        case .completed(let response): response.error.map { "failed: \($0)" } ?? "complete"
        case .serialized(let response): Self.serialized(response)
        case .waitingForConnectivity: "waiting for a network"
        case .retrying(let delay, nil): "retrying after \(delay.formatted), although it succeeded"
        case .retrying(let delay, let error?): "retrying after \(delay.formatted): \(error.code)"
        case .finished: "finished"
        }
    }

    /// Returns the status, without any secrets in its reason phrase.
    private static func status(_ response: HTTPResponse) -> String { Redaction.text("\(response.status)") }

    private static func serialized(_ response: ResponseSummary) -> String {
        if let error = response.error { return "not serialized: \(error)" }
        return "serialized in \((response.serializationDuration ?? .zero).formatted)"
    }

    private static func progress(_ count: Int64, _ total: Int64?) -> String {
        total.map { "\(count) of \($0) bytes" } ?? "\(count) bytes"
    }
}
