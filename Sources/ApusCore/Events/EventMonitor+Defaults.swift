public import Dispatch
public import Foundation
public import HTTPTypes

extension EventMonitor {
    public var queue: DispatchQueue { .main }

    public var latency: Duration { .milliseconds(5) }

    public var receivesProgress: Bool { false }

    public var bodyPrefixBytes: Int { 4096 }

    public func request(_ request: RequestSummary, did event: RequestEvent) { callMethod(for: event, of: request) }

    public func requestDidResume(_ request: RequestSummary) {}

    public func requestDidSuspend(_ request: RequestSummary) {}

    public func requestDidCancel(_ request: RequestSummary) {}

    public func request(_ request: RequestSummary, didCreate message: RequestMessage) {}

    public func request(_ request: RequestSummary, didFailToCreateWithError error: ApusError) {}

    public func request(_ request: RequestSummary, didAdaptTo message: RequestMessage) {}

    public func request(_ request: RequestSummary, didFailToAdaptWithError error: ApusError) {}

    public func request(
        _ request: RequestSummary,
        didBeginExchange message: RequestMessage,
        dueTo cause: ExchangeCause
    ) {}

    public func request(_ request: RequestSummary, didSendContent byteCount: Int64, of total: Int64?) {}

    public func request(_ request: RequestSummary, didReceiveInformational response: HTTPResponse) {}

    public func request(_ request: RequestSummary, wasRedirectedBy response: HTTPResponse, to next: RequestMessage?) {}

    public func request(
        _ request: RequestSummary,
        wasChallengedBy response: HTTPResponse,
        answeredBy scheme: String?
    ) {}

    public func request(_ request: RequestSummary, didReceiveResponse response: HTTPResponse) {}

    public func request(_ request: RequestSummary, didGatherMetrics metrics: ExchangeMetrics) {}

    public func request(_ request: RequestSummary, didValidateWithError error: ApusError?) {}

    public func request(_ request: RequestSummary, didCreateDestinationURL url: URL) {}

    public func request(_ request: RequestSummary, didReceiveContent byteCount: Int64, of total: Int64?) {}

    public func request(_ request: RequestSummary, didFinishDownloadingTo fileURL: URL) {}

    public func request(_ request: RequestSummary, didComplete response: ResponseSummary) {}

    public func request(_ request: RequestSummary, didParseResponse response: ResponseSummary) {}

    public func requestIsWaitingForConnectivity(_ request: RequestSummary) {}

    public func requestIsRetrying(_ request: RequestSummary, after delay: Duration, dueTo error: ApusError?) {}

    public func requestDidFinish(_ request: RequestSummary) {}

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {}
}

extension EventMonitor {
    /// Calls the method for an event, for a monitor that implements `request(_:did:)` and its own methods too.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - request: The request.
    public func callMethod(for event: RequestEvent, of request: RequestSummary) {
        switch event {
        case .resumed: requestDidResume(request)
        case .suspended: requestDidSuspend(request)
        case .cancelled: requestDidCancel(request)
        case .created(let message): self.request(request, didCreate: message)
        case .creationFailed(let error): self.request(request, didFailToCreateWithError: error)
        case .adapted(let message): self.request(request, didAdaptTo: message)
        case .adaptationFailed(let error): self.request(request, didFailToAdaptWithError: error)
        case .exchangeBegan(let message, let cause): self.request(request, didBeginExchange: message, dueTo: cause)
        case .contentSent(let count, let total): self.request(request, didSendContent: count, of: total)
        case .informational(let head): self.request(request, didReceiveInformational: head)
        case .redirected(let head, let next): self.request(request, wasRedirectedBy: head, to: next)
        case .challenged(let head, let scheme): self.request(request, wasChallengedBy: head, answeredBy: scheme)
        case .responded(let head): self.request(request, didReceiveResponse: head)
        case .exchangeEnded(let record): self.request(request, didGatherMetrics: record.metrics)
        case .validated(let refusal): self.request(request, didValidateWithError: refusal)
        case .destinationChosen(let url): self.request(request, didCreateDestinationURL: url)
        case .contentReceived(let count, let total): self.request(request, didReceiveContent: count, of: total)
        case .downloaded(let url): self.request(request, didFinishDownloadingTo: url)
        case .completed(let response): self.request(request, didComplete: response)
        case .serialized(let response): self.request(request, didParseResponse: response)
        case .waitingForConnectivity: requestIsWaitingForConnectivity(request)
        case .retrying(let delay, let error): requestIsRetrying(request, after: delay, dueTo: error)
        case .finished: requestDidFinish(request)
        }
    }
}
