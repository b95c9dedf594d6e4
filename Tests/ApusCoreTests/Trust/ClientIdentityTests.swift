internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct ClientIdentityTests {
    static let identities: [ClientIdentity] = [
        .pem("a"), .pem("b"), .pem("a", key: "k"), .pem("a", key: "l"), .pem("a", passphrase: "p"),
        .der([[1]], key: [2]),
        .der([[1], [2]], key: [2]), .der([[1]], key: [3]), .pkcs12([1], passphrase: ""), .pkcs12([1], passphrase: "p"),
        .pkcs12([2], passphrase: "p"),
    ]

    @Test func comparesContents() {
        for (index, one) in Self.identities.enumerated() {
            for (other, two) in Self.identities.enumerated() { #expect((one == two) == (index == other)) }
        }
        #expect(Set(Self.identities).count == Self.identities.count)
        #expect(ClientIdentity.pem("a", key: "k") == .pem("a", key: "k"))
        #expect(ClientIdentity.pem("a", key: "k").hashValue == ClientIdentity.pem("a", key: "k").hashValue)
    }

    @Test func comparesFilesByTheirContents() throws {
        let name = "apus-identity-\(UInt64.random(in: 0 ... .max))"
        let files = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        let path = files.appending(path: "a.pem").path
        try Data("text".utf8).write(to: URL(filePath: path))
        let identity = try ClientIdentity.pemFile(path)
        #expect(identity == .pem("text"))
        #expect(identity.description == "client identity from '\(path)'")
        try Data("other".utf8).write(to: URL(filePath: path))
        #expect(try ClientIdentity.pemFile(path) != identity)
        #expect(try ClientIdentity.pkcs12File(path, passphrase: "x") == .pkcs12(Array("other".utf8), passphrase: "x"))
    }

    @Test func namesAMissingFile() {
        let error = #expect(throws: ApusError.self) { try ClientIdentity.pemFile("/nowhere/client.pem") }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains("/nowhere/client.pem") == true)
        #expect(error?.fileURL == URL(filePath: "/nowhere/client.pem"))
    }

    @Test func hidesItsKeyAndPassphrase() {
        let identity = ClientIdentity.pem("certificate", key: "secret-key", passphrase: "secret-words")
        var dumped = ""
        dump(identity, to: &dumped)
        var settings = TLSSettings()
        settings.identity = identity
        for text in ["\(identity)", String(reflecting: identity), dumped, "\(settings)", String(reflecting: settings)] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }

    @Test(
        arguments: [
            ("-----BEGIN PRIVATE KEY-----", nil, false), ("-----BEGIN ENCRYPTED PRIVATE KEY-----", nil, true),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----", "p", false),
            ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED", nil, true),
        ] as [(String, String?, Bool)]
    )
    func knowsWhetherItLacksAPassphrase(key: String, passphrase: String?, lacks: Bool) {
        #expect(ClientIdentity.pem("", key: key, passphrase: passphrase).lacksPassphrase == lacks)
        #expect(ClientIdentity.pem(key, passphrase: passphrase).lacksPassphrase == lacks)
    }
}
