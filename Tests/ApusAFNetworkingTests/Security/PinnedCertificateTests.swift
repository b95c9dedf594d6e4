internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusAFNetworking

@Suite struct PinnedCertificateTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    private func certificates(_ text: String) throws -> [PinnedCertificate] {
        try PinnedCertificate.certificates(inFile: scratch.write(text, to: "a.cer"))
    }

    @Test func detectsSelfIssuedAndSigningCertificates() throws {
        let chain = [
            TestTLS.authorityPEM, TestTLS.localhost.certificateChainPEM, TestTLS.selfSigned.certificateChainPEM,
            TestTLS.selfSignedForAnyUse.certificateChainPEM,
        ]
        let certificates = try certificates(chain.joined(separator: "\n"))
        #expect(certificates.map(\.isSelfIssued) == [true, false, true, true])
        #expect(certificates.map(\.maySign) == [true, false, false, true])
    }

    @Test(arguments: ["PEM", "PEM with CR LF", "PEM in words", "DER"])
    func isReadFromAFile(form: String) throws {
        let der = try #require(try certificates(TestTLS.authorityPEM).first).der
        let url = scratch.url.appending(path: "b.cer")
        switch form {
        case "PEM": try Data(TestTLS.authorityPEM.utf8).write(to: url)
        case "PEM with CR LF": try Data(TestTLS.authorityPEM.replacing("\n", with: "\r\n").utf8).write(to: url)
        case "PEM in words": try Data("subject=x\n\(TestTLS.authorityPEM)behind".utf8).write(to: url)
        default: try der.write(to: url)
        }
        #expect(try PinnedCertificate.certificates(inFile: url).map(\.der) == [der])
    }

    @Test(arguments: [
        "", "text", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
    ])
    func isNotFoundInInvalidFiles(text: String) async throws {
        let error = try await refusal { try certificates(text) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.detail.contains("a.cer"))
        let both = try await refusal { try certificates(TestTLS.authorityPEM + "-----BEGIN CERTIFICATE-----") }
        #expect(both.code == .invalidConfiguration)
    }

    @Test func namesAnUnreadableFile() async throws {
        let missing = scratch.url.appending(path: "missing.cer")
        let error = try await refusal { try PinnedCertificate.certificates(inFile: missing) }
        #expect(error.code == .fileUnreadable)
        #expect(error.detail.contains("missing.cer"))
    }

    @Test func rejectsTruncatedOrDamagedData() throws {
        let der = try #require(try certificates(TestTLS.authorityPEM).first).der
        for count in 0..<der.count { #expect(PinnedCertificate(der: der.prefix(count)) == nil) }
        #expect(PinnedCertificate(der: der + [0]) == nil)
        // Damaged bytes never cause reads out of bounds.
        for index in der.indices {
            for bits in [UInt8(0xFF), 0x80, 0x01] {
                var damaged = der
                damaged[index] ^= bits
                _ = PinnedCertificate(der: damaged)
            }
        }
        for length: [UInt8] in [[0x80], [0x85, 1, 1, 1, 1, 1], [0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x81]] {
            #expect(PinnedCertificate(der: Data([0x30] + length)) == nil)
        }
    }

    @Test func isWrittenAsPEMInAFixedOrder() throws {
        let ders = try certificates(TestTLS.authorityPEM + TestTLS.selfSignedForAnyUse.certificateChainPEM).map(\.der)
        let text = try PinnedCertificate.roots(of: Set(ders))
        #expect(try Set(certificates(text).map(\.der)) == Set(ders))
        #expect(try PinnedCertificate.roots(of: Set(ders.reversed())) == text)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 64 })
    }
}
