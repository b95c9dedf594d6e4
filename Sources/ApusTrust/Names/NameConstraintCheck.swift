internal import ApusCore
internal import SwiftASN1
internal import X509

/// Checks the names of the certificates of a path against the name constraints of its authorities, RFC 5280 §4.2.1.10.
///
/// The names and the constraints of a certificate are read when a path first meets them, and kept for the other paths.
struct NameConstraintCheck {
    /// A name of a certificate.
    private struct Name {
        let name: GeneralName
        let kind: NameKind
        /// The form in which it is compared. `nil` if it has none.
        let form: ConstrainedName?

        init(_ name: GeneralName) {
            self.name = name
            kind = NameKind(name)
            form = ConstrainedName(name)
        }
    }

    /// The name constraints of an authority, by the type of the names to which they apply.
    private struct Constraints {
        /// The number of subtrees.
        let count: Int
        private let isCritical: Bool
        private var permitted: [NameKind: [NameSubtree]] = [:]
        private var excluded: [NameKind: [NameSubtree]] = [:]

        init(_ constraints: NameConstraints, isCritical: Bool) {
            count = constraints.permittedSubtrees.count + constraints.excludedSubtrees.count
            self.isCritical = isCritical
            for base in constraints.permittedSubtrees { Self.add(base, to: &permitted) }
            for base in constraints.excludedSubtrees { Self.add(base, to: &excluded) }
        }

        private static func add(_ base: GeneralName, to subtrees: inout [NameKind: [NameSubtree]]) {
            subtrees[NameKind(base), default: []].append(NameSubtree(base))
        }

        func refuses(_ name: Name) -> Bool {
            let excluded = excluded[name.kind] ?? []
            let permitted = permitted[name.kind] ?? []
            if excluded.isEmpty && permitted.isEmpty { return false }
            guard name.kind.isSupported else { return isCritical }
            guard let form = name.form else { return true }
            if excluded.contains(where: { form.isCovered(by: $0, isExclusion: true) }) { return true }
            return !permitted.isEmpty && !permitted.contains { form.isCovered(by: $0, isExclusion: false) }
        }
    }

    /// The names of a certificate. It is kept too, since its identity is the key.
    private struct KnownNames {
        let certificate: ParsedCertificate
        let names: [Name]
    }

    /// The constraints of an authority. It is kept too, since its identity is the key.
    private struct KnownConstraints {
        let authority: ParsedCertificate
        let constraints: Constraints
    }

    private static let emailAddress: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 1]

    /// The number of comparisons that may still be made.
    private(set) var remaining: Int
    private var knownNames: [ObjectIdentifier: KnownNames] = [:]
    private var knownConstraints: [ObjectIdentifier: KnownConstraints] = [:]

    init(comparisons: Int) { remaining = comparisons }

    /// Returns the flaw if the authority may not certify a name of the certificate.
    mutating func flaw(of certificate: ParsedCertificate, by authority: ParsedCertificate) -> CertificateFlaw? {
        guard authority.extensions.nameConstraints != nil else { return nil }
        guard remaining >= 0 else { return Self.tooMany }
        guard let constraints = self.constraints(of: authority) else { return nil }
        for name in names(of: certificate) {
            // Empty constraints cost the way through the names too.
            remaining -= max(constraints.count, 1)
            guard remaining >= 0 else { return Self.tooMany }
            if constraints.refuses(name) { return .nameNotPermitted(name.name) }
        }
        return nil
    }

    private static var tooMany: CertificateFlaw {
        .plain(.other("it has too many names to compare with name constraints"))
    }

    private mutating func constraints(of authority: ParsedCertificate) -> Constraints? {
        let key = ObjectIdentifier(authority)
        if let known = knownConstraints[key] { return known.constraints }
        guard let found = authority.extensions.nameConstraints else { return nil }
        let constraints = Constraints(found, isCritical: authority.extensions.nameConstraintsAreCritical)
        knownConstraints[key] = KnownConstraints(authority: authority, constraints: constraints)
        return constraints
    }

    /// Returns the names to which constraints apply: all alternative names and the subject, and the email addresses in
    /// the subject if there are no others.
    private mutating func names(of certificate: ParsedCertificate) -> [Name] {
        let key = ObjectIdentifier(certificate)
        if let known = knownNames[key] { return known.names }
        var names = certificate.extensions.subjectNames
        let hasMailbox = names.contains { name in if case .rfc822Name = name { true } else { false } }
        if !hasMailbox {
            let attributes = certificate.subjectName.joined().filter { $0.type == Self.emailAddress }
            names += attributes.map { GeneralName.rfc822Name(DistinguishedNameText.string(of: $0.value) ?? "") }
        }
        if !certificate.subjectName.isEmpty {
            names.append(.directoryName(DistinguishedName(certificate.subjectName)))
        }
        let found = names.map { Name($0) }
        knownNames[key] = KnownNames(certificate: certificate, names: found)
        return found
    }
}
