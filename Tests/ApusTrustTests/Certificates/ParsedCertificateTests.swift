internal import ApusCore
internal import Foundation
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

@Suite struct ParsedCertificateTests {
    private let root = TestAuthority("Root")

    /// Returns the reason for which a changed certificate can't be read.
    private func reason(_ change: (inout TestTemplate) throws -> Void) throws -> String? {
        do {
            _ = try root.server(change)
            return nil
        } catch CertificateRejection.malformed(let reason) {
            return reason
        }
    }

    @Test func readsACertificate() throws {
        let certificate = try root.root { $0.serialNumber = 0x80 }
        let other = try TestAuthority("Root").root()
        let key = try root.publicKeyInfo()
        #expect(certificate.version == 3)
        #expect(Array(certificate.serialNumber) == [0, 0x80])
        #expect(certificate.issuerBytes == certificate.subjectBytes)
        #expect(certificate.isSelfIssued)
        #expect(certificate.subjectText == "CN=Root")
        #expect(certificate.notValidBefore == TestAuthority.moment.addingTimeInterval(-86_400))
        #expect(certificate.notValidAfter == TestAuthority.moment.addingTimeInterval(86_400))
        #expect(certificate.publicKeyInfo == key)
        #expect(certificate.extensions.isAuthority == true)
        #expect(certificate.extensions.keyUsage?.contains(.certificateSigning) == true)
        #expect(certificate.extensions.all.count == 2)
        #expect(certificate.isSigned(by: certificate))
        #expect(!certificate.isSigned(by: other))
    }

    /// A signature that was checked with one key says nothing about another one.
    @Test func remembersTheKeyOfItsSignature() throws {
        let certificate = try root.server()
        let (issuer, namesake) = (try root.root(), try TestAuthority("Root").root())
        let renewed = try root.root { $0.serialNumber = 2 }
        for _ in 0..<2 {
            #expect(!certificate.isSigned(by: namesake))
            #expect(certificate.isSigned(by: issuer))
            #expect(certificate.isSigned(by: renewed))
        }
        let broken = try root.server { $0.isSignatureBroken = true }
        for _ in 0..<2 { #expect(!broken.isSigned(by: issuer)) }
    }

    @Test func readsTheVersion() throws {
        let old = try root.server {
            $0.version = 0
            $0.extensions = []
        }
        #expect(old.version == 1)
        #expect(try reason { $0.version = 3 } == "its version is unknown")
        #expect(try reason { $0.version = 0 } == "it has extensions, but is of version 1")
        #expect(try reason { $0.version = 1 } == "it has extensions, but is of version 2")
    }

    @Test func requiresTheSameAlgorithmTwice() throws {
        let other = TestTemplate.identifier([1, 2, 840, 10045, 4, 3, 3])
        #expect(try reason { $0.outerAlgorithmBytes = other } == "its two signature algorithms differ")
        #expect(try reason { $0.outerAlgorithmBytes = $0.algorithmBytes } == nil)
    }

    static let brokenExtensions: [(ASN1ObjectIdentifier, [UInt8], String)] = [
        ([2, 5, 29, 19], [0x30, 0x01], "basic constraints"), ([2, 5, 29, 19], [5, 0], "basic constraints"),
        ([2, 5, 29, 19], [0x30, 4, 1, 2, 0xFF, 0xFF], "basic constraints"),
        ([2, 5, 29, 19], [0x30, 6, 1, 1, 0xFF, 2, 1, 0x80], "basic constraints"),
        ([2, 5, 29, 15], [3, 2, 1, 1], "key usage"), ([2, 5, 29, 15], [], "key usage"),
        ([2, 5, 29, 37], [0x30, 2, 5, 0], "extended key usage"),
        ([2, 5, 29, 37], [0x30, 0, 0], "extended key usage"),
        ([2, 5, 29, 17], [0x30, 3, 0x82, 1, 0xFF], "list of names"),
        ([2, 5, 29, 17], [0x30, 0, 0], "list of names"), ([2, 5, 29, 30], [0x30, 0], "name constraints"),
    ]

    @Test(arguments: brokenExtensions.indices)
    func rejectsABrokenExtension(row: Int) throws {
        let (identifier, value, part) = Self.brokenExtensions[row]
        let found = try reason { $0.set(Certificate.Extension(oid: identifier, critical: false, value: value[...])) }
        #expect(found == "its \(part) can't be read")
    }

    /// Key identifiers only order the candidates.
    @Test(arguments: [[2, 5, 29, 14], [2, 5, 29, 35]] as [ASN1ObjectIdentifier])
    func ignoresABrokenKeyIdentifier(identifier: ASN1ObjectIdentifier) throws {
        #expect(try reason { $0.set(Certificate.Extension(oid: identifier, critical: false, value: [5])) } == nil)
    }

    @Test func limitsTheExtensions() throws {
        let numbered = { (count: UInt) throws in
            try (0..<count).map { number in
                let identifier = try ASN1ObjectIdentifier(elements: [1, 2, 3, number] as [UInt])
                return Certificate.Extension(oid: identifier, critical: false, value: [5, 0])
            }
        }
        let (most, tooMany) = (try numbered(32), try numbered(33))
        #expect(try reason { $0.extensions = most } == nil)
        #expect(try reason { $0.extensions = tooMany } == "it has too many extensions")
        #expect(try reason { $0.extensions = [most[1], most[1]] } == "it has the extension 1.2.3.1 twice")
    }

    @Test func rejectsABrokenKey() throws {
        for key: [UInt8] in [[5, 0], [0x30, 0], [0x30, 2, 0x30, 0]] {
            #expect(try reason { $0.publicKeyInfo = key } == "its public key can't be read")
        }
    }

    @Test func rejectsTruncatedAndExtendedBytes() throws {
        let bytes = try root.server().derBytes
        for count in [0, 1, 2, 10, bytes.count - 1] {
            #expect(throws: CertificateRejection.malformed("it is not DER")) {
                try ParsedCertificate(derBytes: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: CertificateRejection.malformed("it is not DER")) {
            try ParsedCertificate(derBytes: bytes + [0])
        }
        #expect(throws: CertificateRejection.malformed("its structure can't be read")) {
            try ParsedCertificate(derBytes: [0x30, 0])
        }
    }

    /// No byte of a certificate can be changed into a crash, or into another certificate with a valid signature.
    @Test func survivesAChangeOfAnyByte() throws {
        let issuer = try root.root()
        let certificate = try root.server()
        let end = certificate.derBytes.count - certificate.signature.count - 16
        for index in stride(from: 0, to: end, by: 3) {
            var bytes = certificate.derBytes
            bytes[index] ^= 0x11
            guard let changed = try? ParsedCertificate(derBytes: bytes) else { continue }
            #expect(!changed.isSigned(by: issuer), "byte \(index)")
        }
    }
}
