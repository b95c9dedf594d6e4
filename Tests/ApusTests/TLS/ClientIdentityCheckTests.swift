import Apus
import ApusTestServer
import Foundation
import Testing

/// `ClientIdentity.check`: identities are read and checked before they are used.
@Suite struct ClientIdentityCheckTests {
    @Test func acceptsEachFormat() throws {
        let certificate = TestTLS.clientCertificatePEM
        let key = TestTLS.clientPrivateKeyPEM
        try TestIdentities.pem.check()
        try ClientIdentity.pem(certificate + key).check()
        try ClientIdentity.pem(key + "text between\n" + certificate).check()
        try ClientIdentity.pem(certificate, key: TestIdentities.encryptedKeyPEM, passphrase: "sesame").check()
        // The client's certificate may follow that of its authority.
        try ClientIdentity.pem(TestTLS.authorityPEM + certificate, key: key).check()
        try TestIdentities.der().check()
        for passphrase in ["sesame", "", "öffne dich"] {
            let bundle = try TestIdentities.bundle(passphrase: passphrase)
            try ClientIdentity.pkcs12(bundle, passphrase: passphrase).check()
        }
    }

    /// An identity that can't be used.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let identity: ClientIdentity
        let words: String

        init(_ words: String, _ identity: ClientIdentity) {
            testDescription = words
            self.identity = identity
            self.words = words
        }
    }

    static let faults: [Fault] = [
        Fault("has no certificate in PEM", .pem("", key: TestTLS.clientPrivateKeyPEM)),
        Fault("has no certificate in PEM", .pem("a swift", key: TestTLS.clientPrivateKeyPEM)),
        Fault("has no private key", .pem(TestTLS.clientCertificatePEM)),
        Fault("has no private key", .pem(TestTLS.clientCertificatePEM, key: "")),
        Fault(
            "does not belong to the certificate",
            .pem(TestTLS.clientCertificatePEM, key: TestTLS.localhost.privateKeyPEM)
        ),
        Fault("is encrypted", .pem(TestTLS.clientCertificatePEM, key: TestIdentities.encryptedKeyPEM)),
        Fault(
            "its passphrase is wrong",
            .pem(TestTLS.clientCertificatePEM, key: TestIdentities.encryptedKeyPEM, passphrase: "wrong")
        ),
        Fault(
            "outside of ASCII",
            .pem(TestTLS.clientCertificatePEM, key: TestIdentities.encryptedKeyPEM, passphrase: "ö")
        ),
        Fault("expired", .pem(TestTLS.expired.certificateChainPEM, key: TestTLS.expired.privateKeyPEM)),
        Fault(
            "can't be read",
            .pem(
                TestTLS.clientCertificatePEM,
                key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
            )
        ),
        Fault("has no certificate", .der([], key: [1])),
        Fault("can't be read as DER", .der([[]], key: [1])),
        Fault("can't be read as DER", .der([[0x30, 0]], key: [1])),
        Fault("is no PKCS#12 bundle", .pkcs12([], passphrase: "")),
        Fault("is no PKCS#12 bundle", .pkcs12(Array(TestTLS.clientCertificatePEM.utf8), passphrase: "")),
        Fault("has no private key", .pkcs12([0x30, 0], passphrase: "")),
        Fault("has no private key", .pkcs12(TestIdentities.bundleWithoutKey, passphrase: "sesame")),
    ]

    @Test(arguments: faults)
    func namesEachFault(fault: Fault) {
        let error = #expect(throws: ApusError.self) { try fault.identity.check() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains(fault.words) == true, "\(error?.detail ?? "")")
    }

    @Test(arguments: [("", "needs a passphrase"), ("wrong", "has another passphrase")])
    func tellsAWrongPassphraseOfABundle(passphrase: String, words: String) throws {
        let identity = ClientIdentity.pkcs12(try TestIdentities.bundle(passphrase: "sesame"), passphrase: passphrase)
        let error = #expect(throws: ApusError.self) { try identity.check() }
        #expect(error?.detail.hasSuffix(words) == true, "\(error?.detail ?? "")")
    }

    @Test func namesTheFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-\(UInt64.random(in: 0 ... .max)).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(TestTLS.clientCertificatePEM.utf8).write(to: file)
        let identity = try ClientIdentity.pemFile(file.path)
        let error = #expect(throws: ApusError.self) { try identity.check() }
        #expect(error?.detail.contains(file.path) == true)
        #expect(error?.fileURL?.path == file.path)
    }
}
