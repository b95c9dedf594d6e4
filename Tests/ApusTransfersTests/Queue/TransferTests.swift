internal import ApusCore
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferTests {
    private static let digest = String(repeating: "Ab", count: 32)

    private func failure(
        _ url: String = "http://h.example/",
        to destination: URL = URL(filePath: "/tmp/a"),
        id: String = "1",
        fields: RequestFields = [:]
    ) -> ApusError? {
        do throws(ApusError) {
            _ = try Transfer(url, to: destination, id: TransferID(rawValue: id), fields: fields)
            return nil
        } catch {
            return error
        }
    }

    @Test func keepsItsParts() throws {
        let transfer = try Transfer(
            "http://h.example/a b",
            to: URL(filePath: "/tmp/ä ?#%"),
            fields: ["X-Tag": "1"],
            expectedDigest: ExpectedDigest.sha256(Self.digest),
            priority: .low,
            retryLimit: -1,
            replaces: false
        )
        #expect(transfer.kind == .download)
        #expect(transfer.url == "http://h.example/a%20b")
        #expect(transfer.destination.path(percentEncoded: false) == "/tmp/ä ?#%")
        #expect(transfer.fields.map { "\($0.name.rawName): \($0.value)" } == ["X-Tag: 1"])
        #expect(try transfer.expectedDigest == ExpectedDigest.sha256(Self.digest))
        #expect(transfer.priority == .low)
        #expect(transfer.retryLimit == 0)
        #expect(!transfer.replaces)
        #expect(transfer.id.rawValue.utf8.count == 32)
        let data = try JSONEncoder().encode(transfer)
        #expect(try JSONDecoder().decode(Transfer.self, from: data) == transfer)
    }

    /// The format of the files, which later versions must read.
    @Test func storesTheDigestByItsAlgorithm() throws {
        let (short, long) = (String(repeating: "ab", count: 32), String(repeating: "cd", count: 64))
        let digests = [
            (try ExpectedDigest.sha256(short), "\"sha256\":\"\(short)\""),
            (try ExpectedDigest.sha512(long), "\"sha512\":\"\(long)\""),
        ]
        for (digest, member) in digests {
            let transfer = try Transfer("http://h.example/", to: URL(filePath: "/tmp/a"), expectedDigest: digest)
            let data = try JSONEncoder().encode(transfer)
            #expect(String(decoding: data, as: UTF8.self).contains(member))
            #expect(try JSONDecoder().decode(Transfer.self, from: data) == transfer)
        }
    }

    @Test func hasAnIdentifierOfItsOwn() throws {
        let transfers = try (0..<100).map { _ in try Transfer("http://h.example/", to: URL(filePath: "/tmp/a")) }
        #expect(Set(transfers.map(\.id)).count == 100)
    }

    @Test func keepsTheUserOfTheURL() throws {
        let transfer = try Transfer("https://a%40b:c%3Ad@h.example:444/x?y=1", to: URL(filePath: "/tmp/a"))
        #expect(transfer.url == "https://a%40b:c%3Ad@h.example:444/x?y=1")
        #expect(try TargetURI(transfer.url).userInformation?.user == "a@b")
    }

    @Test func makesARelativePathAbsolute() throws {
        let transfer = try Transfer("http://h.example/", to: URL(filePath: "a/b"))
        #expect(transfer.destination.path(percentEncoded: false).hasPrefix("/"))
        #expect(transfer.destination.path(percentEncoded: false).hasSuffix("/a/b"))
    }

    @Test func refusesInvalidParts() {
        #expect(failure() == nil)
        #expect(failure("h.example")?.code == .invalidURL)
        #expect(failure("/relative")?.code == .invalidURL)
        #expect(failure(to: URL(filePath: "/tmp/"))?.code == .fileUnwritable)
        #expect(failure(to: URL(filePath: "/tmp/a", directoryHint: .isDirectory))?.code == .fileUnwritable)
        #expect(failure(fields: ["X": "a\r\nb: c"])?.code == .invalidField)
        #expect(failure(id: "")?.code == .invalidRequest)
        #expect(failure(id: String(repeating: "a", count: 200)) == nil)
        #expect(failure(id: String(repeating: "a", count: 201))?.code == .invalidRequest)
    }

    @Test func refusesAURLThatNamesNoFile() throws {
        let url = try #require(URL(string: "http://h.example/a"))
        #expect(failure(to: url)?.code == .fileUnwritable)
    }

    @Test func showsNoSecrets() throws {
        let transfer = try Transfer(
            "https://ada:sesame@h.example/?token=sesame",
            to: URL(filePath: "/tmp/a"),
            fields: ["Authorization": "Bearer sesame"]
        )
        let queued = try #require(
            TransferQueueState([.added(transfer)], longestDelay: 0).transfers.first
        )
        for text in ["\(transfer)", String(reflecting: transfer), "\(queued)", String(reflecting: queued)] {
            #expect(!text.contains("sesame"))
        }
        #expect("\(transfer)".contains("h.example"))
    }
}
