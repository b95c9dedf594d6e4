internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code about queues in the guide to transfers that survive, and in the comment of `TransferQueue`.
@Suite(.timeLimit(.minutes(5)))
final class TransferQueueSamples {
    private let session = Session(transport: MockTransport { _ in MockResponse(body: "stored") })
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-samples-\(UUID().uuidString)")

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func runsAQueue() async throws {
        let file = folder.appending(path: "archive.zip")
        let digest = "87b04e58961f9a99d853d4046a0b5b793e7c3e4bbd21f5aca8fb17c20cdb1d8b"
        let queue = try TransferQueue(folder: folder, session: session)
        let archive = try Transfer("https://example.org/archive.zip", to: file, sha256: digest)
        try await queue.add(archive)
        try await queue.run()
        #expect(try String(contentsOf: file, encoding: .utf8) == "stored")
        #expect(try await queue.transfers.map(\.state) == [.finished])
    }

    @Test func followsAQueue() async throws {
        let queue = try TransferQueue(folder: folder, session: session)
        try await queue.add(Transfer("https://example.org/archive.zip", to: folder.appending(path: "archive.zip")))
        let events = queue.events
        let reader = Task {
            for await event in events {
                switch event {
                case .finished(let id, let file): print(id, file.url.path, file.sha256)
                case .failed(let id, let error, let willRetry): print(id, error, willRetry)
                default: break
                }
            }
        }
        try await queue.run()
        reader.cancel()
        await reader.value
    }
}
