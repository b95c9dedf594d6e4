internal import ApusCore
package import SwiftASN1
package import X509

/// The extensions of a certificate, RFC 5280 §4.2.1, as far as the checks of a path read them.
package struct CertificateExtensions: Sendable {
    /// All extensions as they are encoded.
    package private(set) var all: [Certificate.Extension] = []
    /// Whether the basic constraints make it an authority. `nil` without basic constraints.
    package private(set) var isAuthority: Bool?
    /// The maximum number of authorities between it and the server's certificate. `nil` for any number.
    package private(set) var pathLength: Int?
    /// Its key usage. `nil` without this extension, which allows all uses.
    package private(set) var keyUsage: KeyUsageFlags?
    /// The purposes of its extended key usage. `nil` without this extension, which allows all purposes.
    package private(set) var purposes: [ASN1ObjectIdentifier]?
    /// Its subject alternative names.
    package private(set) var subjectNames: [GeneralName] = []
    /// The names that it may certify. `nil` for all names.
    package private(set) var nameConstraints: NameConstraints?
    package private(set) var nameConstraintsAreCritical = false
    package private(set) var subjectKeyIdentifier: ArraySlice<UInt8>?
    package private(set) var authorityKeyIdentifier: ArraySlice<UInt8>?
    /// The first critical extension that is not supported.
    package private(set) var unknownCritical: ASN1ObjectIdentifier?

    /// As in X509, which limits it since the search for duplicates is quadratic.
    private static let maximumCount = 32

    /// Critical extensions that need no check here. Without a required policy, policies and their mappings restrict
    /// nothing. Policy constraints can require one, so they are refused if they are critical.
    private static let harmless: Set<ASN1ObjectIdentifier> = [
        [2, 5, 29, 31], [2, 5, 29, 32], [2, 5, 29, 33], [2, 5, 29, 54],
    ]

    init() {}

    /// Reads the sequence of extensions.
    ///
    /// It also accepts a default value that is encoded, which DER forbids and some authorities do.
    ///
    /// - Throws: `malformed` if one of those that are read can't be read, or if one occurs twice.
    init(reading list: ASN1Node) throws(CertificateRejection) {
        var members = try DERMembers(of: list, in: "list of extensions")
        while let node = members.next(if: .sequence) {
            let found = try Self.entry(node)
            guard all.count < Self.maximumCount else {
                throw CertificateRejection.malformed("it has too many extensions")
            }
            guard !all.contains(where: { $0.oid == found.oid }) else {
                throw CertificateRejection.malformed("it has the extension \(found.oid) twice")
            }
            all.append(found)
            try read(found)
        }
        try members.requireEnd()
    }

    private static func entry(_ node: ASN1Node) throws(CertificateRejection) -> Certificate.Extension {
        let part = "list of extensions"
        var members = try DERMembers(of: node, in: part)
        let identifier = try members.next()
        let critical = members.next(if: .boolean)
        let value = try members.next()
        try members.requireEnd()
        return try CertificateRejection.reading(part) {
            Certificate.Extension(
                oid: try ASN1ObjectIdentifier(derEncoded: identifier),
                critical: try critical.map { try Bool(derEncoded: $0) } ?? false,
                value: try ASN1OctetString(derEncoded: value).bytes
            )
        }
    }

    private mutating func read(_ found: Certificate.Extension) throws(CertificateRejection) {
        switch found.oid {
        case .X509ExtensionID.basicConstraints: try readBasicConstraints(found)
        case .X509ExtensionID.keyUsage:
            keyUsage = try CertificateRejection.reading("key usage") {
                KeyUsageFlags(try ASN1BitString(derEncoded: found.value).bytes)
            }
        case .X509ExtensionID.extendedKeyUsage:
            purposes = try CertificateRejection.reading("extended key usage") {
                let list = try DER.parse(found.value)
                return try DER.sequence(of: ASN1ObjectIdentifier.self, identifier: .sequence, rootNode: list)
            }
        case .X509ExtensionID.subjectAlternativeName:
            subjectNames = try CertificateRejection.reading("list of names") {
                Array(try SubjectAlternativeNames(found))
            }
        case .X509ExtensionID.nameConstraints: try readNameConstraints(found)
        // Key identifiers only order the candidates, so one that can't be read is not an error.
        case .X509ExtensionID.subjectKeyIdentifier:
            subjectKeyIdentifier = (try? SubjectKeyIdentifier(found))?.keyIdentifier
        case .X509ExtensionID.authorityKeyIdentifier:
            authorityKeyIdentifier = (try? AuthorityKeyIdentifier(found))?.keyIdentifier
        default:
            if found.critical, !Self.harmless.contains(found.oid), unknownCritical == nil {
                unknownCritical = found.oid
            }
        }
    }

    private mutating func readBasicConstraints(_ found: Certificate.Extension) throws(CertificateRejection) {
        let part = "basic constraints"
        let root = try CertificateRejection.reading(part) { try DER.parse(found.value) }
        var members = try DERMembers(of: root, in: part)
        let authority = members.next(if: .boolean)
        let length = members.next(if: .integer)
        try members.requireEnd()
        let (isAuthority, pathLength) = try CertificateRejection.reading(part) {
            (
                try authority.map { try Bool(derEncoded: $0) } ?? false,
                try length.map { try Int(derEncoded: $0) }
            )
        }
        if let pathLength, pathLength < 0 { throw CertificateRejection.unreadable(part) }
        self.isAuthority = isAuthority
        // The length has no meaning in the certificate of a server.
        self.pathLength = isAuthority ? pathLength : nil
    }

    private mutating func readNameConstraints(_ found: Certificate.Extension) throws(CertificateRejection) {
        let constraints = try CertificateRejection.reading("name constraints") { try NameConstraints(found) }
        for case .ipAddress(let range) in constraints.permittedSubtrees + constraints.excludedSubtrees
        where range.bytes.count != 8 && range.bytes.count != 32 {
            throw CertificateRejection.malformed("its name constraints have an address range of another length")
        }
        nameConstraints = constraints
        nameConstraintsAreCritical = found.critical
    }
}
