internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTrust

@Suite struct SystemRootsTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    private func path(_ name: String) -> String { scratch.url(name).path(percentEncoded: false) }

    @Test func areInThePlacesOfTheSystem() {
        let roots = SystemRoots(environment: [:])
        #expect(roots.files == SystemRoots.defaultFiles)
        #expect(roots.folders == SystemRoots.defaultFolders)
        #expect(!roots.readsFolders)
    }

    @Test func areInThePlacesOfTheEnvironment() {
        let file = SystemRoots(environment: ["SSL_CERT_FILE": "/a.pem"])
        #expect(file.files == ["/a.pem"])
        #expect(file.folders == SystemRoots.defaultFolders)
        #expect(file.readsFolders)
        let folders = SystemRoots(environment: ["SSL_CERT_DIR": "/a:/b"])
        #expect(folders.files == SystemRoots.defaultFiles)
        #expect(folders.folders == ["/a", "/b"])
        #expect(folders.readsFolders)
        let empty = SystemRoots(environment: ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""])
        #expect(empty.files == SystemRoots.defaultFiles)
        #expect(!empty.readsFolders)
    }

    @Test func areThoseOfTheFirstFile() throws {
        try scratch.write("no certificate", to: "0.pem")
        try scratch.write("-----BEGIN CERTIFICATE-----\n!\n" + TestTLS.authorityPEM, to: "1.pem")
        try scratch.write(TestTLS.selfSigned.certificateChainPEM, to: "2.pem")
        let files = ["missing.pem", "0.pem", "1.pem", "2.pem"].map(path)
        let authority = try PEMSample.authority
        let selfSigned = try PEMSample.der(.selfSigned)
        func found(_ files: [String], folders: [String], readsFolders: Bool) throws -> [[UInt8]] {
            try SystemRoots(files: files, folders: folders, readsFolders: readsFolders).certificates().map(\.derBytes)
        }
        let folder = scratch.url.path(percentEncoded: false)
        #expect(try found(files, folders: [folder], readsFolders: false) == [authority])
        #expect(try found(files, folders: [folder], readsFolders: true) == [authority, authority] + selfSigned)
        #expect(try found([], folders: [path("missing"), folder], readsFolders: false) == [authority] + selfSigned)
    }

    @Test func areMissingOnAnEmptySystem() async throws {
        let roots = SystemRoots(files: [path("a.pem")], folders: [path("b")], readsFolders: true)
        let error = await failure { try roots.certificates() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains("a.pem") == true)
        #expect(error?.hint?.contains("SSL_CERT_FILE") == true)
    }
}
