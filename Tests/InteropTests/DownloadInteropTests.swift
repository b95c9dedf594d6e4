internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation
internal import Testing

/// Downloads from real servers over connections that a relay cuts.
@Suite(
    .serialized,
    .enabled(if: Servers.areRunning && !Servers.apache.isEmpty, "Scripts/interop starts the servers"),
    .timeLimit(.minutes(10))
)
struct DownloadInteropTests {
    /// The bytes that a cut may lose besides those that a RST destroys: they were received, but not written.
    private static let lostBytes = 1 << 20

    @Test func downloadsAGibibyteThroughCuts() async throws {
        try await download(.huge(on: Servers.nginx), resets: false)
    }

    @Test(
        arguments: [
            ServedFile.large(on: Servers.nginx), .large(on: Servers.nginxOverTLS), .large(on: Servers.apache),
        ],
        [false, true]
    )
    func continuesAfterCuts(file: ServedFile, resets: Bool) async throws {
        try await download(file, resets: resets)
    }

    /// Downloads a file through a relay, which cuts a connection after at most a fifth of the file.
    private func download(_ file: ServedFile, resets: Bool) async throws {
        let plan = CutPlan(in: 1...file.byteCount / 5, resets: resets)
        let relay = try await CuttingRelay.start(to: file.port) { plan.cut($0) }
        let session = Session(configuration: ServedFile.patientConfiguration())
        let digest = try await file.digest()
        try await CaseFolder.withTemporary { folder in
            let downloaded = try await session.download(
                file.url(through: relay.port),
                to: folder.appending(path: "file"),
                options: [digest]
            )
            #expect(downloaded.byteCount == Int64(file.byteCount))
            #expect(downloaded.metrics.exchanges.contains { $0.cause == .retry })
            #expect(try names(in: folder) == ["file"])
        }
        #expect(relay.cutCount >= 4, "seed \(CutPlan.seed)")
        // A hundredth for the heads and the records of TLS.
        let most = file.byteCount + file.byteCount / 100 + relay.cutCount * Self.lostBytes
        if !resets { #expect(relay.byteCount <= most, "seed \(CutPlan.seed)") }
        try await assertNothingLeft(session)
        await relay.stop()
    }

    /// The first session has no retries, so its download fails.
    @Test(
        arguments: [
            ServedFile.large(on: Servers.nginx), .large(on: Servers.nginxOverTLS), .large(on: Servers.apache),
        ]
    )
    func continuesInAnotherSession(file: ServedFile) async throws {
        let count = file.byteCount / 3
        let relay = try await CuttingRelay.start(to: file.port) { number in
            number == 1 ? CuttingRelay.Cut(after: count) : nil
        }
        let url = file.url(through: relay.port)
        let digest = try await file.digest()
        try await CaseFolder.withTemporary { folder in
            let destination = folder.appending(path: "file")
            let first = Servers.trustingSession()
            let error = try await #require(throws: ApusError.self) {
                try await first.download(url, to: destination, fileOptions: .resumePartialFile, options: [digest])
            }
            #expect(RetryPolicy.transientCodes.contains(error.code))
            try await assertNothingLeft(first)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            let second = Servers.trustingSession()
            let downloaded = try await second.download(
                url,
                to: destination,
                fileOptions: .resumePartialFile,
                options: [digest]
            )
            #expect(downloaded.status == .partialContent)
            #expect(downloaded.byteCount == Int64(file.byteCount))
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(second)
        }
        #expect(relay.cutCount == 1)
        #expect(relay.byteCount <= file.byteCount + file.byteCount / 100 + Self.lostBytes)
        await relay.stop()
    }

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
}
