internal import NIOSSL

/// Whether a certificate names the host that was meant.
///
/// SwiftNIO's own check takes a certificate for the address that was connected to as well, whatever name was asked for,
/// and one that has a common name alone. Who can lead a name astray could then answer for it with a certificate for their
/// own address. Here a name has to be among the names: RFC 9525 §6.3, https://www.rfc-editor.org/rfc/rfc9525.html
enum TLSIdentity {
    static func names(_ certificate: NIOSSLCertificate, _ host: String) -> Bool {
        certificate._subjectAlternativeNames().contains { name in
            name.nameType == .dnsName && matches(String(decoding: name.contents, as: UTF8.self), host)
        }
    }

    /// Compares a name of a certificate, whose first label may be a `*`, with a host.
    static func matches(_ name: String, _ host: String) -> Bool {
        let name = labels(of: name)
        let host = labels(of: host)
        guard name.count == host.count, !host.contains("") else { return false }
        guard name.first == "*" else { return name == host }
        // A wildcard stands for one label, and never for a whole domain of the highest level.
        return name.count > 2 && name.dropFirst() == host.dropFirst()
    }

    private static func labels(of name: String) -> [Substring] {
        let name = name.last == "." ? name.dropLast() : name[...]
        return Substring(name.lowercased()).split(separator: ".", omittingEmptySubsequences: false)
    }
}
