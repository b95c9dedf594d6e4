internal import Apus
internal import ApusCore
internal import Foundation

/// A certificate with the properties that pinning needs.
///
/// See RFC 5280 §4.1, https://www.rfc-editor.org/rfc/rfc5280.html#section-4.1
struct PinnedCertificate {
    let der: Data
    /// Whether its issuer is its subject. Only such a certificate can end a chain. The TLS handshake verifies its
    /// signature.
    let isSelfIssued: Bool
    /// Whether it may sign certificates, including itself, according to its key usage extension, if present.
    let maySign: Bool

    /// Parses a certificate. Returns `nil` if the data is not one.
    init?(der: Data) {
        var file = DERReader(Array(der))
        guard let certificate = file.next(DERReader.sequence), file.isAtEnd else { return nil }
        var parts = DERReader(certificate)
        guard let toBeSigned = parts.next(DERReader.sequence) else { return nil }
        var fields = DERReader(toBeSigned)
        // The version is optional and has its own tag.
        _ = fields.next(0xA0)
        guard fields.next(0x02) != nil, fields.next(DERReader.sequence) != nil,
            let issuer = fields.next(DERReader.sequence), fields.next(DERReader.sequence) != nil,
            let subject = fields.next(DERReader.sequence)
        else { return nil }
        self.der = der
        self.isSelfIssued = issuer == subject
        self.maySign = fields.maySignCertificates()
    }

    /// Reads the certificates of a file, in DER or PEM.
    static func certificates(inFile url: URL) throws(ApusError) -> [PinnedCertificate] {
        let path = url.path(percentEncoded: false)
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw ApusError(.fileUnreadable, "'\(path)' can't be read", underlying: error).with(fileAt: path)
        }
        let found = PinnedCertificate(der: data).map { [$0] } ?? pem(String(decoding: data, as: UTF8.self))
        guard let found, !found.isEmpty else {
            throw ApusError(.invalidConfiguration, "'\(path)' contains no DER or PEM certificate")
        }
        return found
    }

    /// Returns the certificates of a PEM text, or `nil` if one of them is invalid.
    private static func pem(_ text: String) -> [PinnedCertificate]? {
        var certificates: [PinnedCertificate] = []
        var rest = text[...]
        while let begin = rest.firstRange(of: Self.begin) {
            rest = rest[begin.upperBound...]
            guard let end = rest.firstRange(of: Self.end),
                let der = Data(base64Encoded: String(rest[..<end.lowerBound].filter { !$0.isWhitespace })),
                let certificate = PinnedCertificate(der: der)
            else { return nil }
            certificates.append(certificate)
            rest = rest[end.upperBound...]
        }
        return certificates
    }

    /// Returns the certificates as PEM, sorted, for use as roots of trust.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` if there are none, or if one cannot end a chain.
    static func roots(of certificates: Set<Data>) throws(ApusError) -> String {
        guard !certificates.isEmpty else {
            throw ApusError(.invalidConfiguration, "the policy would reject every server: it has no pinned certificate")
        }
        var text = ""
        for der in certificates.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let certificate = PinnedCertificate(der: der) else {
                throw ApusError(.invalidConfiguration, "a pinned certificate, of \(der.count) bytes, is invalid")
            }
            guard certificate.isSelfIssued else {
                throw ApusError(
                    .invalidConfiguration,
                    "a pinned certificate was issued by another, so no chain can end in it; pin the "
                        + "root certificate of its chain"
                )
            }
            guard certificate.maySign else {
                throw ApusError(
                    .invalidConfiguration,
                    "the key usage of a pinned certificate does not allow it to sign, so no chain can "
                        + "end in it; pin one with keyCertSign in its key usage, or without a key usage"
                )
            }
            text +=
                "\(begin)\n\(der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))\n\(end)\n"
        }
        return text
    }

    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"
}

/// Reads DER elements one after the other, from untrusted bytes.
private struct DERReader {
    static let sequence: UInt8 = 0x30

    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        self.rest = ArraySlice(bytes)
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the content of the next element if it has this tag. Otherwise reads nothing.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.first == tag, let (length, header) = length(), rest.count - header >= length else { return nil }
        let content = rest.dropFirst(header).prefix(length)
        rest = rest.dropFirst(header + length)
        return content
    }

    /// Returns whether the certificate may sign others. Reads from the key to the extensions. RFC 5280 §4.2.1.3.
    mutating func maySignCertificates() -> Bool {
        _ = next(Self.sequence)
        // The unique identifiers of issuer and subject, which are rare.
        _ = next(0x81)
        _ = next(0x82)
        guard let tagged = next(0xA3) else { return true }
        var outer = DERReader(tagged)
        guard let list = outer.next(Self.sequence) else { return false }
        var extensions = DERReader(list)
        while let content = extensions.next(Self.sequence) {
            var fields = DERReader(content)
            guard let identifier = fields.next(0x06) else { return false }
            guard identifier.elementsEqual([0x55, 0x1D, 0x0F]) else { continue }
            // The critical flag.
            _ = fields.next(0x01)
            guard let value = fields.next(0x04) else { return false }
            var usage = DERReader(value)
            // The number of unused bits, then the bits. The sixth is keyCertSign.
            return usage.next(0x03)?.dropFirst().first.map { $0 & 0x04 != 0 } ?? false
        }
        return true
    }

    /// Returns the length of the next element's content, and the size of its header.
    private func length() -> (length: Int, header: Int)? {
        let bytes = rest.dropFirst().prefix(5)
        guard let first = bytes.first else { return nil }
        guard first >= 0x80 else { return (Int(first), 2) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count > count else { return nil }
        let length = bytes.dropFirst().prefix(count).reduce(0) { $0 << 8 | Int($1) }
        return (length, 2 + count)
    }
}
