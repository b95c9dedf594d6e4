public import ApusCore

/// What a circuit breaker tells: the circuit of an origin has another state.
public struct CircuitChange: Sendable, Hashable {
    /// The origin.
    public let origin: Origin
    /// What became of its requests until now.
    public let from: CircuitBreaker.State
    /// What becomes of them from now on.
    public let to: CircuitBreaker.State
    /// Why it opened last, in words.
    public let reason: String
}

extension CircuitChange: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch to {
        case .closed: "the circuit of \(origin) is closed again"
        case .open: "the circuit of \(origin) is open: \(reason)"
        case .halfOpen: "the circuit of \(origin) is half open: a trial is under way"
        }
    }
}

/// Why a circuit breaker refused a request: the `underlying` of an error with the code `circuitOpen`.
public struct OpenCircuit: Error, Sendable, Hashable {
    /// The origin that is spared.
    public let origin: Origin
    /// Why its circuit opened, in words.
    public let reason: String
    /// How long it stays open; `nil` where trials are under way and decide.
    public let remaining: Duration?

    /// The error of a request that is not sent.
    var error: ApusError {
        let prospect = remaining.map { "the next try is in \($0.spoken)" } ?? "a trial is under way, and decides"
        return ApusError(
            .circuitOpen,
            "the circuit of \(origin) is open, since \(reason); \(prospect)",
            underlying: self
        )
    }
}
