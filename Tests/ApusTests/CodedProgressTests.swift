import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// The length that an answer states is that of its coded content, and says nothing of the one that is read.
@Suite struct CodedProgressTests {
    /// Parity: AF-fault-coded-progress
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ["/gzip", "/deflate"])
    func aCodedContentHasNoLengthBeforeItIsRead(wire: Wire, path: String) async throws {
        try await wire.with { server, session in
            let answer = try await session.stream(server.url(path))
            #expect(answer.expectedLength == nil)
            let decoded = try await answer.body.reduce(0) { $0 + $1.count }
            let raw = try await session.stream(server.url(path), options: [ContentDecoding.off])
            let stated = try #require(raw.expectedLength)
            let coded = try await raw.body.reduce(0) { $0 + $1.count }
            #expect(stated == Int64(coded) && coded != decoded)
        }
    }

    /// Parity: AF-fault-coded-progress, AF-progress-download
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ["/gzip", "/deflate"])
    func progressCountsDecodedBytes(wire: Wire, path: String) async throws {
        try await wire.with { server, session in
            let queue = DispatchQueue(label: "apus.tests.progress")
            let told = Lock<[(Int64, Int64?)]>([])
            let request = session.request(server.url(path)).downloadProgress(queue: queue) { completed, total in
                told.withLock { $0.append((completed, total)) }
            }
            let data = try await request.serializingData().value
            queue.sync {}
            let last = try #require(told.withLock { $0.last })
            #expect(last.0 == Int64(data.count))
            // Never more than all, nor a part of it that is none.
            #expect(told.withLock { $0.allSatisfy { $0.1 == nil || $0.1 == Int64(data.count) } })
        }
    }
}
