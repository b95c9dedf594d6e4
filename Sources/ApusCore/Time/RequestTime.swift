public import Foundation

/// The clock that everything above the transport lives by.
///
/// `SystemTime` is the machine's; `ManualClock` (ApusTesting) is moved by hand, so that no test has to wait.
public protocol RequestTime: Sendable {
    /// The monotonic clock.
    var now: MonotonicInstant { get }

    /// The wall clock, for what is exchanged as a date.
    var wallClock: Date { get }

    /// Returns when the monotonic clock has reached `deadline`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(until deadline: MonotonicInstant) async throws
}

/// The machine's own clocks.
public struct SystemTime: RequestTime {
    /// Makes the one value there is.
    public init() {}

    public var now: MonotonicInstant { .now }

    public var wallClock: Date { Date() }

    public func sleep(until deadline: MonotonicInstant) async throws {
        try await Task.sleep(for: now.duration(to: deadline))
    }
}
