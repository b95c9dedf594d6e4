internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct ContentDigestTests {
    @Test func readsDigitsInAnyCase() throws {
        let text = String(repeating: "09afAF", count: 10) + "0110"
        let digest = try #require(ContentDigest(.sha256, hexadecimal: text))
        #expect(Array(digest.bytes.prefix(3)) == [0x09, 0xAF, 0xAF])
        #expect(Array(digest.bytes.suffix(2)) == [0x01, 0x10])
        #expect(digest.hexadecimal == text.lowercased())
        #expect("\(digest)" == "sha-256 \(text.lowercased())")
        #expect(ContentDigest(.sha256, bytes: digest.bytes) == digest)
    }

    @Test(arguments: ContentDigest.Algorithm.allCases)
    func rejectsAnotherLength(algorithm: ContentDigest.Algorithm) {
        for count in [0, 1, algorithm.byteCount - 1, algorithm.byteCount, algorithm.byteCount + 1] {
            let bytes = [UInt8](repeating: 0xA5, count: count)
            let fits = count == algorithm.byteCount
            #expect((ContentDigest(algorithm, bytes: bytes) != nil) == fits)
            let digits = String(repeating: "a5", count: count)
            #expect((ContentDigest(algorithm, hexadecimal: digits) != nil) == fits)
            #expect(ContentDigest(algorithm, hexadecimal: digits + "a") == nil)
        }
    }

    @Test(arguments: ["g", " ", "-", "+", "\u{0}", "ä"])
    func rejectsOtherCharacters(character: String) {
        let text = String(repeating: "0", count: 64 - character.utf8.count) + character
        #expect(text.utf8.count == 64)
        #expect(ContentDigest(.sha256, hexadecimal: text) == nil)
    }

    @Test func describesAMismatch() throws {
        let expected = try #require(ContentDigest(.sha256, bytes: [UInt8](repeating: 0xAA, count: 32)))
        let received = [UInt8](repeating: 0xBB, count: 32)
        let file = URL(filePath: "/tmp/a b.zip")
        let error = expected.mismatch(with: received, of: file, from: .option)
        let (own, other) = (String(repeating: "aa", count: 32), String(repeating: "bb", count: 32))
        #expect(error.code == .digestMismatch)
        #expect(error.detail == "'/tmp/a b.zip' has the SHA-256 digest \(other), but \(own) was expected")
        #expect(error.fileURL == file)
        let declared = expected.mismatch(with: received, of: file, from: .field)
        #expect(declared.detail.hasSuffix("\(other), but the Repr-Digest of the response is \(own)"))
    }
}
