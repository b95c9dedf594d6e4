public import Apus
internal import ApusCore
public import Dispatch

/// A monitor that remembers every event, for tests.
public final class RecordingEventMonitor: EventMonitor {
    public let queue = DispatchQueue(label: "apus.recording-event-monitor")
    /// It is told at once.
    public let latency = Duration.zero
    private let stored = Lock<[(RequestID, RequestEvent)]>([])

    /// Makes a monitor that remembers nothing yet.
    public init() {}

    public func request(_ request: RequestID, did event: RequestEvent) {
        stored.withLock { $0.append((request, event)) }
    }

    /// The events of all requests, in the order in which they came.
    ///
    /// It waits for those that are on their way to this monitor's queue.
    public var events: [(request: RequestID, event: RequestEvent)] {
        queue.sync {}
        return stored.withLock { $0.map { (request: $0.0, event: $0.1) } }
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
        case .informational: "informational"
        case .responded: "responded"
        case .exchangeEnded: "exchangeEnded"
        case .validated: "validated"
        case .downloaded: "downloaded"
        case .completed: "completed"
        case .serialized: "serialized"
        case .retrying: "retrying"
        case .finished: "finished"
        }
    }
}
