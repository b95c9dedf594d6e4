public import ApusCore

/// Requires that all of several evaluators accept the server. They run in order, until one throws.
///
/// ```swift
/// let members: [any ServerTrustEvaluating] = [DefaultTrustEvaluator(), PublicKeysTrustEvaluator(keys: keys)]
/// let evaluator = CompositeTrustEvaluator(evaluators: members)
/// ```
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
    /// The evaluators, in order.
    public let evaluators: [any ServerTrustEvaluating]

    /// Creates an evaluator.
    ///
    /// - Parameter evaluators: The evaluators, in order. Without any, every server is rejected with
    ///   `invalidConfiguration`.
    public init(evaluators: [any ServerTrustEvaluating]) {
        self.evaluators = evaluators
    }

    /// Throws the error of the first evaluator that rejects the server.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        guard !evaluators.isEmpty else {
            throw ApusError(
                .invalidConfiguration,
                "the evaluator has no members, so nothing would be checked",
                hint: "to check nothing, use DisabledTrustEvaluator"
            )
        }
        for evaluator in evaluators { try await evaluator.evaluate(presented, forHost: host) }
    }

    public static func == (one: CompositeTrustEvaluator, other: CompositeTrustEvaluator) -> Bool {
        one.evaluators.map { AnyHashable($0) } == other.evaluators.map { AnyHashable($0) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(evaluators.map { AnyHashable($0) })
    }
}
