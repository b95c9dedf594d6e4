internal import ApusCore
internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import SwiftASN1
internal import X509

/// Signatures by RSASSA-PSS, RFC 8017 §8.1, by their hash function. X509 does not check them.
///
/// The parameters must be those that authorities use, and that Go accepts too: a mask by MGF1 with the same hash
/// function, a salt that is as long as the hash, and the default trailer. RFC 4055 §3.1 allows others.
package enum PSSSignature: Sendable, Hashable {
    case sha256
    case sha384
    case sha512

    private static let hashFunctions: [ASN1ObjectIdentifier: PSSSignature] = [
        [2, 16, 840, 1, 101, 3, 4, 2, 1]: .sha256,
        [2, 16, 840, 1, 101, 3, 4, 2, 2]: .sha384,
        [2, 16, 840, 1, 101, 3, 4, 2, 3]: .sha512,
    ]

    /// The size of the hash, and so of the salt.
    private var byteCount: Int {
        switch self {
        case .sha256: SHA256.byteCount
        case .sha384: SHA384.byteCount
        case .sha512: SHA512.byteCount
        }
    }

    /// Returns the scheme of a signature with these parameters.
    ///
    /// - Parameter parameters: The parameters of the algorithm. `nil` for none.
    /// - Returns: `pss`, or the reason for which it can't be relied on.
    static func scheme(parameters: ASN1Node?) -> SignatureScheme {
        guard let parameters else { return .unsupported("RSASSA-PSS without parameters") }
        guard let found = try? Parameters(parameters) else { return .unsupported("RSASSA-PSS with damaged parameters") }
        if found.hash == Parameters.sha1 { return .weak("RSASSA-PSS with SHA-1") }
        guard let algorithm = hashFunctions[found.hash] else {
            return .unsupported("RSASSA-PSS with the hash function \(found.hash)")
        }
        guard found.maskHash == found.hash else {
            return .unsupported("RSASSA-PSS with another function for the mask than for the hash")
        }
        guard found.saltLength == algorithm.byteCount else {
            return .unsupported("RSASSA-PSS with a salt of \(found.saltLength) bytes")
        }
        guard found.trailer == 1 else { return .unsupported("RSASSA-PSS with the trailer \(found.trailer)") }
        return .pss(algorithm)
    }

    /// Whether a signature was made with a key. `false` if it is no RSA key.
    func isValid(_ signature: ArraySlice<UInt8>, for bytes: ArraySlice<UInt8>, by key: Certificate.PublicKey) -> Bool {
        guard let rsaKey = _RSA.Signing.PublicKey(key) else { return false }
        let rsaSignature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        // `PSS` stands for the only mask and salt that `scheme(parameters:)` accepts.
        switch self {
        case .sha256: return rsaKey.isValidSignature(rsaSignature, for: SHA256.hash(data: bytes), padding: .PSS)
        case .sha384: return rsaKey.isValidSignature(rsaSignature, for: SHA384.hash(data: bytes), padding: .PSS)
        case .sha512: return rsaKey.isValidSignature(rsaSignature, for: SHA512.hash(data: bytes), padding: .PSS)
        }
    }
}

/// The parameters of RSASSA-PSS, RFC 4055 §3.1. An absent member has its default value. DER forbids to encode a default
/// value, which some authorities do, so that is accepted too.
private struct Parameters {
    static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    private static let mgf1: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 8]
    private static let part = "signature algorithm"

    var hash = Parameters.sha1
    /// The hash function of the mask. `nil` if the mask is not made by MGF1.
    var maskHash: ASN1ObjectIdentifier? = Parameters.sha1
    var saltLength = 20
    var trailer = 1

    /// - Throws: `malformed` if they can't be read.
    init(_ node: ASN1Node) throws(CertificateRejection) {
        var members = try DERMembers(of: node, in: Self.part)
        if let tagged = members.next(if: .context(0)) {
            hash = try Self.hashFunction(try Self.onlyMember(of: tagged))
        }
        if let tagged = members.next(if: .context(1)) {
            maskHash = try Self.maskHash(try Self.onlyMember(of: tagged))
        }
        if let tagged = members.next(if: .context(2)) {
            saltLength = try Self.number(try Self.onlyMember(of: tagged))
        }
        if let tagged = members.next(if: .context(3)) {
            trailer = try Self.number(try Self.onlyMember(of: tagged))
        }
        try members.requireEnd()
    }

    private static func maskHash(_ node: ASN1Node) throws(CertificateRejection) -> ASN1ObjectIdentifier? {
        let mask = try algorithm(node)
        guard mask.identifier == mgf1 else { return nil }
        guard let function = mask.parameters else { throw CertificateRejection.unreadable(part) }
        return try hashFunction(function)
    }

    /// Reads a hash function. Its parameters are NULL or absent, RFC 4055 §2.1.
    private static func hashFunction(_ node: ASN1Node) throws(CertificateRejection) -> ASN1ObjectIdentifier {
        let function = try algorithm(node)
        guard function.parameters.map({ $0.identifier == .null }) ?? true else {
            throw CertificateRejection.unreadable(part)
        }
        return function.identifier
    }

    private static func algorithm(
        _ node: ASN1Node
    ) throws(CertificateRejection) -> (identifier: ASN1ObjectIdentifier, parameters: ASN1Node?) {
        var members = try DERMembers(of: node, in: part)
        let first = try members.next()
        let parameters = members.nextIfAny()
        try members.requireEnd()
        let identifier = try CertificateRejection.reading(part) { try ASN1ObjectIdentifier(derEncoded: first) }
        return (identifier, parameters)
    }

    private static func number(_ node: ASN1Node) throws(CertificateRejection) -> Int {
        try CertificateRejection.reading(part) { try Int(derEncoded: node) }
    }

    private static func onlyMember(of tagged: ASN1Node) throws(CertificateRejection) -> ASN1Node {
        var members = try DERMembers(of: tagged, tagged.identifier, in: part)
        let member = try members.next()
        try members.requireEnd()
        return member
    }
}
