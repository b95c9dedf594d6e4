internal import ApusCore
internal import SwiftASN1
internal import X509

/// A name of a certificate, in the form in which it is compared with name constraints. RFC 5280 §4.2.1.10.
enum ConstrainedName: Sendable {
    case host(DomainLabels)
    case mailbox(local: Substring, host: DomainLabels)
    case resource(host: DomainLabels)
    case address([UInt8])
    case directory(DirectoryName)

    /// The maximum length of a domain name, RFC 1035 §2.3.4, with room for a root label.
    static let maximumHostBytes = 255
    static let maximumTextBytes = 2048

    /// Returns `nil` if the name has another form than its type requires, is too long, or has a type that is not
    /// supported.
    init?(_ name: GeneralName) {
        switch name {
        case .dnsName(let host):
            guard host.utf8.count <= Self.maximumHostBytes else { return nil }
            self = .host(DomainLabels(host))
        case .rfc822Name(let mailbox):
            guard mailbox.utf8.count <= Self.maximumTextBytes, let at = mailbox.lastIndex(of: "@") else { return nil }
            self = .mailbox(local: mailbox[..<at], host: DomainLabels(mailbox[mailbox.index(after: at)...]))
        case .uniformResourceIdentifier(let uri):
            guard uri.utf8.count <= Self.maximumTextBytes, let host = Self.host(of: uri) else { return nil }
            self = .resource(host: host)
        case .ipAddress(let address):
            guard [4, 16].contains(address.bytes.count) else { return nil }
            self = .address(Array(address.bytes))
        case .directoryName(let name):
            let parts = Array(name)
            guard parts.allSatisfy({ $0.count <= ParsedCertificate.maximumAttributes }) else { return nil }
            self = .directory(DirectoryName(parts))
        case .otherName, .x400Address, .ediPartyName, .registeredID: return nil
        }
    }

    /// Returns the host of a URI. `nil` for an address, and for characters that parsers of URIs read in different ways.
    private static func host(of uri: String) -> DomainLabels? {
        let isReadAlike = uri.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isReadAlike, let scheme = uri.firstRange(of: "://") else { return nil }
        var authority = uri[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        let host = authority.prefix { $0 != ":" }
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isPlain, !host.isEmpty, IPAddress(String(host)) == nil else { return nil }
        return DomainLabels(host)
    }

    /// Whether a constraint of the same type covers the name.
    ///
    /// - Parameters:
    ///   - subtree: The constraint.
    ///   - isExclusion: Whether the constraint excludes names. It then also covers a wildcard that can stand for an
    ///     excluded name.
    /// - Returns: Whether it is covered. `false` for a constraint of another type.
    func isCovered(by subtree: NameSubtree, isExclusion: Bool) -> Bool {
        switch (self, subtree) {
        case (_, .tooLong): isExclusion
        case (.host(let name), .host(let range)): range.covers(name) || (isExclusion && range.isNamed(by: name))
        case (.mailbox(let local, let host), .mailbox(let only, let base)): local == only && host == base
        case (.mailbox(_, let host), .mailboxes(let range)): range.covers(host)
        case (.resource(let host), .resource(let range)): range.covers(host)
        case (.address(let address), .address(let range)): Self.covers(range, address)
        case (.directory(let name), .directory(let base)): name.begins(with: base)
        default: false
        }
    }

    /// Whether a range, an address with a mask, covers an address.
    private static func covers(_ range: [UInt8], _ address: [UInt8]) -> Bool {
        guard range.count == 2 * address.count else { return false }
        return address.indices.allSatisfy { index in
            (address[index] ^ range[index]) & range[address.count + index] == 0
        }
    }
}
