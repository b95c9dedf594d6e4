internal import Foundation

/// The limits of the checks for revoked certificates, since a server chooses its certificates and a network path has
/// access to the responses.
package enum RevocationLimits {
    /// The maximum size of a response.
    package static let responseBytes = 64 << 10
    /// The maximum time of a request to a responder.
    package static let responseTime = Duration.seconds(5)
    /// The maximum number of certificates of a chain that are checked.
    static let certificates = 3
    /// The maximum number of answers that are kept.
    static let keptAnswers = 1_000
    /// How long an answer without an end, and a failure, are kept.
    static let failureTime: TimeInterval = 30
    /// The maximum time that an answer is kept, so that a certificate that is revoked later is noticed.
    static let longestTime: TimeInterval = 7 * 24 * 3600
    /// The maximum age of an answer without an end.
    static let openAnswerAge: TimeInterval = 24 * 3600
    /// The maximum difference between the clocks of a responder and of this machine.
    static let clockSkew: TimeInterval = 300
    /// The maximum number of certificates in a response that are considered.
    static let responderCertificates = 8
    /// The maximum length of the URL of a responder.
    static let urlBytes = 2048
}
