public import Foundation

/// The clock of everything above the transport. The transport gets durations, and uses the clock of its event loop.
///
/// `SystemClock` is the machine's clock. `ManualClock` (ApusTesting) is advanced by hand, so that tests need not wait.
public protocol SessionClock: Sendable {
    /// The current time of the monotonic clock.
    var now: MonotonicInstant { get }

    /// The wall-clock time, for dates in messages.
    var wallClock: Date { get }

    /// Returns when the monotonic clock reaches `deadline`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(until deadline: MonotonicInstant) async throws
}

/// The machine's own clocks.
public struct SystemClock: SessionClock {
    /// Creates the machine's clocks.
    public init() {}

    public var now: MonotonicInstant { .now }

    public var wallClock: Date { Date() }

    public func sleep(until deadline: MonotonicInstant) async throws {
        try await Task.sleep(for: now.duration(to: deadline))
    }
}
