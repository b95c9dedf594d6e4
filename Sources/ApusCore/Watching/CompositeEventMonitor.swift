public import Dispatch

/// Several monitors as one: each is told on its own queue, and all in the same order.
///
/// ```swift
/// let watchers = CompositeEventMonitor(monitors: [NotificationMonitor(), ClosureEventMonitor { print($0, $1) }])
/// var configuration = Session.Configuration()
/// configuration.eventMonitors = [watchers]
/// ```
///
/// A session tells the members themselves, as if they had been given to it one by one.
public struct CompositeEventMonitor: EventMonitor {
    /// Where it takes events from whoever tells it other than a session; its members have queues of their own.
    public let queue = DispatchQueue(label: "apus.composite-event-monitor")
    private let pump: EventPump

    /// Makes one of several.
    ///
    /// - Parameter monitors: Who is told; composites among them count as their members.
    public init(monitors: [any EventMonitor]) {
        self.pump = EventPump(monitors)
    }

    /// Who is told; no composites are among them.
    public var monitors: [any EventMonitor] { pump.monitors }

    /// Whether one of its members does.
    public var hearsProgress: Bool { pump.hearsProgress }

    public func request(_ request: RequestID, did event: RequestEvent) {
        pump.relay(.request(request, event))
    }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        pump.relay(.sessionEnd((session, error)))
    }
}
