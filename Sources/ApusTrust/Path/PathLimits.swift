/// Limits the work of a search for a path, since the server chooses the certificates.
package struct PathLimits: Sendable, Hashable {
    /// The maximum number of certificates in a path, with that of the server and the root. Default: 10.
    package var certificates = 10
    /// The maximum number of presented certificates that are considered. Default: 64.
    package var presentedCertificates = 64
    /// The maximum number of signatures that are checked. Default: 100.
    package var signatureChecks = 100
    /// The maximum number of certificates that are tried as an issuer, with those tried again on another path.
    /// Default: 1,000.
    package var steps = 1_000
    /// The maximum number of names that are compared with a name constraint. Default: 262,144.
    package var nameComparisons = 262_144

    /// Creates the default limits.
    package init() {}
}
