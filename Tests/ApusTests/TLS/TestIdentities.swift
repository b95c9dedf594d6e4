import Apus
import ApusTestServer
import Foundation
import NIOSSL

/// Client identities of the test authority, in all formats.
enum TestIdentities {
    static let pem = ClientIdentity.pem(TestTLS.clientCertificatePEM, key: TestTLS.clientPrivateKeyPEM)

    /// The key of `TestTLS.clientPrivateKeyPEM`, encrypted with the passphrase `sesame`.
    static let encryptedKeyPEM = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgHUdP4AI1dZgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGAjr2bRnle8/f6xgFDNTucEgZCy
        7wa73zjaPpy5JfLBPigmCa+0SlfD87tczuXJhveVyXO0ykLADG+CKh2CD6JaVHih
        CQbf2nzBf42MKAVhyKlGVgVKSsgkIDiZ7g0VGG6hgQUDMvucIwR3MlqC7YsErV37
        xqTNi0kJk2kgMgQHifcRu4v24VYI5pdWhidXmVKZ/69mi0g4I4fu/qUDvyd/7hA=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// A PKCS#12 bundle with the passphrase `sesame` that has the certificate and no key.
    static let bundleWithoutKey: [UInt8] = {
        let text = """
            MIIC1wIBAzCCAo0GCSqGSIb3DQEHAaCCAn4EggJ6MIICdjCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB
            MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgpR7gwlq4PWwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECgL
            HpGaTCwCS60Uk39AAuqAggHwrzi3CrUr4YEIcMdAAK6aeUoohgeWHhgPSblLujTuomMzU83ZFaiGx9Zpew+fAzAnDvK0NdMEXKKO
            /gYs00CXGg+Rq8MYmXLpZ8439QeOh1v4tduZYqI+C5FIpnc/NE9DmbbSwupartai12aUqqnS7hmPwf9DQbqXqSU7s9eI8CTtCjpu
            irn6OL7cyoXIzVmT94pzi2dorKGjJ1V0MjbPrvHjKUF/ue+CfhuV0CdE99Qfb4AnJcCM0XSPoP3+cMEMkzI4dXm8LXacc4JCYSKY
            Mrifx256Tgl0DrbUrMWrNz/tKDM8ZYlygHz/vb+9XxtzMvatX7v1EtbhoHj3VN313UY3pkCu2iiUDtlWFrrWKkp56E6GIf6wNn0P
            4CdOTobdUWyE2la02GirA/way4onYPU+uA0o5Mkg6Ev3Ifj0cMfbxhNYA6nUB7d3oVedxW4S49iHBQeq6hLTO3jtYsHZierFKVdW
            UpuMzNrjJe32xpKLopNoAIxc5qcAaEkrsAiNyJzDZ1SDzf00pH0+0TS9FwO08pRjX+wCTqi+y2AKcEXvWFCzCn+x1OLMFl1wfNcv
            aLRngGXdRbXlQq+TLjsWYUvk0Dj/4imPFablqxIGINr++SpfRteS+VGFO4JqFFsHQUw/rJBQJJubhm1rTHteMjBBMDEwDQYJYIZI
            AWUDBAIBBQAEIC47J0+11CqB4urxSY58WRWz1Cn1O8+QaFsY4XjKhN6cBAh7lb0JHjamIwICCAA=
            """
        return Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }()

    /// Returns a PKCS#12 bundle with the certificate and the key.
    static func bundle(passphrase: String) throws -> [UInt8] {
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(TestTLS.clientCertificatePEM.utf8)),
            privateKey: try NIOSSLPrivateKey(bytes: Array(TestTLS.clientPrivateKeyPEM.utf8), format: .pem)
        )
        return try bundle.serialize(passphrase: Array(passphrase.utf8))
    }

    static func der() throws -> ClientIdentity {
        let certificates = try NIOSSLCertificate.fromPEMBytes(Array(TestTLS.clientCertificatePEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(TestTLS.clientPrivateKeyPEM.utf8), format: .pem)
        return .der(try certificates.map { try $0.toDERBytes() }, key: try key.derBytes)
    }
}
