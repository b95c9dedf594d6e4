internal import SwiftASN1
internal import X509

/// A subtree of name constraints, which is compared with many names. RFC 5280 §4.2.1.10.
enum NameSubtree: Sendable {
    case host(DomainRange)
    case mailbox(local: Substring, host: DomainLabels)
    /// All mailboxes of hosts.
    case mailboxes(DomainRange)
    case resource(DomainRange)
    /// An address with a mask.
    case address([UInt8])
    case directory(DirectoryName)
    /// No name can meet it. An exclusion is obeyed, so that nothing evades it.
    case tooLong
    /// A subtree of a type that is not supported.
    case unsupported

    init(_ base: GeneralName) {
        switch base {
        case .dnsName(let domain):
            self =
                domain.utf8.count > ConstrainedName.maximumHostBytes
                ? .tooLong : .host(DomainRange(domain, hostsBelow: true))
        case .rfc822Name(let text):
            if text.utf8.count > ConstrainedName.maximumTextBytes {
                self = .tooLong
            } else if let at = text.lastIndex(of: "@") {
                self = .mailbox(local: text[..<at], host: DomainLabels(text[text.index(after: at)...]))
            } else {
                self = .mailboxes(DomainRange(text, hostsBelow: false))
            }
        case .uniformResourceIdentifier(let text):
            self =
                text.utf8.count > ConstrainedName.maximumTextBytes
                ? .tooLong : .resource(DomainRange(text, hostsBelow: false))
        case .ipAddress(let range): self = .address(Array(range.bytes))
        case .directoryName(let name): self = .directory(DirectoryName(Array(name)))
        case .otherName, .x400Address, .ediPartyName, .registeredID: self = .unsupported
        }
    }
}

/// The type of a name. Constraints apply to names of their own type.
enum NameKind: Sendable, Hashable {
    case host, mailbox, resource, address, directory, otherName, x400Address, ediPartyName, registeredID

    init(_ name: GeneralName) {
        self =
            switch name {
            case .dnsName: .host
            case .rfc822Name: .mailbox
            case .uniformResourceIdentifier: .resource
            case .ipAddress: .address
            case .directoryName: .directory
            case .otherName: .otherName
            case .x400Address: .x400Address
            case .ediPartyName: .ediPartyName
            case .registeredID: .registeredID
            }
    }

    /// Whether names of this type can be compared.
    var isSupported: Bool {
        switch self {
        case .host, .mailbox, .resource, .address, .directory: true
        case .otherName, .x400Address, .ediPartyName, .registeredID: false
        }
    }
}
