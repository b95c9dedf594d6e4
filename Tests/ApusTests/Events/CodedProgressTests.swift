import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// The Content-Length of a coded response counts coded bytes, so it does not give the length of the decoded body.
@Suite struct CodedProgressTests {
    /// Parity: AF-fault-coded-progress
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ["/gzip", "/deflate"])
    func hasNoExpectedLengthForACodedBody(wire: Wire, path: String) async throws {
        try await wire.with { server, session in
            let response = try await session.stream(server.url(path))
            #expect(response.expectedLength == nil)
            let decoded = try await response.body.reduce(0) { $0 + $1.count }
            let raw = try await session.stream(server.url(path), options: [ContentDecoding.off])
            let declared = try #require(raw.expectedLength)
            let coded = try await raw.body.reduce(0) { $0 + $1.count }
            #expect(declared == Int64(coded) && coded != decoded)
        }
    }

    /// Parity: AF-fault-coded-progress, AF-progress-download
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ["/gzip", "/deflate"])
    func progressCountsDecodedBytes(wire: Wire, path: String) async throws {
        try await wire.with { server, session in
            let queue = DispatchQueue(label: "apus.tests.progress")
            let reports = Lock<[TransferProgress]>([])
            let request = session.request(server.url(path)).downloadProgress(queue: queue) { progress in
                reports.withLock { $0.append(progress) }
            }
            let data = try await request.serializingData().value
            queue.sync {}
            let last = try #require(reports.withLock { $0.last })
            #expect(last.completed == Int64(data.count) && last.isFinished)
            // A total is either unknown or the number of decoded bytes.
            #expect(reports.withLock { $0.allSatisfy { $0.total == nil || $0.total == Int64(data.count) } })
            #expect(request.downloadProgress.completed == Int64(data.count))
        }
    }
}
