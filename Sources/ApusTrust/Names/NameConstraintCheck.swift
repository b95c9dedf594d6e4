internal import ApusCore
internal import SwiftASN1
internal import X509

/// Checks the names of a certificate against the name constraints of an authority, RFC 5280 §4.2.1.10.
struct NameConstraintCheck {
    private static let emailAddress: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 1]

    /// The number of comparisons that may still be made.
    private(set) var remaining: Int

    init(comparisons: Int) { remaining = comparisons }

    /// Returns the rejection if the authority may not certify a name of the certificate.
    mutating func rejection(
        of certificate: ParsedCertificate,
        by authority: ParsedCertificate
    ) -> CertificateRejection? {
        guard let constraints = authority.extensions.nameConstraints else { return nil }
        let isCritical = authority.extensions.nameConstraintsAreCritical
        let subtrees = constraints.permittedSubtrees.count + constraints.excludedSubtrees.count
        guard remaining >= 0 else { return Self.tooMany }
        for name in Self.names(of: certificate) {
            // Empty constraints cost the way through the names too.
            remaining -= max(subtrees, 1)
            guard remaining >= 0 else { return Self.tooMany }
            if Self.refuses(name, constraints, isCritical: isCritical) { return .nameNotPermitted(Self.text(of: name)) }
        }
        return nil
    }

    private static var tooMany: CertificateRejection {
        .other("it has too many names to compare with name constraints")
    }

    /// Returns the names to which constraints apply: all alternative names and the subject, and the email addresses in
    /// the subject if there are no others.
    private static func names(of certificate: ParsedCertificate) -> [GeneralName] {
        var names = certificate.extensions.subjectNames
        let hasMailbox = names.contains { name in if case .rfc822Name = name { true } else { false } }
        if !hasMailbox {
            let attributes = certificate.subjectName.joined().filter { $0.type == emailAddress }
            names += attributes.map { GeneralName.rfc822Name(DistinguishedNameText.string(of: $0.value) ?? "") }
        }
        if !certificate.subjectName.isEmpty {
            names.append(.directoryName(DistinguishedName(certificate.subjectName)))
        }
        return names
    }

    private static func refuses(_ name: GeneralName, _ constraints: NameConstraints, isCritical: Bool) -> Bool {
        let excluded = constraints.excludedSubtrees.filter { isSameType($0, name) }
        let permitted = constraints.permittedSubtrees.filter { isSameType($0, name) }
        if excluded.isEmpty && permitted.isEmpty { return false }
        switch name {
        case .otherName, .x400Address, .ediPartyName, .registeredID: return isCritical
        default: break
        }
        guard let name = ConstrainedName(name) else { return true }
        if excluded.contains(where: { name.isCovered(by: $0, isExclusion: true) }) { return true }
        return !permitted.isEmpty && !permitted.contains { name.isCovered(by: $0, isExclusion: false) }
    }

    private static func isSameType(_ one: GeneralName, _ other: GeneralName) -> Bool {
        switch (one, other) {
        case (.dnsName, .dnsName), (.rfc822Name, .rfc822Name), (.ipAddress, .ipAddress),
            (.uniformResourceIdentifier, .uniformResourceIdentifier), (.directoryName, .directoryName),
            (.otherName, .otherName), (.x400Address, .x400Address), (.ediPartyName, .ediPartyName),
            (.registeredID, .registeredID):
            true
        default: false
        }
    }

    private static func text(of name: GeneralName) -> String {
        switch name {
        case .dnsName(let text), .rfc822Name(let text), .uniformResourceIdentifier(let text):
            DistinguishedNameText.printable(text)
        case .ipAddress(let address): IPAddress(bytes: address.bytes)?.description ?? "an address of another length"
        case .directoryName(let name): DistinguishedNameText.text(of: Array(name))
        case .otherName, .x400Address, .ediPartyName, .registeredID: "a name of a type that is not supported"
        }
    }
}
