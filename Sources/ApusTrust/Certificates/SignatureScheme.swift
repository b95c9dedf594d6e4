internal import SwiftASN1
package import X509

/// The algorithm with which a certificate is signed.
package enum SignatureScheme: Sendable, Hashable {
    case usable(Certificate.SignatureAlgorithm)
    /// It is usable too.
    case pss(PSSSignature)
    /// It can be forged, RFC 6151 and RFC 9155. The text names it.
    case weak(String)
    /// The text names it.
    case unsupported(String)

    private static let weakAlgorithms: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113549, 1, 1, 2]: "RSA with MD2",
        [1, 2, 840, 113549, 1, 1, 3]: "RSA with MD4",
        [1, 2, 840, 113549, 1, 1, 4]: "RSA with MD5",
        [1, 2, 840, 113549, 1, 1, 5]: "RSA with SHA-1",
        [1, 3, 14, 3, 2, 29]: "RSA with SHA-1",
        [1, 2, 840, 10045, 4, 1]: "ECDSA with SHA-1",
        [1, 2, 840, 10040, 4, 3]: "DSA with SHA-1",
    ]

    private static let rsaAlgorithms: [ASN1ObjectIdentifier: Certificate.SignatureAlgorithm] = [
        [1, 2, 840, 113549, 1, 1, 11]: .sha256WithRSAEncryption,
        [1, 2, 840, 113549, 1, 1, 12]: .sha384WithRSAEncryption,
        [1, 2, 840, 113549, 1, 1, 13]: .sha512WithRSAEncryption,
    ]

    private static let otherAlgorithms: [ASN1ObjectIdentifier: Certificate.SignatureAlgorithm] = [
        [1, 2, 840, 10045, 4, 3, 2]: .ecdsaWithSHA256,
        [1, 2, 840, 10045, 4, 3, 3]: .ecdsaWithSHA384,
        [1, 2, 840, 10045, 4, 3, 4]: .ecdsaWithSHA512,
        [1, 3, 101, 112]: .ed25519,
    ]

    private static let pssIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 10]

    private static let unsupportedAlgorithms: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113549, 1, 1, 14]: "RSA with SHA-224",
        [1, 2, 840, 10045, 4, 3, 1]: "ECDSA with SHA-224",
        [1, 3, 101, 113]: "Ed448",
    ]

    /// - Parameters:
    ///   - algorithm: The identifier of the algorithm.
    ///   - parameters: Its parameters. Those of RSA are NULL or absent, RSASSA-PSS has its own, and all others have
    ///     none.
    init(_ algorithm: ASN1ObjectIdentifier, parameters: ASN1Node?) {
        if let name = Self.weakAlgorithms[algorithm] {
            self = .weak(name)
        } else if let known = Self.rsaAlgorithms[algorithm], parameters.map({ $0.identifier == .null }) ?? true {
            self = .usable(known)
        } else if let known = Self.otherAlgorithms[algorithm], parameters == nil {
            self = .usable(known)
        } else if algorithm == Self.pssIdentifier {
            self = PSSSignature.scheme(parameters: parameters)
        } else {
            self = .unsupported(Self.unsupportedAlgorithms[algorithm] ?? "\(algorithm)")
        }
    }

    /// Whether it can be relied on.
    var isUsable: Bool {
        switch self {
        case .usable, .pss: true
        case .weak, .unsupported: false
        }
    }
}
