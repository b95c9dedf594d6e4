/// Chooses the evaluator of each host.
///
/// ```swift
/// let pins = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
/// var configuration = Session.Configuration()
/// configuration.serverTrustManager = ServerTrustManager(
///     allHostsMustBeEvaluated: false,
///     evaluators: ["api.example.org": PublicKeysTrustEvaluator(keys: pins)]
/// )
/// ```
///
/// A key is a host or a pattern. `*.example.org` stands for names with exactly one label before `example.org`, as in a
/// certificate. `**.example.org` stands for names with any number of them. Neither stands for `example.org` itself, or
/// for an IP address. The exact host counts first, then the longest pattern.
///
/// Hosts are compared without regard to case. An internationalized name can have either form. An IPv6 address can have
/// brackets.
public struct ServerTrustManager: Sendable {
    /// Whether a host without an evaluator is rejected. If not, the session's `trust` applies to it.
    public let allHostsMustBeEvaluated: Bool
    /// The evaluators by host or pattern.
    public let evaluators: [String: any ServerTrustEvaluating]

    private let patterns: Result<HostPatterns<any ServerTrustEvaluating>, ApusError>

    /// Creates a manager.
    ///
    /// If a pattern is malformed, or if two patterns mean the same hosts, every request over TLS fails with
    /// `invalidConfiguration`.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: Whether a host without an evaluator is rejected. Default: `true`.
    ///   - evaluators: The evaluators by host or pattern.
    public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = evaluators
        do throws(ApusError) {
            self.patterns = .success(try HostPatterns(evaluators))
        } catch {
            self.patterns = .failure(error)
        }
    }

    /// Returns the evaluator of a host. `nil` if it has none and needs none.
    ///
    /// - Parameter host: A host name or an IP address.
    /// - Returns: The evaluator, or `nil`.
    /// - Throws: `ApusError` with the code `certificateRejected` if the host has no evaluator and needs one. Its
    ///   `underlying` is `CertificateRejection.noEvaluator`. With `invalidConfiguration` if a pattern is malformed.
    public func serverTrustEvaluator(forHost host: String) throws(ApusError) -> (any ServerTrustEvaluating)? {
        if let evaluator = try patterns.get().value(for: host) { return evaluator }
        guard allHostsMustBeEvaluated else { return nil }
        let reason = CertificateRejection.noEvaluator
        throw ApusError(
            .certificateRejected,
            reason.description(for: host),
            hint: "add one to serverTrustManager, or set allHostsMustBeEvaluated to false",
            underlying: reason
        )
    }
}

extension SessionConfiguration {
    /// Returns the trust for an origin: that of the request or the session, with the evaluator of the
    /// `serverTrustManager` unless it has one of its own.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request.
    ///   - option: The trust of the request. `nil` for that of the session.
    /// - Returns: The trust of connections for the request.
    /// - Throws: The errors of `serverTrustEvaluator(forHost:)`.
    package func trust(for origin: Origin, option: ServerTrust?) throws(ApusError) -> ServerTrust {
        var trust = option ?? self.trust
        guard let serverTrustManager, trust.evaluator == nil, origin.scheme == .https else { return trust }
        trust.evaluator = try serverTrustManager.serverTrustEvaluator(forHost: origin.host)
        return trust
    }
}
