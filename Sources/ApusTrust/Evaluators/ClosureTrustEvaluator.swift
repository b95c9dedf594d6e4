public import ApusCore
internal import Foundation

/// Decides with a closure whether a server is trusted.
///
/// ```swift
/// let evaluator = ClosureTrustEvaluator { presented, host in
///     let chain = try await presented.validated()
///     guard chain.count <= 3 else { throw CertificateRejection.other("its chain is too long") }
/// }
/// ```
///
/// Closures can't be compared, so each evaluator is equal only to its copies. Keep one, rather than create it for each
/// request: requests with different evaluators share no connection. Evaluators that decide in the same way can be
/// created with the same identity.
public struct ClosureTrustEvaluator: ServerTrustEvaluating {
    /// The identity. Evaluators with the same one are equal.
    public let identity: String
    private let body: @Sendable (PresentedChain, String) async throws -> Void

    /// Creates an evaluator.
    ///
    /// - Parameters:
    ///   - identity: The identity. Evaluators with the same one are equal. `nil` for a unique one. Default: `nil`.
    ///   - body: Throws if the server is not trusted.
    public init(
        identity: String? = nil,
        _ body: @escaping @Sendable (_ presented: PresentedChain, _ host: String) async throws -> Void
    ) {
        self.identity = identity ?? UUID().uuidString
        self.body = body
    }

    /// Throws the error of the closure.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        try await body(presented, host)
    }

    public static func == (one: ClosureTrustEvaluator, other: ClosureTrustEvaluator) -> Bool {
        one.identity == other.identity
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
