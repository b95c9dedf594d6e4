internal import ApusCore
internal import SwiftASN1

/// Whether the key of a certificate can be relied on.
package enum KeyStrength: Sendable, Hashable {
    case usable
    /// It is too short. The text names it.
    case weak(String)
    /// The text names it.
    case unsupported(String)

    private static let minimumRSABits = 2048
    /// The time of a check grows with the square of the length.
    private static let maximumRSABits = 8192
    private static let maximumExponentBytes = 4

    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    private static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
    private static let ed25519: ASN1ObjectIdentifier = [1, 3, 101, 112]

    private static let usableCurves: Set<ASN1ObjectIdentifier> = [
        [1, 2, 840, 10045, 3, 1, 7], [1, 3, 132, 0, 34], [1, 3, 132, 0, 35],
    ]
    private static let weakCurves: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 10045, 3, 1, 1]: "a key on the curve P-192",
        [1, 3, 132, 0, 33]: "a key on the curve P-224",
    ]
    private static let names: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113549, 1, 1, 10]: "an RSASSA-PSS key",
        [1, 2, 840, 10040, 4, 1]: "a DSA key",
        [1, 3, 101, 113]: "an Ed448 key",
    ]

    /// - Parameter info: The `SubjectPublicKeyInfo`, RFC 5280 §4.1.2.7.
    /// - Throws: `malformed` if it can't be read.
    init(of info: ASN1Node) throws(CertificateRejection) {
        var members = try DERMembers(of: info, in: "public key")
        var algorithm = try DERMembers(of: try members.next(), in: "public key")
        let bits = try members.next()
        try members.requireEnd()
        let kindNode = try algorithm.next()
        let parameters = algorithm.next(if: .objectIdentifier)
        let (kind, curve, key) = try CertificateRejection.reading("public key") {
            (
                try ASN1ObjectIdentifier(derEncoded: kindNode),
                try parameters.map { try ASN1ObjectIdentifier(derEncoded: $0) },
                try ASN1BitString(derEncoded: bits)
            )
        }
        switch kind {
        case Self.rsa: self = try Self.rsaStrength(of: key.bytes)
        case Self.ed25519: self = .usable
        case Self.ellipticCurve:
            guard let curve else {
                self = .unsupported("a key on a curve without a name")
                return
            }
            if Self.usableCurves.contains(curve) {
                self = .usable
            } else if let name = Self.weakCurves[curve] {
                self = .weak(name)
            } else {
                self = .unsupported("a key on the curve \(curve)")
            }
        default: self = .unsupported(Self.names[kind] ?? "a key of the kind \(kind)")
        }
    }

    private static func rsaStrength(of key: ArraySlice<UInt8>) throws(CertificateRejection) -> KeyStrength {
        let root = try CertificateRejection.reading("public key") { try DER.parse(key) }
        var members = try DERMembers(of: root, in: "public key")
        let modulus = try magnitude(of: try members.next())
        let exponent = try magnitude(of: try members.next())
        try members.requireEnd()
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        if bits < minimumRSABits { return .weak("an RSA key of \(bits) bits") }
        if bits > maximumRSABits { return .unsupported("an RSA key of \(bits) bits") }
        return exponent.count > maximumExponentBytes ? .unsupported("an RSA key with a long exponent") : .usable
    }

    private static func magnitude(of node: ASN1Node) throws(CertificateRejection) -> ArraySlice<UInt8> {
        guard node.identifier == .integer, case .primitive(let bytes) = node.content else {
            throw CertificateRejection.unreadable("public key")
        }
        return bytes.drop { $0 == 0 }
    }
}
