internal import ApusTestServer
internal import Testing

@testable internal import ApusTrust

@Suite struct PEMTextTests {
    private func certificates(_ text: String) -> [[UInt8]?] {
        PEMText.certificates(in: Array(text.utf8)).map { $0?.derBytes }
    }

    private static let pem = TestTLS.authorityPEM

    private static let forms: [(String, String)] = [
        ("as it is", pem),
        ("CR LF", pem.replacing("\n", with: "\r\n")),
        ("CR", pem.replacing("\n", with: "\r")),
        ("spaces", pem.replacing("\n", with: " \t\n")),
        ("text around", "subject=x\n\(pem)behind"),
        ("behind text", "x \(pem)"),
        ("no line end", String(pem.dropLast())),
        ("X509", pem.replacing(" CERTIFICATE", with: " X509 CERTIFICATE")),
        ("beside a key", TestTLS.clientPrivateKeyPEM + pem + TestTLS.clientPrivateKeyPEM),
        ("behind a request", request + pem),
    ]

    private static let request = """
        -----BEGIN CERTIFICATE REQUEST-----
        AAAA
        -----END CERTIFICATE REQUEST-----

        """

    @Test(arguments: forms)
    private func isRead(form: String, text: String) throws {
        let expected: [[UInt8]?] = [try PEMSample.authority]
        #expect(certificates(text) == expected, "\(form)")
    }

    @Test func isReadWithoutALineBetweenTwo() throws {
        let line = TestTLS.authorityPEM.filter { $0 != "\n" }
        let authority = try PEMSample.authority
        let expected: [[UInt8]?] = [authority, authority]
        #expect(certificates(line + line) == expected)
    }

    @Test func keepsThePlacesOfInvalidBlocks() throws {
        let authority = try PEMSample.authority
        let begin = "-----BEGIN CERTIFICATE-----"
        let end = "-----END CERTIFICATE-----"
        let cases: [(String, [[UInt8]?])] = [
            ("", []), ("text", []), (begin, [nil]), ("\(begin)\n\(end)", [nil]), ("\(begin)\n!\n\(end)", [nil]),
            ("\(begin)\nAAAA\n\(end)", [nil]), ("\(begin)\nAAAA\n\(Self.pem)", [nil, authority]),
            ("\(Self.pem)\(begin)\nAAAA\n\(end)\n\(Self.pem)", [authority, nil, authority]),
            ("\(Self.pem)\(begin)", [authority, nil]),
        ]
        for (text, expected) in cases { #expect(certificates(text) == expected) }
    }

    @Test func isWritten() throws {
        let both = try PEMSample.der(TestTLS.authorityPEM + TestTLS.selfSigned.certificateChainPEM)
        let text = PEMText.text(of: both)
        #expect(certificates(text).compactMap { $0 } == both)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 64 })
        #expect(PEMText.text(of: []).isEmpty)
    }
}
