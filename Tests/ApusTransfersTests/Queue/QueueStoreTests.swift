internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite(.timeLimit(.minutes(5))) struct QueueStoreTests {
    private func id(_ name: String) -> TransferID { TransferID(rawValue: name) }

    private func makeStore(
        _ folder: URL,
        transferCount: Int = 2,
        events: TransferEvents = TransferEvents()
    ) throws -> QueueStore {
        var configuration = TransferQueue.Configuration()
        configuration.keptFinished = 0
        let queueFolder = try QueueFolder(folder)
        try queueFolder.create()
        return QueueStore(queueFolder, configuration, events, transferCount: transferCount)
    }

    private func add(_ names: [String], to store: QueueStore) async throws {
        for name in names { try await store.change([.added(RecordSamples.transfer(name))]) }
    }

    private func ids(_ store: QueueStore) async throws -> [String] {
        try await store.transfers().map(\.id.rawValue)
    }

    /// The removal is later than the addition, which waits in its file.
    @Test func removesATransferThatFindsNoRoom() async throws {
        try await inFolder { folder in
            let store = try makeStore(folder)
            try await add(["a", "b", "z"], to: store)
            try await store.change([.removed(id("z"))])
            try await store.begin {}
            #expect(try await ids(store) == ["a", "b"])
            try await store.change([.removed(id("a"))])
            try await store.takeUp()
            #expect(try await ids(store) == ["b"])
            #expect(try names(in: folder.appending(path: "incoming")) == [])
            await store.end()
        }
    }

    /// A run ends when nothing is left to do, so it must not leave a transfer that has found room.
    @Test func takesUpTransfersThatFindRoomInTheCompactedLog() async throws {
        try await inFolder { folder in
            let store = try makeStore(folder)
            try await add(["a", "b", "z"], to: store)
            try await store.begin {}
            for name in ["a", "b"] { try await store.finish(RecordSamples.transfer(name), RecordSamples.file) }
            #expect(store.isIdle)
            try await store.takeUp()
            #expect(!store.isIdle)
            #expect(try await ids(store) == ["z"])
            await store.end()
        }
    }

    /// A transfer that the log has as finished can't be added again.
    @Test func forgetsNothingIfTheLogCantBeReplaced() async throws {
        try await inFolder { folder in
            let store = try makeStore(folder, transferCount: 10)
            try await add(["a", "b"], to: store)
            try await store.begin {}
            try await store.finish(RecordSamples.transfer("a"), RecordSamples.file)
            let log = folder.appending(path: "queue.log")
            try FileManager.default.moveItem(at: log, to: folder.appending(path: "moved"))
            try FileManager.default.createDirectory(at: log, withIntermediateDirectories: true)
            let changes: [TransferRecord] = [.paused(id("b")), .resumed(id("b"))]
            try await store.change((0..<600).flatMap { _ in changes })
            for _ in 0..<2 { try await store.takeUp() }
            #expect(try await ids(store) == ["a", "b"])
            await store.end()
        }
    }

    @Test func reportsTheRemovalOfATransferThatIsAddedAgain() async throws {
        try await inFolder { folder in
            let events = TransferEvents()
            let stream = events.stream(.unbounded)
            let store = try makeStore(folder, events: events)
            try await add(["a"], to: store)
            try await store.change([.removed(id("a"))])
            try await add(["a"], to: store)
            try await store.begin {}
            await store.end()
            events.finish()
            var names: [String] = []
            for await event in stream { if let name = event.name { names.append(name) } }
            #expect(names == ["removed a"])
        }
    }
}
