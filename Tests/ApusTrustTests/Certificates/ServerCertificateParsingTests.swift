internal import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

@Suite struct ServerCertificateParsingTests {
    @Test func describesACertificate() throws {
        let key = try TestAuthority("server").publicKeyInfo()
        let parsed = try TestAuthority("Root").server {
            $0.subject = TestAuthority.name("a.example")
            $0.serialNumber = 0xABCD
            $0.publicKeyInfo = key
            try $0.setNames([
                .dnsName("a.example"), .rfc822Name("a@a.example"), .dnsName("*.a.example"),
                .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])), .dnsName("b\u{1B}[2J.example"),
                .ipAddress(ASN1OctetString(contentBytes: [1, 2, 3])),
            ])
        }
        let certificate = try ServerCertificate(derBytes: parsed.derBytes)
        #expect(certificate.derBytes == parsed.derBytes)
        #expect(certificate.subject == "CN=a.example")
        #expect(certificate.issuer == "CN=Root")
        #expect(certificate.serialNumber == "abcd")
        #expect(certificate.notValidBefore == parsed.notValidBefore)
        #expect(certificate.notValidAfter == parsed.notValidAfter)
        #expect(certificate.names == ["a.example", "*.a.example", "127.0.0.1", "b\\1B[2J.example"])
        #expect(certificate.publicKeyHash == Array(SHA256.hash(data: key)))
    }

    @Test func rejectsOtherBytes() {
        #expect(throws: CertificateRejection.malformed("it is not DER")) {
            try ServerCertificate(derBytes: [1, 2, 3])
        }
    }

    @Test func saysOnceThatDataIsNoCertificate() {
        let error = #expect(throws: ApusError.self) { try ServerCertificate(der: Data([1, 2, 3])) }
        #expect(error?.detail == "the data of 3 bytes is no certificate: it is not DER")
    }

    @Test func shortensLongNames() throws {
        let long = String(repeating: "a", count: 100_000)
        let parsed = try TestAuthority("Root").server {
            $0.subject = TestAuthority.name(String(repeating: "a", count: 8000))
            try $0.setNames([.dnsName(long)])
        }
        let certificate = ServerCertificate(parsed)
        #expect(certificate.subject.count == 401)
        #expect(certificate.names.map(\.count) == [256])
    }
}
