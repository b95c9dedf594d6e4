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
            let reports = Lock<[(Int64, Int64?)]>([])
            let request = session.request(server.url(path)).downloadProgress(queue: queue) { completed, total in
                reports.withLock { $0.append((completed, total)) }
            }
            let data = try await request.serializingData().value
            queue.sync {}
            let last = try #require(reports.withLock { $0.last })
            #expect(last.0 == Int64(data.count))
            // A total is either unknown or the number of decoded bytes.
            #expect(reports.withLock { $0.allSatisfy { $0.1 == nil || $0.1 == Int64(data.count) } })
        }
    }
}
