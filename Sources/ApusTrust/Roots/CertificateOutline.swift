/// A certificate of which only the name is read. A system has some 150 roots, and few of them are ever needed.
///
/// See RFC 5280 §4.1, https://www.rfc-editor.org/rfc/rfc5280.html#section-4.1
struct CertificateOutline: Sendable, Hashable {
    let derBytes: [UInt8]
    /// The name of its owner in DER, with its tag and length.
    let subject: [UInt8]

    /// Returns `nil` if the bytes don't have the structure of a certificate.
    init?(derBytes: [UInt8]) {
        var file = DERWalker(derBytes[...])
        guard let certificate = file.next(DERWalker.sequence), file.isAtEnd else { return nil }
        var parts = DERWalker(certificate)
        guard let toBeSigned = parts.next(DERWalker.sequence), parts.next(DERWalker.sequence) != nil,
            parts.next(DERWalker.bitString) != nil, parts.isAtEnd
        else { return nil }
        var fields = DERWalker(toBeSigned)
        // The version is optional and has its own tag.
        _ = fields.next(0xA0)
        // The serial number, the algorithm, the issuer and the validity.
        guard fields.next(DERWalker.integer) != nil, fields.next(DERWalker.sequence) != nil,
            fields.next(DERWalker.sequence) != nil, fields.next(DERWalker.sequence) != nil,
            let subject = fields.element(DERWalker.sequence), fields.next(DERWalker.sequence) != nil
        else { return nil }
        self.derBytes = derBytes
        self.subject = Array(subject.whole)
    }
}
