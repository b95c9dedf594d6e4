/// The limiters that hold a body back: that of its request, that of its session, or both.
struct TransferPace: Sendable {
    private let limiters: [BandwidthLimiter]
    /// The maximum number of bytes to take at once.
    let turnBytes: Int

    /// Returns `nil` if there is no limiter.
    init?(_ limiters: BandwidthLimiter?...) {
        let limiters = limiters.compactMap(\.self)
        guard let turnBytes = limiters.map(\.turnBytes).min() else { return nil }
        self.limiters = limiters
        self.turnBytes = turnBytes
    }

    /// Takes bytes. Returns the time until they may pass.
    func take(_ count: Int) -> Duration {
        limiters.map { $0.take(count) }.max() ?? .zero
    }

    /// Gives back bytes that were taken and do not pass.
    func giveBack(_ count: Int) {
        for limiter in limiters { limiter.giveBack(count) }
    }

    /// Takes a whole body if it is at most one turn and need not wait. Returns `false` if it takes nothing.
    func passesAtOnce(_ count: Int) -> Bool {
        guard count <= turnBytes else { return false }
        guard take(count) > .zero else { return true }
        giveBack(count)
        return false
    }

    /// Takes bytes, and returns when they may pass.
    ///
    /// - Throws: The error of the clock if the task is cancelled. The bytes are then given back.
    func pass(_ count: Int, in environment: SessionEnvironment) async throws {
        let wait = take(count)
        guard wait > .zero else { return }
        let (time, counters) = (environment.time, environment.counters)
        counters.add(to: .timers)
        defer { counters.remove(from: .timers) }
        do {
            try await time.sleep(until: time.now.advanced(by: wait))
        } catch {
            giveBack(count)
            throw error
        }
    }
}
