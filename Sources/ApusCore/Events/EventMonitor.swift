public import Dispatch
internal import Foundation

/// Observes every step of every request, for logging, metrics and tests.
///
/// A monitor receives the events of a request in order, on `queue`, which must be serial. Events that arrive while the
/// queue is busy are delivered together. A monitor cannot change a request. Use middleware for that.
public protocol EventMonitor: Sendable {
    /// The serial queue that events are delivered on. Events for a blocked queue are kept in memory, without a limit.
    /// Default: `.main`.
    var queue: DispatchQueue { get }

    /// The maximum time that events are collected before delivery. With zero, each event is dispatched at once, which
    /// costs a busy session more than the requests themselves. Default: 5 ms.
    var latency: Duration { get }

    /// Whether `contentSent` and `contentReceived` events are delivered. Read once, when a session is created.
    ///
    /// Each write and each read causes at most one event. If several are waiting for the same body, only the last is
    /// delivered. Default: `false`.
    var receivesProgress: Bool { get }

    /// Called for each event.
    ///
    /// - Parameters:
    ///   - request: The request, the same for all its attempts and exchanges.
    ///   - event: The event.
    func request(_ request: RequestID, did event: RequestEvent)

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

extension EventMonitor {
    public var queue: DispatchQueue { .main }

    public var latency: Duration { .milliseconds(5) }

    public var receivesProgress: Bool { false }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {}
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
