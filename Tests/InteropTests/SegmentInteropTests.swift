internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation
internal import Testing

/// Downloads in segments from nginx, over HTTP/1.1 and HTTP/2.
@Suite(
    .serialized,
    .enabled(if: Servers.areRunning && !Servers.http2Peers.isEmpty, "Scripts/interop starts the servers"),
    .timeLimit(.minutes(10))
)
struct SegmentInteropTests {
    /// Downloads a file in four segments, over connections that a plan cuts.
    private func download(
        _ file: ServedFile,
        _ plan: CutPlan? = nil
    ) async throws -> (exchanges: [ExchangeMetrics], connectionCount: Int) {
        let relay = try await CuttingRelay.start(to: file.port) { plan?.cut($0) }
        let session = Session(configuration: ServedFile.patientConfiguration())
        let digest = try await file.digest()
        let exchanges = try await CaseFolder.withTemporary { folder in
            let downloaded = try await session.download(
                file.url(through: relay.port),
                to: folder.appending(path: "file"),
                options: [digest, DownloadSegments(4)]
            )
            #expect(downloaded.byteCount == Int64(file.byteCount))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
            return downloaded.metrics.exchanges
        }
        #expect((relay.cutCount > 0) == (plan != nil), "seed \(CutPlan.seed)")
        try await assertNothingLeft(session)
        await relay.stop()
        return (exchanges, relay.acceptedConnections)
    }

    /// Returns the URL of nginx with HTTP/2 over TLS.
    private func nginx() throws -> String {
        try #require(Servers.http2Peers.first(where: { $0.name == "nginx TLS" })).url
    }

    @Test func usesConnectionsSideBySide() async throws {
        let (exchanges, connectionCount) = try await download(.huge(on: Servers.nginx))
        #expect(exchanges.count >= 4)
        #expect(connectionCount > 1)
    }

    @Test func usesStreamsOfOneConnection() async throws {
        let (exchanges, connectionCount) = try await download(.huge(on: nginx()))
        #expect(exchanges.count >= 4)
        #expect(exchanges.allSatisfy { $0.networkProtocol == "h2" })
        #expect(connectionCount == 1)
    }

    /// Each connection is cut after at most a tenth of the file.
    @Test(arguments: [false, true]) func continuesSegmentsThatAreCut(resets: Bool) async throws {
        let file = ServedFile.large(on: Servers.nginx)
        let plan = CutPlan(in: 1...file.byteCount / 10, resets: resets)
        _ = try await download(file, plan)
    }

    /// A cut ends the streams of all segments.
    @Test(arguments: [false, true]) func continuesStreamsThatAreCut(resets: Bool) async throws {
        let file = ServedFile.large(on: try nginx())
        let plan = CutPlan(in: 1...file.byteCount / 5, resets: resets, salt: 1)
        _ = try await download(file, plan)
    }
}
