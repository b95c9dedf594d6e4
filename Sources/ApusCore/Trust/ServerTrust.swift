/// The rules by which a session, or a single request, trusts servers. Requests with different rules never share a
/// connection.
///
/// ```swift
/// var trust = ServerTrust()
/// trust.roots = .file("/etc/ssl/private-authority.pem")
/// let response = try await session.get(url, options: [trust])
/// ```
///
/// As an option of a request it replaces the setting of the session.
public struct ServerTrust: RequestOption, Hashable {
    /// The root certificates that a server's chain must end in.
    public enum Roots: Sendable, Hashable {
        /// The roots of the operating system.
        case system
        /// The roots in a PEM file, and no others.
        case file(String)
        /// The roots in the PEM files of a folder, and no others.
        case folder(String)
        /// The roots in PEM text, and no others.
        case pem(String)
        /// The roots of all members.
        indirect case all([Roots])
    }

    /// The checks of a server's certificate.
    public enum Verification: Sendable, Hashable {
        /// Checks the chain and the name.
        case full
        /// Checks the chain, and accepts any name.
        case chainOnly
        /// Checks nothing. Anyone on the network path can read and change all traffic.
        case none
    }

    /// The root certificates that a server's chain must end in. Default: `.system`.
    public var roots = Roots.system
    /// The checks of a server's certificate. An evaluator replaces them. Default: `.full`.
    public var verification = Verification.full

    /// Decides whether a server is trusted, in place of `verification`. Default: `nil`.
    ///
    /// Without one, the `ServerTrustManager` of the session applies.
    public var evaluator: (any ServerTrustEvaluating)? {
        get { reference?.evaluator }
        set { reference = newValue.map { EvaluatorReference(evaluator: $0) } }
    }

    private var reference: EvaluatorReference?

    /// Creates the default trust settings.
    public init() {}
}

/// An evaluator as a value to compare.
private struct EvaluatorReference: Sendable, Hashable {
    let evaluator: any ServerTrustEvaluating

    static func == (one: EvaluatorReference, other: EvaluatorReference) -> Bool {
        isEqual(one.evaluator, other.evaluator)
    }

    private static func isEqual<Value: Hashable>(_ one: Value, _ other: any Hashable) -> Bool {
        one == other as? Value
    }

    func hash(into hasher: inout Hasher) { evaluator.hash(into: &hasher) }
}
