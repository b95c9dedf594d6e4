internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// Queues whose disk is full. The files of their transfers are on another one.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TinyDisk.isAvailable)) struct TransferQueueDiskTests {
    private static let fileNames = (0..<60).map { "file-\($0)" }

    /// Adds all transfers, and runs the queue until the disk is full.
    ///
    /// - Returns: The events, and the error of the run.
    private func run(
        _ bed: QueueBed,
        on disk: TinyDisk,
        fillingAfter count: Int
    ) async throws -> (events: AsyncStream<TransferEvent>, error: ApusError?) {
        let started = LockedValue(0)
        let performer = FakePerformer { transfer, placing throws(ApusError) in
            if started.increased(by: 1) == count {
                do { try disk.fill("filler") } catch { throw ApusError(wrapping: error, as: .fileUnwritable) }
            }
            return try deliver(transfer, placing)
        }
        let queue = try bed.queue(performer, in: disk.url("queue"))
        try await queue.add(contentsOf: Self.fileNames.map { try bed.transfer($0) })
        let events = queue.events
        let error = await failure { try await queue.run() }
        return (events, error)
    }

    /// The last page of the log has room for some records more, and then a record is cut off.
    @Test(arguments: [1, 2, 30]) func goesOnAfterTheDiskWasFull(count: Int) async throws {
        try await withBed { bed in
            let disk = try TinyDisk(byteCount: 1 << 20)
            let first = try await run(bed, on: disk, fillingAfter: count)
            #expect(first.error?.code == .fileUnwritable)
            #expect(first.error?.detail.contains("No space left on device") == true)
            // The queue is released now, so the stream ends.
            var events: [String] = []
            for await event in first.events {
                if let name = event.name { events.append(name) }
            }
            #expect(!events.contains { $0.hasPrefix("failed") || $0.hasPrefix("fault") })
            let kept = try await bed.queue(FakePerformer(), in: disk.url("queue")).transfers
            #expect(kept.map(\.id.rawValue) == Self.fileNames)
            #expect(kept.allSatisfy { $0.state != .failed })
            try FileManager.default.removeItem(at: disk.url("filler"))
            events += try await bed.events(of: FakePerformer(), in: disk.url("queue"))
            // Each is reported once, and its file is whole.
            let finished = events.filter { $0.hasPrefix("finished") }
            #expect(finished.sorted() == Self.fileNames.map { "finished \($0)" }.sorted())
            #expect(!events.contains { $0.hasPrefix("failed") || $0.hasPrefix("fault") })
            for name in Self.fileNames {
                #expect(try text(bed.folder.appending(path: name)) == "http://h.example/\(name)")
            }
            let after = try await bed.events(of: FakePerformer(), in: disk.url("queue"))
            #expect(after == [])
            #expect(try disk.names == ["queue"])
        }
    }

    /// A transfer that can't be stored is not in the queue.
    @Test func addsNothingToAFullDisk() async throws {
        try await withBed { bed in
            let disk = try TinyDisk(byteCount: 256 << 10)
            let queue = try bed.queue(FakePerformer(), in: disk.url("queue"))
            try disk.fill("filler")
            for transfers in try [[bed.transfer("a")], Self.fileNames.map { try bed.transfer($0) }] {
                let error = await failure { try await queue.add(contentsOf: transfers) }
                #expect(error?.code == .fileUnwritable)
                #expect(error?.detail.contains("No space left on device") == true)
            }
            #expect(try await queue.transfers.isEmpty)
            #expect(try names(in: disk.url("queue/incoming")) == [])
            try FileManager.default.removeItem(at: disk.url("filler"))
            try await queue.add(bed.transfer("a"))
            #expect(try await bed.events(of: FakePerformer(), in: disk.url("queue")) == ["started a", "finished a"])
            #expect(try disk.names == ["queue"])
        }
    }
}
