public import Dispatch
public import Foundation
public import HTTPTypes

/// A monitor made of closures: one for all events, or one for a kind.
///
/// ```swift
/// var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "watching"))
/// monitor.requestDidCreate = { id, request in print("\(id): \(request)") }
/// monitor.requestDidComplete = { id, error in print("\(id): \(error?.description ?? "done")") }
/// var configuration = Session.Configuration()
/// configuration.eventMonitors = [monitor]
/// ```
///
/// It is a value: a session has the closures that were set when it was made.
public struct ClosureEventMonitor: EventMonitor {
    /// The serial queue that the closures run on.
    public let queue: DispatchQueue
    public let latency: Duration

    /// Told every event of a request, before the closure for its kind; those of progress where one of theirs is set.
    public var requestDidAnything: (@Sendable (RequestID, RequestEvent) -> Void)?

    /// `resume()` took effect.
    public var requestDidResume: (@Sendable (RequestID) -> Void)?
    /// `suspend()` took effect.
    public var requestDidSuspend: (@Sendable (RequestID) -> Void)?
    /// `cancel()` took effect.
    public var requestDidCancel: (@Sendable (RequestID) -> Void)?
    /// The request was built.
    public var requestDidCreate: (@Sendable (RequestID, RequestMessage) -> Void)?
    /// The request could not be built.
    public var requestDidFailToCreate: (@Sendable (RequestID, ApusError) -> Void)?
    /// The adapters have made what is sent of it.
    public var requestDidAdapt: (@Sendable (RequestID, RequestMessage) -> Void)?
    /// An adapter has failed.
    public var requestDidFailToAdapt: (@Sendable (RequestID, ApusError) -> Void)?
    /// An exchange was handed to the transport.
    public var requestDidBeginExchange: (@Sendable (RequestID, HTTPRequest.Method, TargetURI, HopCause) -> Void)?
    /// The content goes out: how many bytes were sent, and how many there will be.
    public var requestDidSendContent: (@Sendable (RequestID, Int64, Int64?) -> Void)?
    /// An informational (1xx) response came.
    public var requestDidReceiveInformational: (@Sendable (RequestID, HTTPResponse) -> Void)?
    /// A redirect came; the request that follows it, or `nil` where none does.
    public var requestWasRedirected: (@Sendable (RequestID, HTTPResponse, RequestMessage?) -> Void)?
    /// A challenge came; the scheme that it is answered by, or `nil` where it is not.
    public var requestWasChallenged: (@Sendable (RequestID, HTTPResponse, String?) -> Void)?
    /// The head of the final response came through the chain.
    public var requestDidReceiveResponse: (@Sendable (RequestID, HTTPResponse) -> Void)?
    /// An exchange ended; what was measured of it.
    public var requestDidEndExchange: (@Sendable (RequestID, HopMetrics) -> Void)?
    /// The validators have spoken: `nil` is a yes.
    public var requestDidValidate: (@Sendable (RequestID, ApusError?) -> Void)?
    /// Where the content of the answer shall be was decided.
    public var requestDidChooseDestination: (@Sendable (RequestID, URL) -> Void)?
    /// The content of the answer comes in: how many bytes were read, and how many there will be.
    public var requestDidReceiveContent: (@Sendable (RequestID, Int64, Int64?) -> Void)?
    /// The content of the answer is in a file, in its place.
    public var requestDidFinishDownloading: (@Sendable (RequestID, URL) -> Void)?
    /// The work on the wire is over, for this attempt: `nil` is success.
    public var requestDidComplete: (@Sendable (RequestID, ApusError?) -> Void)?
    /// A serializer has made something of the content, or failed; how long it took.
    public var requestDidSerialize: (@Sendable (RequestID, Duration, ApusError?) -> Void)?
    /// A retrier waits until there is a network.
    public var requestIsWaitingForConnectivity: (@Sendable (RequestID) -> Void)?
    /// A retrier has the request go again, after a time, because of an error or in spite of a success.
    public var requestIsRetrying: (@Sendable (RequestID, Duration, ApusError?) -> Void)?
    /// The request is over.
    public var requestDidFinish: (@Sendable (RequestID) -> Void)?

    /// A session is over: `nil` where it was shut down.
    public var sessionDidEnd: (@Sendable (SessionID, ApusError?) -> Void)?

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - queue: The serial queue that the closures run on; `.main` by default.
    ///   - latency: How long events may gather before the closures are called; 5 ms by default.
    ///   - requestDidAnything: Told every event; none by default, for what is set closure by closure.
    public init(
        queue: DispatchQueue = .main,
        latency: Duration = .milliseconds(5),
        _ requestDidAnything: (@Sendable (RequestID, RequestEvent) -> Void)? = nil
    ) {
        self.queue = queue
        self.latency = latency
        self.requestDidAnything = requestDidAnything
    }

    /// Whether there is a closure for it.
    public var hearsProgress: Bool { requestDidSendContent != nil || requestDidReceiveContent != nil }

    public func request(_ request: RequestID, did event: RequestEvent) {
        requestDidAnything?(request, event)
        switch event {
        case .resumed: requestDidResume?(request)
        case .suspended: requestDidSuspend?(request)
        case .cancelled: requestDidCancel?(request)
        case .created(let message): requestDidCreate?(request, message)
        case .creationFailed(let error): requestDidFailToCreate?(request, error)
        case .adapted(let message): requestDidAdapt?(request, message)
        case .adaptationFailed(let error): requestDidFailToAdapt?(request, error)
        case .exchangeBegan(let method, let target, let cause):
            requestDidBeginExchange?(request, method, target, cause)
        case .contentSent(let count, let total): requestDidSendContent?(request, count, total)
        case .informational(let head): requestDidReceiveInformational?(request, head)
        case .redirected(let head, let next): requestWasRedirected?(request, head, next)
        case .challenged(let head, let scheme): requestWasChallenged?(request, head, scheme)
        case .responded(let head): requestDidReceiveResponse?(request, head)
        case .exchangeEnded(let record): requestDidEndExchange?(request, record.metrics)
        case .validated(let refusal): requestDidValidate?(request, refusal)
        case .destinationChosen(let url): requestDidChooseDestination?(request, url)
        case .contentReceived(let count, let total): requestDidReceiveContent?(request, count, total)
        case .downloaded(let url): requestDidFinishDownloading?(request, url)
        case .completed(let error): requestDidComplete?(request, error)
        case .serialized(let duration, let error): requestDidSerialize?(request, duration, error)
        case .waitingForConnectivity: requestIsWaitingForConnectivity?(request)
        case .retrying(let delay, let error): requestIsRetrying?(request, delay, error)
        case .finished: requestDidFinish?(request)
        }
    }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        sessionDidEnd?(session, error)
    }
}
