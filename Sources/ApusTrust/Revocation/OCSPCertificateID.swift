internal import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1

/// Identifies a certificate to a responder: its authority by two hashes, and its serial number. RFC 6960 §4.1.1.
struct OCSPCertificateID: Sendable {
    private static let part = "identifier"
    private static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    private static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    /// The identifier of SHA-1 with its parameters, in DER.
    private static let sha1Bytes: [UInt8] = [0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00]

    private let issuerName: [UInt8]
    private let issuerKey: [UInt8]
    private let serialNumber: ArraySlice<UInt8>

    /// - Throws: `malformed` if the key of the issuer can't be read.
    init(of certificate: ParsedCertificate, issuer: ParsedCertificate) throws(CertificateRejection) {
        issuerName = certificate.issuerBytes
        issuerKey = try issuer.publicKeyBits()
        serialNumber = certificate.serialNumber
    }

    /// Returns a request for the status of the certificate, in DER.
    ///
    /// It has SHA-1 hashes, since some responders know no others (RFC 5019 §2.1.1). They protect nothing. It has no
    /// nonce, so that responses can be kept.
    func request() -> [UInt8] {
        let nameHash = Array(Insecure.SHA1.hash(data: issuerName))
        let keyHash = Array(Insecure.SHA1.hash(data: issuerKey))
        var request = DER.Serializer()
        request.appendConstructedNode(identifier: .sequence) { contents in
            contents.appendConstructedNode(identifier: .sequence) { list in
                list.appendConstructedNode(identifier: .sequence) { single in
                    single.appendConstructedNode(identifier: .sequence) { identifier in
                        identifier.appendConstructedNode(identifier: .sequence) { members in
                            members.serializeRawBytes(Self.sha1Bytes)
                            members.appendPrimitiveNode(identifier: .octetString) { $0.append(contentsOf: nameHash) }
                            members.appendPrimitiveNode(identifier: .octetString) { $0.append(contentsOf: keyHash) }
                            members.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: serialNumber) }
                        }
                    }
                }
            }
        }
        return request.serializedBytes
    }

    /// Returns whether an identifier in a response is that of the certificate.
    ///
    /// - Throws: `malformed` if it can't be read.
    func matches(_ node: ASN1Node) throws(CertificateRejection) -> Bool {
        var members = try DERMembers(of: node, in: Self.part)
        var algorithm = try DERMembers(of: try members.next(), in: Self.part)
        let kind = try algorithm.next()
        let name = try members.next()
        let key = try members.next()
        let number = try members.next()
        try members.requireEnd()
        let (hash, nameHash, keyHash) = try CertificateRejection.reading(Self.part) {
            (
                try ASN1ObjectIdentifier(derEncoded: kind),
                Array(try ASN1OctetString(derEncoded: name).bytes),
                Array(try ASN1OctetString(derEncoded: key).bytes)
            )
        }
        guard number.identifier == .integer, case .primitive(let digits) = number.content, digits == serialNumber else {
            return false
        }
        switch hash {
        case Self.sha1:
            return nameHash == Array(Insecure.SHA1.hash(data: issuerName))
                && keyHash == Array(Insecure.SHA1.hash(data: issuerKey))
        case Self.sha256:
            return nameHash == Array(SHA256.hash(data: issuerName)) && keyHash == Array(SHA256.hash(data: issuerKey))
        default: return false
        }
    }
}
