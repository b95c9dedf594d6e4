internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTrust

@Suite struct CertificateFileTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    private func path(_ name: String) -> String { scratch.url(name).path(percentEncoded: false) }

    private var folder: String { scratch.url.path(percentEncoded: false) }

    @Test func isReadInPEMAndDER() throws {
        let authority = try PEMSample.authority
        try scratch.write(TestTLS.authorityPEM, to: "a.pem")
        try scratch.write(Data(authority), to: "a.cer")
        for name in ["a.pem", "a.cer"] {
            #expect(try CertificateFile.certificates(inFile: path(name)).map(\.derBytes) == [authority])
        }
    }

    @Test func isNamedByErrors() async throws {
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
        try scratch.write(TestTLS.authorityPEM + broken, to: "b.pem")
        try scratch.write("text", to: "empty.pem")
        let cases = [("b.pem", "block 2 of"), ("empty.pem", "has no certificate"), ("none.pem", "can't be read")]
        for (name, text) in cases {
            let error = await failure { try CertificateFile.certificates(inFile: path(name)) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.detail.contains(text) == true)
            #expect(error?.detail.contains(path(name)) == true)
            #expect(error?.fileURL?.lastPathComponent == name)
        }
        let unreadable = await failure {
            try CertificateFile.certificates(inFile: path("none.pem"), unreadable: .fileUnreadable)
        }
        #expect(unreadable?.code == .fileUnreadable)
    }

    @Test func isLimitedInSize() async throws {
        try scratch.write(TestTLS.authorityPEM, to: "large.pem")
        try scratch.truncate("large.pem", to: UInt64(CertificateFile.maximumBytes) + 1)
        let error = await failure { try CertificateFile.certificates(inFile: path("large.pem")) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func isFoundInAFolder() async throws {
        let empty = await failure { try CertificateFile.certificates(inFolder: folder) }
        #expect(empty?.detail.contains("no file in") == true)
        try scratch.write(TestTLS.authorityPEM, to: "b.pem")
        try scratch.write(TestTLS.selfSigned.certificateChainPEM, to: "a.0")
        try scratch.write("no certificate", to: "README")
        try scratch.write(TestTLS.expired.certificateChainPEM, to: ".hidden.pem")
        try FileManager.default.createDirectory(at: scratch.url("inner.pem"), withIntermediateDirectories: false)
        let selfSigned = try PEMSample.der(.selfSigned)
        #expect(
            try CertificateFile.certificates(inFolder: folder).map(\.derBytes) == selfSigned + [try PEMSample.authority]
        )
        #expect(try CertificateFile.certificates(inFolder: folder + "/").count == 2)
        try scratch.write("-----BEGIN CERTIFICATE-----", to: "c.pem")
        let broken = await failure { try CertificateFile.certificates(inFolder: folder) }
        #expect(broken?.detail.contains("c.pem") == true)
        let missing = await failure { try CertificateFile.certificates(inFolder: path("nowhere")) }
        #expect(missing?.code == .invalidConfiguration)
        #expect(missing?.detail.contains("nowhere") == true)
    }
}
