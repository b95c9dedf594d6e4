internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTrust

@Suite struct PublicKeyPinTests {
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    /// Parity: AF-trust-keys
    @Test(arguments: ["sha256/", "sha256//"])
    func isRead(prefix: String) throws {
        let pin = try PublicKeyPin(prefix + Self.base64)
        // The hash of nothing.
        #expect(pin == PublicKeyPin(publicKey: Data()))
        #expect(pin.hash.count == 32)
        #expect(pin.description == "sha256//\(Self.base64)")
    }

    /// A hash can begin with a slash in Base64.
    @Test(arguments: ["sha256/", "sha256//"])
    func isReadWithASlashAtTheBegin(prefix: String) throws {
        let hash = Data([0xFF] + [UInt8](repeating: 7, count: 31))
        #expect(hash.base64EncodedString().hasPrefix("/"))
        #expect(try PublicKeyPin(prefix + hash.base64EncodedString()).hash == Array(hash))
    }

    @Test(arguments: [
        "", "sha256//", base64, "sha1//2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "SHA256//\(base64)", "sha256///\(base64)",
        "sha256//\(base64) ", "sha256//\(base64.dropLast())", "sha256//\(base64);\(base64)",
        "sha256//4!DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ])
    func isRejectedInAnotherForm(text: String) async {
        let error = await failure { try PublicKeyPin(text) }
        #expect(error?.code == .invalidConfiguration)
    }

    /// The pin was computed with OpenSSL, as the documentation of the type says.
    @Test func isThatOfOpenSSL() throws {
        let certificate = try #require(try TrustSample.authority.first)
        #expect(PublicKeyPin(certificate: certificate).description == Self.pinOfAuthority)
    }

    private static let pinOfAuthority = "sha256//Xe0NIkvxTynhY7jQZ3QeiYdKbyA8zRWVXXVHG84QWUI="
}
