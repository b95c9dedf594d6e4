public import Dispatch
public import Foundation

/// A monitor that posts notifications, for who wants to know of requests without knowing their session.
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
/// A notification is about no object; which request it was, and what happened, stands in its `userInfo`, by
/// `requestKey` and `eventKey`, and is read by `Notification.requestID` and `Notification.requestEvent`. That of a session's
/// end has `sessionKey`, and `errorKey` where there is an error.
public struct NotificationMonitor: EventMonitor {
    /// Where the number of the request stands in a notification's `userInfo`: a `RequestID`.
    public static let requestKey = "apus.notification.key.request"
    /// Where the event stands in a notification's `userInfo`: a `RequestEvent`.
    public static let eventKey = "apus.notification.key.event"
    /// Where the number of the session stands in the `userInfo` of `Session.didEndNotification`: a `SessionID`.
    public static let sessionKey = "apus.notification.key.session"
    /// Where the error stands in the `userInfo` of `Session.didEndNotification`: an `ApusError`, where there was one.
    public static let errorKey = "apus.notification.key.error"

    /// The serial queue that notifications are posted on.
    public let queue: DispatchQueue
    private let center: NotificationCenter

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - center: Where it posts; the default center by default.
    ///   - queue: The serial queue that it posts on; `.main` by default.
    public init(center: NotificationCenter = .default, queue: DispatchQueue = .main) {
        self.center = center
        self.queue = queue
    }

    public func request(_ request: RequestID, did event: RequestEvent) {
        guard let name = event.notificationName else { return }
        center.post(name: name, object: nil, userInfo: [Self.requestKey: request, Self.eventKey: event])
    }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        var info: [AnyHashable: Any] = [Self.sessionKey: session]
        info[Self.errorKey] = error
        center.post(name: Session.didEndNotification, object: nil, userInfo: info)
    }
}

extension Session {
    /// Posted by a `NotificationMonitor` when a session is over; `Notification.sessionID` says which.
    public static let didEndNotification = Notification.Name("apus.notification.name.session.didEnd")
}

extension RequestEvent {
    /// Posted by a `NotificationMonitor` when `resume()` took effect.
    public static let didResumeNotification = named("didResume")
    /// Posted by a `NotificationMonitor` when `suspend()` took effect.
    public static let didSuspendNotification = named("didSuspend")
    /// Posted by a `NotificationMonitor` when `cancel()` took effect.
    public static let didCancelNotification = named("didCancel")
    /// Posted by a `NotificationMonitor` when an exchange was handed to the transport; there may be several.
    public static let didBeginExchangeNotification = named("didBeginExchange")
    /// Posted by a `NotificationMonitor` when an exchange ended; there may be several.
    public static let didEndExchangeNotification = named("didEndExchange")
    /// Posted by a `NotificationMonitor` when a retrier has the request go again.
    public static let isRetryingNotification = named("isRetrying")
    /// Posted by a `NotificationMonitor` when the work on the wire is over, for an attempt.
    public static let didCompleteNotification = named("didComplete")
    /// Posted by a `NotificationMonitor` when the request is over.
    public static let didFinishNotification = named("didFinish")

    private static func named(_ name: String) -> Notification.Name {
        Notification.Name("apus.notification.name.request.\(name)")
    }

    /// What is posted of it; most events are steps that nobody else needs to hear of.
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
    /// The request that a `NotificationMonitor` tells of.
    public var requestID: RequestID? { userInfo?[NotificationMonitor.requestKey] as? RequestID }

    /// The session that a `NotificationMonitor` tells of.
    public var sessionID: SessionID? { userInfo?[NotificationMonitor.sessionKey] as? SessionID }

    /// What happened to the request that a `NotificationMonitor` tells of.
    public var requestEvent: RequestEvent? { userInfo?[NotificationMonitor.eventKey] as? RequestEvent }
}
