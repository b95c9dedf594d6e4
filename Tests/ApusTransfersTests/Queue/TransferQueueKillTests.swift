internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// A kill leaves the files of a queue as they are at that moment. These tests copy them, and run the copy.
@Suite(.timeLimit(.minutes(5))) struct TransferQueueKillTests {
    /// Returns the copy of the queue at a moment of its only transfer, and lets that finish.
    private func killed(
        _ bed: QueueBed,
        during course:
            @escaping @Sendable (
                _ kill: @escaping @Sendable () throws(ApusError) -> Void,
                Transfer,
                @escaping FakePerformer.Placing
            ) throws(ApusError) -> FileFingerprint
    ) async throws -> URL {
        let copy = LockedValue<URL?>(nil)
        let performer = FakePerformer { transfer, placing throws(ApusError) in
            try course(
                { () throws(ApusError) in
                    do { copy.value = try bed.copyOfQueue() } catch {
                        throw ApusError(wrapping: error, as: .fileUnreadable)
                    }
                },
                transfer,
                placing
            )
        }
        try await bed.queue(performer).add(bed.transfer("a"))
        _ = try await bed.events(of: performer)
        return try #require(copy.value)
    }

    private func remove(_ bed: QueueBed) throws {
        try FileManager.default.removeItem(at: bed.folder.appending(path: "a"))
    }

    @Test func downloadsAFileThatWasNotComplete() async throws {
        try await withBed { bed in
            let copy = try await killed(bed) { kill, transfer, placing throws(ApusError) in
                try kill()
                return try deliver(transfer, placing)
            }
            try remove(bed)
            let performer = FakePerformer()
            #expect(try await bed.events(of: performer, in: copy) == ["started a", "finished a"])
            #expect(performer.started.all == ["a"])
            #expect(try await bed.events(of: performer, in: copy) == [])
        }
    }

    /// The record of the complete file is there, but not the file.
    @Test func continuesAFileThatWasNotMoved() async throws {
        try await withBed { bed in
            let copy = try await killed(bed) { kill, transfer, placing throws(ApusError) in
                try deliver(transfer) { file throws(ApusError) in
                    try placing(file)
                    try kill()
                }
            }
            try remove(bed)
            // An older file with the same length.
            try makeFile(bed.folder.appending(path: "a"), "http://h.example/b")
            let performer = FakePerformer()
            #expect(try await bed.events(of: performer, in: copy) == ["started a", "finished a"])
            #expect(performer.started.all == ["a"])
            #expect(try text(bed.folder.appending(path: "a")) == "http://h.example/a")
            #expect(try await bed.events(of: performer, in: copy) == [])
        }
    }

    @Test func recognizesAFileThatWasMoved() async throws {
        try await withBed { bed in
            let copy = try await killed(bed) { kill, transfer, placing throws(ApusError) in
                let file = try deliver(transfer, placing)
                try kill()
                return file
            }
            let performer = FakePerformer()
            #expect(try await bed.events(of: performer, in: copy) == ["started a", "finished a"])
            #expect(performer.started.all == [])
            #expect(try await bed.events(of: performer, in: copy) == [])
            let transfers = try await bed.queue(performer, in: copy).transfers
            let queued = try #require(transfers.first)
            #expect(queued.state == .finished)
            #expect(queued.file?.byteCount == 18)
        }
    }

    @Test func reportsAFinishedTransferOnce() async throws {
        try await withBed { bed in
            try await bed.queue(FakePerformer()).add(bed.transfer("a"))
            #expect(try await bed.events(of: FakePerformer()) == ["started a", "finished a"])
            let copy = try bed.copyOfQueue()
            try remove(bed)
            #expect(try await bed.events(of: FakePerformer(), in: copy) == [])
        }
    }

    @Test func removesThePartAfterAKill() async throws {
        try await withBed { bed in
            let copy = try await killed(bed) { kill, transfer, placing throws(ApusError) in
                try kill()
                return try deliver(transfer, placing)
            }
            let performer = FakePerformer()
            try await bed.queue(performer, in: copy).remove(TransferID(rawValue: "a"))
            #expect(try await bed.events(of: performer, in: copy) == ["removed a"])
            #expect(performer.discarded.all == ["a"])
            #expect(performer.started.all == [])
        }
    }

    /// Changes that were taken up and not removed have no effect the second time.
    @Test func takesUpAChangeTwice() async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let queue = try bed.queue(performer)
            let ids = try await [queue.add(bed.transfer("a")), queue.add(bed.transfer("b"))]
            try await queue.pause(ids[0])
            try await queue.pause(ids[1])
            try await queue.resume(ids[1])
            let incoming = bed.queueFolder.appending(path: "incoming")
            let kept = bed.folder.appending(path: "kept")
            try FileManager.default.copyItem(at: incoming, to: kept)
            #expect(try await bed.events(of: performer) == ["started b", "finished b"])
            for name in try names(in: kept) {
                try FileManager.default.copyItem(at: kept.appending(path: name), to: incoming.appending(path: name))
            }
            #expect(try await bed.events(of: performer) == [])
            #expect(try await queue.transfers.map(\.state) == [.paused, .finished])
            #expect(try names(in: incoming) == [])
        }
    }

    /// A new log that was written and not renamed is removed, whether or not it is complete.
    @Test(arguments: [0, 10, 1_000]) func ignoresALogThatWasNotRenamed(count: Int) async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let queue = try bed.queue(performer)
            try await queue.add(bed.transfer("a"))
            try await queue.run()
            let bytes = try RecordSamples.bytes(RecordSamples.all()).prefix(count)
            try Data(bytes).write(to: bed.queueFolder.appending(path: "queue.log.new"))
            #expect(try await bed.events(of: performer) == [])
            #expect(try names(in: bed.queueFolder) == ["incoming", "lock", "queue.log"])
            #expect(try await queue.transfers.map(\.state) == [.finished])
        }
    }

    /// The log of a whole course, cut at any byte, leads to files that are whole, and to no second report.
    @Test func finishesAfterAKillAtAnyByteOfTheLog() async throws {
        try await withBed { bed in
            let attempts = LockedValue(0)
            let performer = FakePerformer { transfer, placing throws(ApusError) in
                guard attempts.increased(by: 1) > 1 else { throw ApusError(.connectFailed, "no route") }
                return try deliver(transfer, placing)
            }
            let queue = try bed.queue(performer)
            try await queue.add(contentsOf: [bed.transfer("a"), bed.transfer("b")])
            _ = try await bed.events(of: performer)
            let bytes = try Data(contentsOf: bed.queueFolder.appending(path: "queue.log"))
            let additions = try RecordSamples.bytes(RecordList(Array(bytes)).records.filter(\.isAddition)).count
            let header = try RecordSamples.bytes([.log(version: 1)]).count
            for count in stride(from: header + additions, through: bytes.count, by: 7) {
                let folder = bed.folder.appending(path: "cut-\(count)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try bytes.prefix(count).write(to: folder.appending(path: "queue.log"))
                let reported = RecordList(Array(bytes.prefix(count))).records.compactMap { record -> String? in
                    if case .finished(let id, _) = record { "finished \(id)" } else { nil }
                }
                let names = try await bed.events(of: FakePerformer(), in: folder)
                let finished = names.filter { $0.hasPrefix("finished") }
                #expect(Set(finished + reported) == ["finished a", "finished b"], "cut at \(count)")
                #expect(finished.count + reported.count == 2, "cut at \(count)")
            }
            for name in ["a", "b"] {
                #expect(try text(bed.folder.appending(path: name)) == "http://h.example/\(name)")
            }
        }
    }
}
