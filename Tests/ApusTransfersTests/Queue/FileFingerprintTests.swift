internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite(.timeLimit(.minutes(5))) struct FileFingerprintTests {
    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func hasTheLengthAndTheDigest() throws {
        let folder = try TemporaryFolder()
        #expect(
            try FileFingerprint(of: folder.write("", to: "empty"))
                == FileFingerprint(byteCount: 0, sha256: Self.empty)
        )
        #expect(
            try FileFingerprint(of: folder.write("abc", to: "ä b"))
                == FileFingerprint(byteCount: 3, sha256: Self.abc)
        )
    }

    @Test func readsALongFile() throws {
        let folder = try TemporaryFolder()
        let long = try folder.write(Data(repeating: 7, count: 1 << 20 | 5), to: "long")
        let file = try FileFingerprint(of: long)
        #expect(file.byteCount == 1 << 20 | 5)
        #expect(file.matches(long))
        try folder.truncate("long", to: 1 << 20)
        #expect(!file.matches(long))
    }

    @Test func matchesOnlyTheSameContents() throws {
        let folder = try TemporaryFolder()
        let file = try FileFingerprint(of: folder.write("abc", to: "one"))
        #expect(try file.matches(folder.write("abc", to: "same")))
        #expect(try !file.matches(folder.write("abd", to: "other")))
        #expect(!file.matches(folder.url("missing")))
        #expect(!file.matches(folder.url))
    }

    @Test func endsWithItsTask() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("abc", to: "file")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try FileFingerprint(of: file)
        }
        let error = await failure { try await task.value }
        #expect(error?.code == .cancelled)
        withExtendedLifetime(folder) {}
    }

    @Test func refusesOtherThanRegularFiles() throws {
        let folder = try TemporaryFolder()
        try folder.write("abc", to: "file")
        try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url("file"))
        for url in [folder.url("link"), folder.url, folder.url("missing"), URL(filePath: "/dev/null")] {
            #expect {
                try FileFingerprint(of: url)
            } throws: { error in
                (error as? ApusError)?.code == .fileUnreadable
            }
        }
    }
}
