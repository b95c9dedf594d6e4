public import ApusCore
public import Logging

/// Accepts every server, and logs a warning once for each host. Anyone on the network path can read and change all
/// traffic.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
    private let logger: Logger

    /// Creates an evaluator.
    ///
    /// - Parameter logger: The logger of the warning. Default: one with the label `apus`.
    public init(logger: Logger = Logger(label: "apus")) {
        self.logger = logger
    }

    /// Accepts the server.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        guard WarnedHosts.shared.insert(host) else { return }
        logger.warning("The certificate of \(host) is not checked: a DisabledTrustEvaluator is set for it.")
    }

    /// All are equal, since they decide in the same way.
    public static func == (one: DisabledTrustEvaluator, other: DisabledTrustEvaluator) -> Bool { true }

    public func hash(into hasher: inout Hasher) {}
}

/// The hosts for which a warning was logged.
private final class WarnedHosts: Sendable {
    static let shared = WarnedHosts()
    /// The maximum number of hosts. Beyond it, all are forgotten.
    private static let capacity = 1000

    private let hosts = Lock(Set<String>())

    /// Returns whether the host is new.
    func insert(_ host: String) -> Bool {
        hosts.withLock { hosts in
            if hosts.count >= Self.capacity { hosts = [] }
            return hosts.insert(host).inserted
        }
    }
}
