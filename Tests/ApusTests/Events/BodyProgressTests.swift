import Apus
import ApusTestServer
import Foundation
import Testing

/// The progress of bodies on a connection.
@Suite struct BodyProgressTests {
    /// Parity: AF-progress-upload, AF-progress-stream
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func knowsTheTotalOfAStreamedUploadAtItsEnd(wire: Wire) async throws {
        try await wire.with { server, session in
            let chunks = AsyncStream<BodyChunk> { continuation in
                continuation.yield(BodyChunk(Data(count: 100_000)))
                continuation.yield(BodyChunk(Data(count: 23)))
                continuation.finish()
            }
            let request = session.request(server.url("/upload"), method: .post, body: .once(chunks))
            let updates = request.uploadProgress(bufferingPolicy: .unbounded)
            _ = try await request.serializingData().value
            var seen: [TransferProgress] = []
            for await progress in updates { seen.append(progress) }
            #expect(seen.last.map { $0.completed == 100_023 && $0.isFinished } == true)
            #expect(seen.dropLast().allSatisfy { $0.isIndeterminate && $0.completed > 0 })
            #expect(request.uploadProgress.isFinished)
        }
    }

    /// The record counts the sent bytes, even if no code asks for them in time.
    /// Parity: AF-progress-properties
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func countsABodyWhoseProgressWasNotRead(wire: Wire) async throws {
        try await wire.with { server, session in
            let body = RequestBody.bytes(Data(count: 300_000))
            let request = session.request(server.url("/upload"), method: .post, body: body)
            let data = try await request.serializingData().value
            #expect(request.uploadProgress.completed == 300_000 && request.uploadProgress.isFinished)
            #expect(request.downloadProgress.completed == Int64(data.count) && request.downloadProgress.isFinished)
        }
    }
}
