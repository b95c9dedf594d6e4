public import ApusCore

/// A change in the state of an origin's circuit, as reported by a `CircuitBreaker`.
public struct CircuitChange: Sendable, Hashable {
    /// The origin of the circuit.
    public let origin: Origin
    /// The previous state.
    public let from: CircuitBreaker.State
    /// The new state.
    public let to: CircuitBreaker.State
    /// A description of why the circuit last opened.
    public let reason: String
}

extension CircuitChange: CustomStringConvertible {
    /// A one-sentence description.
    public var description: String {
        switch to {
        case .closed: "the circuit of \(origin) is closed again"
        case .open: "the circuit of \(origin) is open: \(reason)"
        case .halfOpen: "the circuit of \(origin) is half open: a trial is in progress"
        }
    }
}

/// The reason why a circuit breaker rejected a request: the `underlying` of an error with the code `circuitOpen`.
public struct OpenCircuit: Error, Sendable, Hashable {
    /// The origin whose circuit is open.
    public let origin: Origin
    /// A description of why the circuit opened.
    public let reason: String
    /// The remaining time until the next trial. `nil` if trials are running already.
    public let remaining: Duration?

    /// The error of the rejected request.
    var error: ApusError {
        let prospect = remaining.map { "the next trial is in \($0.formatted)" } ?? "a trial is in progress"
        return ApusError(
            .circuitOpen,
            "the circuit of \(origin) is open because \(reason); \(prospect)",
            underlying: self
        )
    }
}
