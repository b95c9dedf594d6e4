public import Dispatch

/// Combines several monitors into one. Each receives the same events in the same order, on its own queue.
///
/// ```swift
/// let watchers = CompositeEventMonitor(monitors: [NotificationMonitor(), ClosureEventMonitor { print($0, $1) }])
/// var configuration = Session.Configuration()
/// configuration.eventMonitors = [watchers]
/// ```
///
/// A session delivers events directly to the members, as if each had been added to it alone.
public struct CompositeEventMonitor: EventMonitor {
    /// The queue for events from callers other than a session. The members have their own queues.
    public let queue = DispatchQueue(label: "apus.composite-event-monitor")
    private let dispatcher: EventDispatcher

    /// Combines several monitors.
    ///
    /// - Parameter monitors: The monitors. Composites among them are replaced by their members.
    public init(monitors: [any EventMonitor]) {
        self.dispatcher = EventDispatcher(monitors)
    }

    /// The members, without composites.
    public var monitors: [any EventMonitor] { dispatcher.monitors }

    /// Whether a member receives progress events.
    public var receivesProgress: Bool { dispatcher.receivesProgress }

    /// The largest number of bytes that a member asks for.
    public var bodyPrefixBytes: Int { dispatcher.bodyPrefixBytes }

    public func request(_ request: RequestSummary, did event: RequestEvent) {
        dispatcher.relay(.request(request, event))
    }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        dispatcher.relay(.sessionEnd((session, error)))
    }
}
