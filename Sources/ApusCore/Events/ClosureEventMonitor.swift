public import Dispatch
public import Foundation
public import HTTPTypes

/// A monitor made of closures, one for all events or one for each kind.
///
/// ```swift
/// var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "watching"))
/// monitor.requestDidResume = { request in print("Resuming: \(request)") }
/// monitor.requestDidComplete = { request, response in print("\(request): \(response)") }
/// var configuration = Session.Configuration()
/// configuration.eventMonitors = [monitor]
/// ```
///
/// It is a value: a session uses the closures that were set when it was created.
public struct ClosureEventMonitor: EventMonitor {
    /// The serial queue that the closures run on.
    public let queue: DispatchQueue
    public let latency: Duration
    public var bodyPrefixBytes = 4096

    /// Called for every event, before the closure for its kind. Progress events need a closure of their own to be set.
    public var requestDidAnything: (@Sendable (RequestSummary, RequestEvent) -> Void)?

    /// `resume()` took effect.
    public var requestDidResume: (@Sendable (RequestSummary) -> Void)?
    /// `suspend()` took effect.
    public var requestDidSuspend: (@Sendable (RequestSummary) -> Void)?
    /// `cancel()` took effect.
    public var requestDidCancel: (@Sendable (RequestSummary) -> Void)?
    /// The request was built.
    public var requestDidCreate: (@Sendable (RequestSummary, RequestMessage) -> Void)?
    /// The request could not be built.
    public var requestDidFailToCreate: (@Sendable (RequestSummary, ApusError) -> Void)?
    /// The adapters returned the request to send.
    public var requestDidAdapt: (@Sendable (RequestSummary, RequestMessage) -> Void)?
    /// An adapter failed.
    public var requestDidFailToAdapt: (@Sendable (RequestSummary, ApusError) -> Void)?
    /// An exchange was handed to the transport, with this request.
    public var requestDidBeginExchange: (@Sendable (RequestSummary, RequestMessage, ExchangeCause) -> Void)?
    /// Bytes of the request's body that were sent, and the total if known.
    public var requestDidSendContent: (@Sendable (RequestSummary, Int64, Int64?) -> Void)?
    /// An informational (1xx) response arrived.
    public var requestDidReceiveInformational: (@Sendable (RequestSummary, HTTPResponse) -> Void)?
    /// A redirect arrived. The last argument is the request that follows it, or `nil` if it is not followed.
    public var requestWasRedirected: (@Sendable (RequestSummary, HTTPResponse, RequestMessage?) -> Void)?
    /// A challenge arrived. The last argument is the scheme of the credentials, or `nil` if there are none to try.
    public var requestWasChallenged: (@Sendable (RequestSummary, HTTPResponse, String?) -> Void)?
    /// The head of the final response passed through the chain.
    public var requestDidReceiveResponse: (@Sendable (RequestSummary, HTTPResponse) -> Void)?
    /// An exchange ended, with these measurements.
    public var requestDidGatherMetrics: (@Sendable (RequestSummary, ExchangeMetrics) -> Void)?
    /// The validators ran. `nil` means that the response was accepted.
    public var requestDidValidate: (@Sendable (RequestSummary, ApusError?) -> Void)?
    /// The destination of the response's body was chosen.
    public var requestDidCreateDestinationURL: (@Sendable (RequestSummary, URL) -> Void)?
    /// Bytes of the response's body that were received and read, before decoding, and the total if known.
    public var requestDidReceiveContent: (@Sendable (RequestSummary, Int64, Int64?) -> Void)?
    /// The response's body was saved at its destination.
    public var requestDidFinishDownloading: (@Sendable (RequestSummary, URL) -> Void)?
    /// The network part of this attempt ended, with this response or error.
    public var requestDidComplete: (@Sendable (RequestSummary, ResponseSummary) -> Void)?
    /// A serializer finished or failed. The response has its running time and its error.
    public var requestDidParseResponse: (@Sendable (RequestSummary, ResponseSummary) -> Void)?
    /// A retrier waits for a network.
    public var requestIsWaitingForConnectivity: (@Sendable (RequestSummary) -> Void)?
    /// A retrier repeats the request, after a delay, because of an error or, with `nil`, after a success.
    public var requestIsRetrying: (@Sendable (RequestSummary, Duration, ApusError?) -> Void)?
    /// The request is over.
    public var requestDidFinish: (@Sendable (RequestSummary) -> Void)?

    /// A session has ended. The error is `nil` if it was shut down.
    public var sessionDidEnd: (@Sendable (SessionID, ApusError?) -> Void)?

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - queue: The serial queue that the closures run on. Default: `.main`.
    ///   - latency: The maximum time that events are collected before the closures are called. Default: 5 ms.
    ///   - requestDidAnything: Called for every event. Default: none.
    public init(
        queue: DispatchQueue = .main,
        latency: Duration = .milliseconds(5),
        _ requestDidAnything: (@Sendable (RequestSummary, RequestEvent) -> Void)? = nil
    ) {
        self.queue = queue
        self.latency = latency
        self.requestDidAnything = requestDidAnything
    }

    /// Whether a closure for progress events is set.
    public var receivesProgress: Bool { requestDidSendContent != nil || requestDidReceiveContent != nil }

    public func request(_ request: RequestSummary, did event: RequestEvent) {
        requestDidAnything?(request, event)
        switch event {
        case .resumed: requestDidResume?(request)
        case .suspended: requestDidSuspend?(request)
        case .cancelled: requestDidCancel?(request)
        case .created(let message): requestDidCreate?(request, message)
        case .creationFailed(let error): requestDidFailToCreate?(request, error)
        case .adapted(let message): requestDidAdapt?(request, message)
        case .adaptationFailed(let error): requestDidFailToAdapt?(request, error)
        case .exchangeBegan(let message, let cause): requestDidBeginExchange?(request, message, cause)
        case .contentSent(let count, let total): requestDidSendContent?(request, count, total)
        case .informational(let head): requestDidReceiveInformational?(request, head)
        case .redirected(let head, let next): requestWasRedirected?(request, head, next)
        case .challenged(let head, let scheme): requestWasChallenged?(request, head, scheme)
        case .responded(let head): requestDidReceiveResponse?(request, head)
        case .exchangeEnded(let record): requestDidGatherMetrics?(request, record.metrics)
        case .validated(let refusal): requestDidValidate?(request, refusal)
        case .destinationChosen(let url): requestDidCreateDestinationURL?(request, url)
        case .contentReceived(let count, let total): requestDidReceiveContent?(request, count, total)
        case .downloaded(let url): requestDidFinishDownloading?(request, url)
        case .completed(let response): requestDidComplete?(request, response)
        case .serialized(let response): requestDidParseResponse?(request, response)
        case .waitingForConnectivity: requestIsWaitingForConnectivity?(request)
        case .retrying(let delay, let error): requestIsRetrying?(request, delay, error)
        case .finished: requestDidFinish?(request)
        }
    }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        sessionDidEnd?(session, error)
    }
}
