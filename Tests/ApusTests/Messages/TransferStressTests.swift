import Apus
import ApusCore
import ApusPlatform
import ApusTestServer
import ApusTestSupport
import Foundation
import Testing

/// A long download into a file, and a long upload from one, occupy little memory.
///
/// In a process that runs only stress tests, the files have 1 GiB, and over TLS 256 MiB.
@Suite(.serialized) struct TransferStressTests {
    /// The memory that a transfer may occupy beyond that of the idle session. The server is in the same process.
    private static let limitBytes = 16 << 20
    private static let smallSize = 32 << 20
    private static let samples = DispatchQueue(label: "apus.tests.samples")

    private static func size(_ wire: Wire) -> Int {
        StressProcess.isAlone ? (wire == .plain ? 1 << 30 : 256 << 20) : smallSize
    }

    /// Returns how far the memory of the process exceeds that before the transfer. The transfer reports its progress.
    private func growth(during transfer: (@escaping @Sendable () -> Void) async throws -> Void) async throws -> Int {
        let before = StressProcess.residentBytes
        let peak = LockedValue(before)
        try await transfer {
            let now = StressProcess.residentBytes
            peak.change { $0 = max($0, now) }
        }
        return peak.value - before
    }

    // MARK: Downloads

    /// Returns the digest of the file that the server sends.
    private static func digest(of byteCount: Int) throws -> ExpectedDigest {
        // Whole periods of the pattern.
        let piece = TestServer.pattern(count: 251 * 4096)
        var digest = DigestStream(.sha256)
        var rest = byteCount
        while rest > 0 {
            let count = min(rest, piece.count)
            piece.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= count
        }
        return try ExpectedDigest.sha256(digest.finish().map { $0.padded(to: 2, radix: 16) }.joined())
    }

    private func download(
        _ byteCount: Int,
        from server: TestServer,
        on session: Session,
        to file: URL,
        _ digest: ExpectedDigest,
        _ report: @escaping @Sendable () -> Void = {}
    ) async throws {
        let destination = DownloadDestination.file(file, options: [.resumePartialFile, .removePreviousFile])
        let request = session.download(server.url("/download/\(byteCount)"), to: destination, options: [digest])
            .validate()
            .downloadProgress(queue: Self.samples) { _ in report() }
        let url = try await request.serializingURL().value
        #expect(FileStatus(path: url.path)?.size == Int64(byteCount))
    }

    @Test(.timeLimit(.minutes(10)), arguments: Wire.allCases)
    func downloadsWithLittleMemory(wire: Wire) async throws {
        let size = Self.size(wire)
        let digest = try Self.digest(of: size)
        let smallDigest = try Self.digest(of: Self.smallSize)
        try await wire.with { server, session in
            try await inFolder { folder in
                let file = folder.appending(path: "file")
                // Allocates the buffers that are kept.
                try await download(Self.smallSize, from: server, on: session, to: file, smallDigest)
                let growth = try await growth { report in
                    try await download(size, from: server, on: session, to: file, digest, report)
                }
                if StressProcess.isAlone { #expect(growth <= Self.limitBytes) }
                #expect(try names(in: folder) == ["file"])
            }
        }
    }

    // MARK: Uploads

    private func upload(
        _ file: URL,
        to server: TestServer,
        on session: Session,
        _ report: @escaping @Sendable () -> Void = {}
    ) async throws {
        let size = try #require(FileStatus(path: file.path)).size
        let request = session.upload(file, to: server.url("/upload"))
            .validate()
            .uploadProgress(queue: Self.samples) { _ in report() }
        let reply = try await request.serializingString().value
        #expect(reply.contains("\"bytes\":\(size)"))
    }

    @Test(.timeLimit(.minutes(10)), arguments: Wire.allCases)
    func uploadsWithLittleMemory(wire: Wire) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        // Without blocks on the disk.
        let small = try folder.write("", to: "small")
        try folder.truncate("small", to: UInt64(Self.smallSize))
        let large = try folder.write("", to: "large")
        try folder.truncate("large", to: UInt64(Self.size(wire)))
        try await wire.with { server, session in
            try await upload(small, to: server, on: session)
            let growth = try await growth { report in
                try await upload(large, to: server, on: session, report)
            }
            if StressProcess.isAlone { #expect(growth <= Self.limitBytes) }
        }
    }
}
