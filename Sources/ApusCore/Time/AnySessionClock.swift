package import Foundation

/// A session's clock of any kind. If it is the machine's clock, it costs less to copy and to read than an existential.
package struct AnySessionClock: SessionClock {
    private final class Box: Sendable {
        let clock: any SessionClock

        init(_ clock: any SessionClock) {
            self.clock = clock
        }
    }

    /// `nil` for the machine's clock.
    private let box: Box?

    package init(_ clock: any SessionClock) {
        box = clock is SystemClock ? nil : Box(clock)
    }

    package var now: MonotonicInstant {
        guard let box else { return .now }
        return box.clock.now
    }

    package var wallClock: Date { box?.clock.wallClock ?? SystemClock().wallClock }

    package func sleep(until deadline: MonotonicInstant) async throws {
        guard let box else { return try await SystemClock().sleep(until: deadline) }
        try await box.clock.sleep(until: deadline)
    }
}
