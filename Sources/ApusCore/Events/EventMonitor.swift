public import Dispatch
public import Foundation
public import HTTPTypes

/// Observes every step of every request, for logging, metrics and tests.
///
/// Each event has a method whose default does nothing, and each method gets a summary of its request:
///
/// ```swift
/// struct ConsoleLogger: EventMonitor {
///     let queue = DispatchQueue(label: "request-logger")
///
///     func requestDidResume(_ request: RequestSummary) {
///         print("Resuming: \(request)")
///     }
///
///     func request(_ request: RequestSummary, didParseResponse response: ResponseSummary) {
///         print("Finished: \(response.debugDescription)")
///     }
/// }
/// ```
///
/// A monitor that is interested in many events can implement `request(_:did:)` alone, and switch over the event.
///
/// A monitor receives the events of a request in order, on `queue`, which must be serial. Events that arrive while the
/// queue is busy are delivered together. A monitor cannot change a request. Use middleware for that.
public protocol EventMonitor: Sendable {
    /// The serial queue that events are delivered on. Events for a blocked queue are kept in memory, without a limit.
    /// Default: `.main`.
    var queue: DispatchQueue { get }

    /// The maximum time that events are collected before delivery. A batch of 512 events does not wait for its end.
    /// With zero, each event is dispatched at once, which costs a busy session more than the requests themselves.
    /// Default: 5 ms.
    var latency: Duration { get }

    /// Whether `contentSent` and `contentReceived` events are delivered. Read once, when the monitor is added.
    ///
    /// Each write and each read causes at most one event. If several are waiting for the same body, only the last is
    /// delivered. Default: `false`.
    var receivesProgress: Bool { get }

    /// The maximum number of bytes of a response body that its ``ResponseSummary`` has. Read once, when the monitor is
    /// added.
    ///
    /// All monitors of a request get the same summary, with the bytes for the one that asks for most. 0 asks for none.
    /// Default: 4096.
    var bodyPrefixBytes: Int { get }

    /// Called for each event. The default calls the method for it, which is one of those below.
    ///
    /// A monitor that implements this method replaces the default. It gets the other calls only if it makes them with
    /// `callMethod(for:of:)`.
    ///
    /// - Parameters:
    ///   - request: The request, the same for all its attempts and exchanges.
    ///   - event: The event.
    func request(_ request: RequestSummary, did event: RequestEvent)

    /// Called when `resume()` took effect.
    func requestDidResume(_ request: RequestSummary)

    /// Called when `suspend()` took effect.
    func requestDidSuspend(_ request: RequestSummary)

    /// Called when `cancel()` took effect.
    func requestDidCancel(_ request: RequestSummary)

    /// Called when the request was built, for each attempt that builds it.
    ///
    /// - Parameters:
    ///   - request: The request, with its method and target.
    ///   - message: The request as it was built, before the adapters.
    func request(_ request: RequestSummary, didCreate message: RequestMessage)

    /// Called when the request could not be built.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - error: The reason.
    func request(_ request: RequestSummary, didFailToCreateWithError error: ApusError)

    /// Called when the adapters returned the request to send, for the first attempt or a later one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - message: The request as the adapters have returned it.
    func request(_ request: RequestSummary, didAdaptTo message: RequestMessage)

    /// Called when an adapter failed.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - error: The error of the adapter.
    func request(_ request: RequestSummary, didFailToAdaptWithError error: ApusError)

    /// Called when an exchange was handed to the transport.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - message: The request as it is sent, with the fields that the session and the middleware have added.
    ///   - cause: The reason for the exchange.
    func request(_ request: RequestSummary, didBeginExchange message: RequestMessage, dueTo cause: ExchangeCause)

    /// Called when a part of the request's body was sent, if `receivesProgress` is `true`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - byteCount: The number of bytes that were handed to the wire in this exchange.
    ///   - total: The length of the body in bytes. `nil` if it is not known.
    func request(_ request: RequestSummary, didSendContent byteCount: Int64, of total: Int64?)

    /// Called when an informational (1xx) response arrived.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The informational response.
    func request(_ request: RequestSummary, didReceiveInformational response: HTTPResponse)

    /// Called when a redirect arrived.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The redirect.
    ///   - next: The request that follows it. `nil` if it is not followed.
    func request(_ request: RequestSummary, wasRedirectedBy response: HTTPResponse, to next: RequestMessage?)

    /// Called when a challenge arrived, if the session or the request has credentials.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The challenge.
    ///   - scheme: The scheme of the credentials, for example `digest`. `nil` if there are none left to try.
    func request(_ request: RequestSummary, wasChallengedBy response: HTTPResponse, answeredBy scheme: String?)

    /// Called when the head of the final response passed through the chain.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The head of the response.
    func request(_ request: RequestSummary, didReceiveResponse response: HTTPResponse)

    /// Called when an exchange ended. A request may have several.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - metrics: The measurements of the exchange.
    func request(_ request: RequestSummary, didGatherMetrics metrics: ExchangeMetrics)

    /// Called when the validators ran.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - error: The rejection. `nil` if the response was accepted.
    func request(_ request: RequestSummary, didValidateWithError error: ApusError?)

    /// Called when the destination of a downloaded body was chosen.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - url: The destination.
    func request(_ request: RequestSummary, didCreateDestinationURL url: URL)

    /// Called when a part of the response's body was read, if `receivesProgress` is `true`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - byteCount: The number of bytes that were received and read, before decoding.
    ///   - total: The declared length of the body in bytes. `nil` if it is not known.
    func request(_ request: RequestSummary, didReceiveContent byteCount: Int64, of total: Int64?)

    /// Called when a downloaded body was saved. If there are retriers, this follows their decision.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileURL: The file.
    func request(_ request: RequestSummary, didFinishDownloadingTo fileURL: URL)

    /// Called when the network part of an attempt ended, with the response or the error.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response of the attempt, and its error if it failed. A rejected response has both.
    func request(_ request: RequestSummary, didComplete response: ResponseSummary)

    /// Called when a serializer has run. It is not called for direct calls and streams, for handlers without a
    /// serializer, and for failed requests, whose serializers do not run. `request(_:didComplete:)` is called for all
    /// of them.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response, with the running time and the error of the serializer.
    func request(_ request: RequestSummary, didParseResponse response: ResponseSummary)

    /// Called when the request failed because there is no network, and a retrier waits for one.
    func requestIsWaitingForConnectivity(_ request: RequestSummary)

    /// Called when a retrier repeats the request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - delay: The time until the next attempt.
    ///   - error: The failure of this attempt. `nil` if a retrier repeats a success.
    func requestIsRetrying(_ request: RequestSummary, after delay: Duration, dueTo error: ApusError?)

    /// Called when the request is over: all serializers have run, and the completion handlers are called next.
    func requestDidFinish(_ request: RequestSummary)

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
