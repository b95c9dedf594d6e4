public import Dispatch
public import Foundation
public import HTTPTypes

/// An event in the life of a request.
///
/// Large payloads are boxed, because an event is copied several times before it reaches a monitor.
public enum RequestEvent: Sendable {
    /// `resume()` took effect.
    case resumed
    /// `suspend()` took effect.
    case suspended
    /// `cancel()` took effect.
    case cancelled
    /// The request was built.
    indirect case created(RequestMessage)
    /// The request could not be built.
    case creationFailed(ApusError)
    /// The adapters returned the request to send, for the first attempt or a later one.
    indirect case adapted(RequestMessage)
    /// An adapter failed.
    case adaptationFailed(ApusError)
    /// An exchange was handed to the transport.
    case exchangeBegan(method: HTTPRequest.Method, target: TargetURI, cause: ExchangeCause)
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
    /// The number of bytes of the response's body that were read, after decoding, and the total if known. Sent only if
    /// `receivesProgress` is `true`.
    case contentReceived(Int64, of: Int64?)
    /// The response's body was saved at its destination. If there are retriers, this follows their decision.
    case downloaded(URL)
    /// The network part of this attempt ended. `nil` means success. If a request is cancelled, or failed by a retrier,
    /// after its serializers have run, a second `completed` event follows.
    case completed(ApusError?)
    /// A serializer finished or failed. The duration is its running time.
    case serialized(Duration, ApusError?)
    /// The request failed because there is no network, and a retrier waits for one.
    case waitingForConnectivity
    /// A retrier repeats the request, after a failure or, with `nil`, after a success.
    case retrying(after: Duration, dueTo: ApusError?)
    /// The request is over: all serializers have run, and the completion handlers are called next. Later events belong
    /// to serializers or calls that were added afterwards. A direct call or a stream that ends before its exchange, for
    /// example at its deadline, may also report the end of that exchange later.
    case finished
}

/// Observes every step of every request, for logging, metrics and tests.
///
/// A monitor receives the events of a request in order, on `queue`, which must be serial. Events that arrive while the
/// queue is busy are delivered together. A monitor cannot change a request. Use middleware for that.
public protocol EventMonitor: Sendable {
    /// The serial queue that events are delivered on. Events for a blocked queue are kept in memory, without a limit.
    /// Default: `.main`.
    var queue: DispatchQueue { get }

    /// The maximum time that events are collected before delivery. With zero, each event is dispatched at once, which
    /// costs a busy session more than the requests themselves. Default: 5 ms.
    var latency: Duration { get }

    /// Whether `contentSent` and `contentReceived` events are delivered. Read once, when a session is created.
    ///
    /// Each write and each read causes at most one event. If several are waiting for the same body, only the last is
    /// delivered. Default: `false`.
    var receivesProgress: Bool { get }

    /// Called for each event.
    ///
    /// - Parameters:
    ///   - request: The request, the same for all its attempts and exchanges.
    ///   - event: The event.
    func request(_ request: RequestID, did event: RequestEvent)

    /// Called once when a session has ended, after the last event of its last request. The default does nothing.
    ///
    /// A request that does not end delays this call, since more events of it may follow. A request created after the
    /// session ended is rejected, and its events follow this call.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - error: `nil` if the session was shut down, `sessionGone` if its last reference was released before that.
    func session(_ session: SessionID, didEndDueTo error: ApusError?)
}

extension EventMonitor {
    public var queue: DispatchQueue { .main }

    public var latency: Duration { .milliseconds(5) }

    public var receivesProgress: Bool { false }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {}
}

/// Identifies a request within the process.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// A number that increases with each request.
    public let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    /// The number.
    public var description: String { String(number) }
}
