import Apus
import ApusTestServer
import ApusTestSupport
import Foundation
import HTTPTypes
import Testing

/// A long upload from a sequence occupies little memory.
@Suite(.serialized) struct UploadStressTests {
    private static let chunkBytes = 64 << 10
    private static let size = 64 << 20

    /// The largest values during an upload.
    private struct Peak: Sendable {
        /// The bytes that were taken from the sequence and not written to the connection.
        var waitingBytes: Int64 = 0
        var residentBytes = 0
    }

    /// Uploads a sequence, which looks at the progress of its request before it provides each chunk.
    private func upload(to url: String, on session: Session, length: Int64?) async throws -> Peak {
        let peak = LockedValue(Peak())
        let request = LockedValue<DataRequest?>(nil)
        let taken = Tally()
        let chunks = AsyncStream<BodyChunk>(unfolding: {
            let count = taken.value
            let sent = request.value?.uploadProgress.completed ?? 0
            let waitingBytes = Int64(count * Self.chunkBytes) - sent
            let residentBytes = count.isMultiple(of: 16) ? StressProcess.residentBytes : 0
            peak.change { peak in
                peak.waitingBytes = max(peak.waitingBytes, waitingBytes)
                peak.residentBytes = max(peak.residentBytes, residentBytes)
            }
            guard count < Self.size / Self.chunkBytes else { return nil }
            taken.countUp()
            return BodyChunk(Data(count: Self.chunkBytes))
        })
        let upload = session.upload(.once(length: length, chunks), to: url)
        request.value = upload
        let reply = try await upload.validate().serializingString().value
        // The sequence holds the request, which holds the sequence.
        request.value = nil
        #expect(reply.contains("\"bytes\":\(Self.size)"))
        #expect(upload.uploadProgress.completed == Int64(Self.size))
        return peak.value
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [nil, Int64(size)])
    func occupiesLittleMemory(wire: Wire, length: Int64?) async throws {
        try await wire.with { server, session in
            let url = server.url("/upload")
            // Allocates the buffers that are kept.
            if StressProcess.isAlone { _ = try await upload(to: url, on: session, length: length) }
            let before = StressProcess.residentBytes
            let peak = try await upload(to: url, on: session, length: length)
            #expect(peak.waitingBytes <= Int64(2 * Self.chunkBytes))
            if StressProcess.isAlone { #expect(peak.residentBytes - before < 24 << 20) }
        }
    }
}
