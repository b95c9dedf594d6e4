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
        let digest = try ExpectedDigest.sha256("87b04e58961f9a99d853d4046a0b5b793e7c3e4bbd21f5aca8fb17c20cdb1d8b")
        let queue = try TransferQueue(folder: folder, session: session)
        let archive = try Transfer("https://example.org/archive.zip", to: file, expectedDigest: digest)
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
                case .finished(let id, let file): print(id, file.fileURL.path, file.sha256)
                case .uploaded(let id, let response): print(id, response.status)
                case .failed(let id, let error, let willRetry): print(id, error, willRetry)
                default: break
                }
            }
        }
        try await queue.run()
        reader.cancel()
        await reader.value
    }

    /// Returns a file with some bytes.
    private func makeFile() throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "file")
        try Data("some bytes".utf8).write(to: file)
        return file
    }

    @Test func uploadsFromAQueue() async throws {
        let file = try makeFile()
        let queue = try TransferQueue(folder: folder, session: session)
        let movie = try Transfer(
            uploading: file,
            to: "https://api.example.org/movies",
            method: .post,
            resumption: .v6
        )
        try await queue.add(movie)
        let photo = try Transfer(uploading: file, to: "https://api.example.org/photos/7")
        try await queue.add(photo)
        try await queue.run()
        #expect(try await queue.transfers.map(\.response?.status) == [200, 200])
    }

    @Test func trustsItsOwnServers() async throws {
        let file = folder.appending(path: "archive.zip")
        let pin = try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        let authority: String? = nil
        let queue = try TransferQueue(folder: folder, session: session)
        let trust = try TransferTrust(pins: [pin], anchors: authority)
        let archive = try Transfer("https://example.org/archive.zip", to: file, trust: trust)
        try await queue.add(archive)
        try await queue.run()
        #expect(try await queue.transfers.map(\.transfer.trust) == [trust])
    }
}
