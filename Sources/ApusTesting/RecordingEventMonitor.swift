public import Apus
internal import ApusCore
public import Dispatch

/// An event monitor that records every event, for tests.
public final class RecordingEventMonitor: EventMonitor {
    public let queue = DispatchQueue(label: "apus.recording-event-monitor")
    /// Events are delivered without delay.
    public let latency = Duration.zero
    public let receivesProgress: Bool

    private struct Record {
        var events: [(request: RequestSummary, event: RequestEvent)] = []
        var sessionEnds: [(session: SessionID, error: ApusError?)] = []
    }

    private let stored = Lock(Record())

    /// Creates a monitor without any recorded events.
    ///
    /// - Parameter receivesProgress: Whether to record `contentSent` and `contentReceived` too. Default: `false`.
    public init(receivesProgress: Bool = false) {
        self.receivesProgress = receivesProgress
    }

    public func request(_ request: RequestSummary, did event: RequestEvent) {
        stored.withLock { $0.events.append((request, event)) }
    }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        stored.withLock { $0.sessionEnds.append((session, error)) }
    }

    /// The events of all requests, in order.
    ///
    /// Waits for events that are still queued for this monitor.
    public var events: [(request: RequestID, event: RequestEvent)] {
        queue.sync {}
        return stored.withLock { $0.events }.map { (request: $0.request.id, event: $0.event) }
    }

    /// The summaries that came with the events of one request, in order.
    ///
    /// Waits for events that are still queued for this monitor.
    public func summaries(of request: RequestID) -> [RequestSummary] {
        queue.sync {}
        return stored.withLock { $0.events }.map(\.request).filter { $0.id == request }
    }

    /// The ended sessions, in order, each with its error if it has one.
    ///
    /// Waits for events that are still queued for this monitor.
    public var sessionEnds: [(session: SessionID, error: ApusError?)] {
        queue.sync {}
        return stored.withLock { $0.sessionEnds }
    }

    /// The names of one request's events, in order: `resumed`, `created` …
    public func names(of request: RequestID) -> [String] {
        events.filter { $0.request == request }.map { Self.name($0.event) }
    }

    private static func name(_ event: RequestEvent) -> String {
        switch event {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .cancelled: "cancelled"
        case .created: "created"
        case .creationFailed: "creationFailed"
        case .adapted: "adapted"
        case .adaptationFailed: "adaptationFailed"
        case .exchangeBegan: "exchangeBegan"
        case .contentSent: "contentSent"
        case .informational: "informational"
        case .redirected: "redirected"
        case .challenged: "challenged"
        case .responded: "responded"
        case .exchangeEnded: "exchangeEnded"
        case .validated: "validated"
        case .destinationChosen: "destinationChosen"
        case .contentReceived: "contentReceived"
        case .downloaded: "downloaded"
        case .completed: "completed"
        case .serialized: "serialized"
        case .waitingForConnectivity: "waitingForConnectivity"
        case .retrying: "retrying"
        case .finished: "finished"
        }
    }
}
