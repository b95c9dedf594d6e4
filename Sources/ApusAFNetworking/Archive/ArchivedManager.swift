internal import Apus
internal import ApusCore
internal import Foundation

/// The contents of an archive.
struct ArchivedManager: Codable, Hashable {
    let baseURL: String?
    let configuration: ArchivedConfiguration
    let requestSerializer: ArchivedRequestSerializer
    let responseSerializer: ArchivedResponseSerializer
    let securityPolicy: ArchivedPolicy

    func url() throws(ApusError) -> URL? {
        guard let baseURL else { return nil }
        guard let url = URL(string: baseURL) else { throw .archived("an invalid base URL") }
        return url
    }
}

/// A security policy in an archive.
struct ArchivedPolicy: Codable, Hashable {
    let pinningMode: AFSecurityPolicy.PinningMode
    let pinnedCertificates: [Data]
    let allowInvalidCertificates: Bool
    let validatesDomainName: Bool

    init(_ policy: AFSecurityPolicy) {
        self.pinningMode = policy.pinningMode
        self.pinnedCertificates = policy.pinnedCertificates.sorted { $0.lexicographicallyPrecedes($1) }
        self.allowInvalidCertificates = policy.allowInvalidCertificates
        self.validatesDomainName = policy.validatesDomainName
    }

    var policy: AFSecurityPolicy {
        var policy = AFSecurityPolicy(pinningMode: pinningMode, pinnedCertificates: Set(pinnedCertificates))
        policy.allowInvalidCertificates = allowInvalidCertificates
        policy.validatesDomainName = validatesDomainName
        return policy
    }
}

extension ApusError {
    /// Returns an error for an invalid value in an archive.
    static func archived(_ problem: String) -> ApusError {
        ApusError(.invalidConfiguration, "the archive has \(problem)")
    }
}
