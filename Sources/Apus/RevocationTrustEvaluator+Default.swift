public import ApusCore
public import ApusTrust
public import Logging

extension RevocationTrustEvaluator {
    private static let sharedChecker = RevocationChecker(fetcher: SessionRevocationFetcher())

    /// Creates an evaluator.
    ///
    /// Responders are asked by a session of its own, with the proxies of the environment and without cookies and
    /// credentials. All evaluators share it, and the answers that it keeps.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: Whether the chain is validated first. If not, and `validateHost` is `false` too,
    ///     the chain is the one that another evaluator of a `CompositeTrustEvaluator` has validated before. If there
    ///     is none, it is validated all the same, with any host. Default: `true`.
    ///   - validateHost: Whether the chain is validated first, and its certificate must name the host. Default: `true`.
    ///   - options: The methods of the checks, and their strictness. Without a method, every server is rejected with
    ///     `invalidConfiguration`. Default: `.any`.
    ///   - addressGuard: Decides which addresses of responders may be connected to. `nil` for the guard of the
    ///     request (`AddressRules.guard`), if it has one. Default: `nil`.
    ///   - logger: The logger of the warnings. Default: one with the label `apus`.
    public init(
        performDefaultValidation: Bool = true,
        validateHost: Bool = true,
        options: Options = .any,
        addressGuard: AddressGuard? = nil,
        logger: Logger = Logger(label: "apus")
    ) {
        self.init(
            performDefaultValidation: performDefaultValidation,
            validateHost: validateHost,
            options: options,
            addressGuard: addressGuard,
            logger: logger,
            checker: Self.sharedChecker
        )
    }
}
