internal import ApusCore
internal import Foundation

/// Searches for a path from a certificate to a root: depth first, with the most likely issuer first.
///
/// The first pass follows only authorities that pass their checks. If it finds no path, the second one also follows the
/// others, and so learns how far a path could get and the reason for which it fails.
struct PathSearch {
    private let presented: ArraySlice<ParsedCertificate>
    private let anchors: any AnchorSource
    private let date: Date
    private let limits: PathLimits

    /// The number of signatures that were checked, in both passes.
    private(set) var signatureChecks = 0
    /// The number of certificates that were tried as an issuer, in the current pass.
    private(set) var steps = 0
    private var nameConstraints: NameConstraintCheck
    private var checkedSignatures: [SignedBy: Bool] = [:]
    private var knownAnchors: [[UInt8]: [ParsedCertificate]] = [:]
    private var furthest: Failure?
    private var isExhausted = false

    /// A path that failed.
    private struct Failure {
        let reachesAnchor: Bool
        let certificates: Int
        let flaw: CertificateFlaw
    }

    /// A signature and the key that it may be made with. Several certificates can have the same key.
    private struct SignedBy: Hashable {
        let certificate: ParsedCertificate
        let key: [UInt8]

        func hash(into hasher: inout Hasher) {
            hasher.combine(certificate)
            key.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    init(presented: [ParsedCertificate], anchors: any AnchorSource, date: Date, limits: PathLimits) {
        self.presented = presented.prefix(limits.presentedCertificates)
        self.anchors = anchors
        self.date = date
        self.limits = limits
        nameConstraints = NameConstraintCheck(comparisons: limits.nameComparisons)
    }

    /// Searches for a path from the certificate of a server to a root.
    ///
    /// - Parameters:
    ///   - leaf: The certificate.
    ///   - flaw: The flaw of the certificate itself. Its rejection is returned if the path is valid otherwise.
    /// - Returns: The path, or the rejection of the path that got furthest.
    /// - Throws: `invalidConfiguration` if the roots can't be read.
    mutating func run(
        from leaf: ParsedCertificate,
        flaw: CertificateFlaw?
    ) throws(ApusError) -> Result<[ParsedCertificate], CertificateRejection> {
        if flaw == nil, let path = try extended([leaf], flaw: nil, isStrict: true) { return .success(path) }
        steps = 0
        if let path = try extended([leaf], flaw: flaw, isStrict: false) { return .success(path) }
        if isExhausted, furthest?.reachesAnchor != true {
            return .failure(.other("its chain has too many branches"))
        }
        return .failure((furthest?.flaw ?? .untrusted(leaf)).rejection)
    }

    /// Extends a path to a root.
    ///
    /// - Parameters:
    ///   - path: The certificates from that of the server on.
    ///   - flaw: The first flaw of the path. It is `nil` in the strict pass.
    ///   - isStrict: Whether authorities that fail their checks are left out.
    /// - Returns: The whole path. `nil` if there is none.
    /// - Throws: `invalidConfiguration` if the roots can't be read.
    private mutating func extended(
        _ path: [ParsedCertificate],
        flaw: CertificateFlaw?,
        isStrict: Bool
    ) throws(ApusError) -> [ParsedCertificate]? {
        let child = path[path.count - 1]
        let candidates = try self.candidates(for: child, path: path)
        if candidates.isEmpty { note(path, isStrict, .untrusted(path[0])) }
        for candidate in candidates {
            let issuer = candidate.certificate
            guard path.count < limits.certificates else {
                note(path, isStrict, flaw ?? .plain(.chainTooLong))
                return nil
            }
            guard steps < limits.steps, !Task.isCancelled else {
                isExhausted = true
                return nil
            }
            steps += 1
            let ownFlaw = self.flaw(of: candidate, after: path)
            if isStrict, ownFlaw != nil { continue }
            guard let isSigned = self.isSigned(child, by: issuer) else {
                isExhausted = true
                continue
            }
            guard isSigned else {
                note(path, isStrict, flaw ?? Self.misSigned(path), reachesAnchor: candidate.isAnchor)
                continue
            }
            let longer = path + [issuer]
            let firstFlaw = flaw ?? ownFlaw
            if candidate.isAnchor {
                guard let firstFlaw else { return longer }
                note(longer, isStrict, firstFlaw, reachesAnchor: true)
            } else if let found = try extended(longer, flaw: firstFlaw, isStrict: isStrict) {
                return found
            }
        }
        return nil
    }

    // MARK: Candidates

    private struct Candidate {
        let certificate: ParsedCertificate
        let isAnchor: Bool
    }

    /// Returns the certificates with the name of the issuer, roots first. One whose name and key are already in the
    /// path is left out: it would make a loop, and no path becomes valid by it.
    private mutating func candidates(
        for child: ParsedCertificate,
        path: [ParsedCertificate]
    ) throws(ApusError) -> [Candidate] {
        let roots = try self.roots(named: child.issuerBytes)
        let others = presented.filter { $0.subjectBytes == child.issuerBytes && !roots.contains($0) }
        let found =
            ranked(roots, for: child).map { Candidate(certificate: $0, isAnchor: true) }
            + ranked(others, for: child).map { Candidate(certificate: $0, isAnchor: false) }
        return found.filter { candidate in
            !path.contains {
                $0.subjectBytes == candidate.certificate.subjectBytes
                    && $0.publicKeyInfo == candidate.certificate.publicKeyInfo
            }
        }
    }

    private mutating func roots(named subject: [UInt8]) throws(ApusError) -> [ParsedCertificate] {
        if let known = knownAnchors[subject] { return known }
        let found = try anchors.anchors(named: subject)
        knownAnchors[subject] = found
        return found
    }

    /// Orders candidates by their key identifier, RFC 5280 §4.2.1.1, and by their validity.
    private func ranked(_ candidates: [ParsedCertificate], for child: ParsedCertificate) -> [ParsedCertificate] {
        guard candidates.count > 1 else { return candidates }
        func rank(_ candidate: ParsedCertificate) -> Int {
            let isValid = candidate.validityRejection(at: date) == nil
            guard let wanted = child.extensions.authorityKeyIdentifier,
                let key = candidate.extensions.subjectKeyIdentifier
            else {
                return isValid ? 2 : 3
            }
            return (wanted == key ? 0 : 4) + (isValid ? 0 : 1)
        }
        return candidates.map { (rank($0), $0) }.sorted { $0.0 < $1.0 }.map { $0.1 }
    }

    // MARK: Checks

    /// Returns the flaw of an authority, alone and as the issuer of a path.
    private mutating func flaw(of candidate: Candidate, after path: [ParsedCertificate]) -> CertificateFlaw? {
        let issuer = candidate.certificate
        let own = CertificateChecks.flaw(ofAuthority: issuer, isAnchor: candidate.isAnchor, at: date)
        if let own { return .authority(issuer, own) }
        // The limit counts no self-issued authority, such as one that signs its next key: RFC 5280 §4.2.1.9.
        let authorities = path.dropFirst().count(where: { !$0.isSelfIssued })
        if let limit = issuer.extensions.pathLength, authorities > limit { return .plain(.chainTooLong) }
        for (index, certificate) in path.enumerated() where index == 0 || !certificate.isSelfIssued {
            guard let flaw = nameConstraints.flaw(of: certificate, by: issuer) else { continue }
            return index == 0 ? flaw : .authority(certificate, flaw)
        }
        return nil
    }

    /// Whether a certificate is signed with the key of another one. `nil` if no more signatures may be checked.
    ///
    /// `true` if an algorithm is not usable, which is a flaw of the path and so occurs in the second pass only.
    private mutating func isSigned(_ child: ParsedCertificate, by issuer: ParsedCertificate) -> Bool? {
        guard child.signatureScheme.isUsable, case .usable = issuer.keyStrength else { return true }
        let key = SignedBy(certificate: child, key: issuer.publicKeyInfo)
        if let known = checkedSignatures[key] { return known }
        guard signatureChecks < limits.signatureChecks else { return nil }
        signatureChecks += 1
        let result = child.isSigned(by: issuer)
        checkedSignatures[key] = result
        return result
    }

    // MARK: Failures

    private mutating func note(
        _ path: [ParsedCertificate],
        _ isStrict: Bool,
        _ flaw: CertificateFlaw,
        reachesAnchor: Bool = false
    ) {
        guard !isStrict else { return }
        let failure = Failure(reachesAnchor: reachesAnchor, certificates: path.count, flaw: flaw)
        guard let known = furthest else {
            furthest = failure
            return
        }
        let isLonger = known.certificates < failure.certificates
        if known.reachesAnchor == reachesAnchor ? isLonger : reachesAnchor { furthest = failure }
    }

    /// Returns the flaw of a path whose last certificate is not signed by its issuer.
    private static func misSigned(_ path: [ParsedCertificate]) -> CertificateFlaw {
        let last = path[path.count - 1]
        // A server's own certificate has often the name of an older one.
        if path.count == 1, last.isSelfIssued { return .untrusted(last) }
        return path.count == 1 ? .invalidSignature(last) : .authority(last, .invalidSignature(last))
    }
}
