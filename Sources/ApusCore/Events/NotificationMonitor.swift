public import Dispatch
public import Foundation

/// A monitor that posts notifications, for code that has no access to the session.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.eventMonitors = [NotificationMonitor()]
/// let name = RequestEvent.didFinishNotification
/// let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
///     print("request \(notification.requestID?.description ?? "") is over")
/// }
/// ```
///
/// Notifications have no object. Their `userInfo` holds the request's identifier under `requestKey`, its summary under
/// `summaryKey`, and the event under `eventKey`. Read them with `Notification.requestID`, `Notification.requestSummary`
/// and `Notification.requestEvent`. The notification of a session's end has `sessionKey`, and `errorKey` if there is an
/// error.
public struct NotificationMonitor: EventMonitor {
    /// The `userInfo` key of the request's `RequestID`.
    public static let requestKey = "apus.notification.key.request"
    /// The `userInfo` key of the `RequestSummary`.
    public static let summaryKey = "apus.notification.key.summary"
    /// The `userInfo` key of the `RequestEvent`.
    public static let eventKey = "apus.notification.key.event"
    /// The `userInfo` key of the `SessionID` in `Session.didEndNotification`.
    public static let sessionKey = "apus.notification.key.session"
    /// The `userInfo` key of the `ApusError` in `Session.didEndNotification`, present if there was an error.
    public static let errorKey = "apus.notification.key.error"

    /// The serial queue that notifications are posted on.
    public let queue: DispatchQueue
    private let center: NotificationCenter

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - center: The center to post to. Default: `.default`.
    ///   - queue: The serial queue that notifications are posted on. Default: `.main`.
    public init(center: NotificationCenter = .default, queue: DispatchQueue = .main) {
        self.center = center
        self.queue = queue
    }

    public func request(_ request: RequestSummary, did event: RequestEvent) {
        guard let name = event.notificationName else { return }
        let info: [AnyHashable: Any] = [Self.requestKey: request.id, Self.summaryKey: request, Self.eventKey: event]
        center.post(name: name, object: nil, userInfo: info)
    }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        var info: [AnyHashable: Any] = [Self.sessionKey: session]
        info[Self.errorKey] = error
        center.post(name: Session.didEndNotification, object: nil, userInfo: info)
    }
}

extension Session {
    /// Posted by a `NotificationMonitor` when a session has ended. `Notification.sessionID` identifies it.
    public static let didEndNotification = Notification.Name("apus.notification.name.session.didEnd")
}

extension RequestEvent {
    /// Posted by a `NotificationMonitor` when `resume()` took effect.
    public static let didResumeNotification = named("didResume")
    /// Posted by a `NotificationMonitor` when `suspend()` took effect.
    public static let didSuspendNotification = named("didSuspend")
    /// Posted by a `NotificationMonitor` when `cancel()` took effect.
    public static let didCancelNotification = named("didCancel")
    /// Posted by a `NotificationMonitor` when an exchange was handed to the transport. A request may have several.
    public static let didBeginExchangeNotification = named("didBeginExchange")
    /// Posted by a `NotificationMonitor` when an exchange ended. A request may have several.
    public static let didEndExchangeNotification = named("didEndExchange")
    /// Posted by a `NotificationMonitor` when a retrier repeats the request.
    public static let isRetryingNotification = named("isRetrying")
    /// Posted by a `NotificationMonitor` when the network part of an attempt ended.
    public static let didCompleteNotification = named("didComplete")
    /// Posted by a `NotificationMonitor` when the request is over.
    public static let didFinishNotification = named("didFinish")

    private static func named(_ name: String) -> Notification.Name {
        Notification.Name("apus.notification.name.request.\(name)")
    }

    /// The notification for this event, `nil` for the many intermediate steps.
    fileprivate var notificationName: Notification.Name? {
        switch self {
        case .resumed: Self.didResumeNotification
        case .suspended: Self.didSuspendNotification
        case .cancelled: Self.didCancelNotification
        case .exchangeBegan: Self.didBeginExchangeNotification
        case .exchangeEnded: Self.didEndExchangeNotification
        case .retrying: Self.isRetryingNotification
        case .completed: Self.didCompleteNotification
        case .finished: Self.didFinishNotification
        case .created, .creationFailed, .adapted, .adaptationFailed, .contentSent, .informational, .redirected,
            .challenged, .responded, .validated, .destinationChosen, .contentReceived, .downloaded, .serialized,
            .waitingForConnectivity:
            nil
        }
    }
}

extension Notification {
    /// The request of a `NotificationMonitor`'s notification.
    public var requestID: RequestID? { userInfo?[NotificationMonitor.requestKey] as? RequestID }

    /// The summary of the request of a `NotificationMonitor`'s notification.
    public var requestSummary: RequestSummary? { userInfo?[NotificationMonitor.summaryKey] as? RequestSummary }

    /// The session of a `NotificationMonitor`'s notification.
    public var sessionID: SessionID? { userInfo?[NotificationMonitor.sessionKey] as? SessionID }

    /// The event of a `NotificationMonitor`'s notification.
    public var requestEvent: RequestEvent? { userInfo?[NotificationMonitor.eventKey] as? RequestEvent }
}
