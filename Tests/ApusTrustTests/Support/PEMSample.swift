internal import ApusTestServer
internal import Foundation
internal import Testing

/// Certificates of the test server in DER.
enum PEMSample {
    /// Returns the certificates of a PEM text, without the code that is tested.
    static func der(_ pem: String) throws -> [[UInt8]] {
        try pem.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().map { block in
            let base64 = block.components(separatedBy: "-----END").first ?? ""
            return Array(try #require(Data(base64Encoded: base64.filter { !$0.isWhitespace })))
        }
    }

    static func der(_ tls: TestTLS) throws -> [[UInt8]] { try der(tls.certificateChainPEM) }

    static var authority: [UInt8] {
        get throws { try #require(try der(TestTLS.authorityPEM).first) }
    }
}
