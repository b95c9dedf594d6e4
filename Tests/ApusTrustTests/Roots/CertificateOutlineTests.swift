internal import ApusTestServer
internal import Testing

@testable internal import ApusTrust

@Suite struct CertificateOutlineTests {
    @Test func hasTheNameAsItIsEncoded() throws {
        for tls in [TestTLS.localhost, .localhostRSA, .wrongHost, .selfSigned, .expired] {
            let der = try #require(try PEMSample.der(tls).first)
            let outline = try #require(CertificateOutline(derBytes: der))
            let subject = try ParsedCertificate(derBytes: der).subjectBytes
            #expect(outline.subject == subject)
        }
    }

    @Test func rejectsTruncatedOrDamagedData() throws {
        let der = try PEMSample.authority
        for count in 0..<der.count { #expect(CertificateOutline(derBytes: Array(der.prefix(count))) == nil) }
        #expect(CertificateOutline(derBytes: der + [0]) == nil)
        // Damaged bytes never cause reads out of bounds.
        for index in der.indices {
            for bits in [UInt8(0xFF), 0x80, 0x01] {
                var damaged = der
                damaged[index] ^= bits
                _ = CertificateOutline(derBytes: damaged)
            }
        }
        for length: [UInt8] in [[0x80], [0x85, 1, 1, 1, 1, 1], [0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x81]] {
            #expect(CertificateOutline(derBytes: [0x30] + length) == nil)
        }
    }
}
