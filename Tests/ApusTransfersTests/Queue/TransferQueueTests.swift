internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// Tests a queue with a performer that needs no session. `SessionTransferPerformerTests` tests it with one.
@Suite(.timeLimit(.minutes(5))) struct TransferQueueTests {
    private func states(_ queue: TransferQueue) async throws -> [String] {
        try await queue.transfers.map { "\($0.id) \($0.state.rawValue)" }
    }

    // MARK: Runs

    @Test func performsATransfer() async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let queue = try bed.queue(performer)
            let events = queue.events
            #expect(try await queue.add(bed.transfer("a")) == TransferID(rawValue: "a"))
            #expect(try await states(queue) == ["a waiting"])
            #expect(performer.started.all == [])
            try await queue.run()
            #expect(try await states(queue) == ["a finished"])
            #expect(try text(bed.folder.appending(path: "a")) == "http://h.example/a")
            var names: [String] = []
            var progress: [TransferProgress] = []
            for await event in events {
                if case .progress(_, let report) = event { progress.append(report) }
                guard let name = event.name else { continue }
                names.append(name)
                guard case .finished(_, let file) = event else { continue }
                #expect(file.byteCount == 18)
                #expect(file.fileURL.path(percentEncoded: false) == bed.folder.path(percentEncoded: false) + "/a")
                let kept = try await queue.transfers.first?.file
                #expect(kept == file)
                break
            }
            #expect(names == ["started a", "finished a"])
            // The clock stands still, so the second report is left out.
            #expect(progress == [TransferProgress(completed: 1, total: 2)])
        }
    }

    @Test func hasNothingToDo() async throws {
        try await withBed { bed throws in
            #expect(try await bed.events(of: FakePerformer()) == [])
            #expect(try names(in: bed.queueFolder) == ["incoming", "lock", "queue.log"])
        }
    }

    @Test func addsAllTransfersOrNone() async throws {
        try await withBed { bed in
            let queue = try bed.queue(FakePerformer())
            try await queue.add(contentsOf: [bed.transfer("a"), bed.transfer("b"), bed.transfer("a")])
            try await queue.add(contentsOf: [])
            let long = try Transfer(
                "http://h.example/" + String(repeating: "a", count: QueueLimits.recordBytes),
                to: bed.folder.appending(path: "c")
            )
            let error = await failure { try await queue.add(contentsOf: [bed.transfer("d"), long]) }
            #expect(error?.code == .invalidRequest)
            #expect(try await states(queue) == ["a waiting", "b waiting"])
            try await queue.run()
            #expect(try await states(queue) == ["a finished", "b finished"])
        }
    }

    @Test func startsByPriority() async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let queue = try bed.queue(performer) { $0.concurrentTransfers = 1 }
            try await queue.add(bed.transfer("a", priority: .low))
            try await queue.add(bed.transfer("b"))
            try await queue.add(bed.transfer("c", priority: .high))
            try await queue.add(bed.transfer("d"))
            try await queue.run()
            #expect(performer.started.all == ["c", "b", "d", "a"])
        }
    }

    @Test(arguments: [(1, 1), (3, 3), (0, 1), (100, 7)])
    func limitsTheTransfersAtATime(limit: Int, most: Int) async throws {
        try await withBed { bed in
            let barrier = Barrier()
            let performer = FakePerformer { transfer, placing async throws(ApusError) in
                await barrier.pass()
                return try deliver(transfer, placing)
            }
            let queue = try bed.queue(performer) { $0.concurrentTransfers = limit }
            try await queue.add(contentsOf: (0..<7).map { try bed.transfer("\($0)") })
            let run = Task { try await queue.run() }
            #expect(await eventually { performer.runningCount == most })
            barrier.open()
            try await run.value
            #expect(performer.mostRunning == most)
            #expect(performer.started.count == 7)
        }
    }

    // MARK: Failures

    @Test func retriesAfterGrowingDelays() async throws {
        try await withBed { bed in
            let clock = bed.clock
            let begins = LockedList<MonotonicInstant>()
            let performer = FakePerformer { transfer, placing throws(ApusError) in
                begins.append(clock.now)
                guard begins.count > 3 else { throw ApusError(.connectFailed, "no route") }
                return try deliver(transfer, placing)
            }
            try await bed.queue(performer).add(bed.transfer("a"))
            let names = try await bed.events(of: performer)
            let attempt = ["started a", "failed a connectFailed retry"]
            #expect(names == attempt + attempt + attempt + ["started a", "finished a"])
            let delays = zip(begins.all, begins.all.dropFirst()).map { $0.duration(to: $1) }
            for (delay, least) in zip(delays, [500, 1_000, 2_000]) { #expect(delay >= .milliseconds(least)) }
            let transfers = try await bed.queue(performer).transfers
            let queued = try #require(transfers.first)
            #expect(queued.failureCount == 3)
            #expect(queued.failure?.code == "connectFailed")
        }
    }

    @Test func failsAfterItsLastRetry() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ throws(ApusError) in throw ApusError(.connectFailed, "no route") }
            let queue = try bed.queue(performer)
            try await queue.add(bed.transfer("a", retryLimit: 1))
            let names = try await bed.events(of: performer)
            #expect(
                names == ["started a", "failed a connectFailed retry", "started a", "failed a connectFailed"]
            )
            #expect(try await states(queue) == ["a failed"])
            #expect(try await bed.events(of: performer) == [])
            try await queue.resume(TransferID(rawValue: "a"))
            #expect(try await states(queue) == ["a waiting"])
            #expect(try await bed.events(of: performer) == names)
        }
    }

    @Test func doesNotRetryAPermanentFailure() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ throws(ApusError) in throw ApusError(.fileUnwritable, "no") }
            try await bed.queue(performer).add(contentsOf: [bed.transfer("a"), bed.transfer("b")])
            let names = try await bed.events(of: performer)
            #expect(names.filter { $0.hasPrefix("failed") } == ["failed a fileUnwritable", "failed b fileUnwritable"])
        }
    }

    @Test(arguments: [.sessionShutDown, .sessionGone] as [ApusError.Code])
    func endsWithItsSession(code: ApusError.Code) async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ throws(ApusError) in throw ApusError(code, "over") }
            let queue = try bed.queue(performer)
            try await queue.add(bed.transfer("a"))
            let error = await failure { try await queue.run() }
            #expect(error?.code == code)
            #expect(try await bed.events(of: FakePerformer()) == ["started a", "finished a"])
        }
    }

    // MARK: Changes during a run

    @Test func pausesAndResumesARunningTransfer() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ async throws(ApusError) in try await waitForCancellation() }
            let queue = try bed.queue(performer)
            let id = try await queue.add(bed.transfer("a"))
            let run = Task { try await queue.run() }
            #expect(await eventually { performer.runningCount == 1 })
            try await queue.pause(id)
            try await run.value
            #expect(try await states(queue) == ["a paused"])
            #expect(try await bed.events(of: FakePerformer()) == [])
            try await queue.resume(id)
            #expect(try await bed.events(of: FakePerformer()) == ["started a", "finished a"])
        }
    }

    @Test func removesARunningTransfer() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ async throws(ApusError) in try await waitForCancellation() }
            let queue = try bed.queue(performer)
            let events = queue.events
            let id = try await queue.add(bed.transfer("a"))
            let run = Task { try await queue.run() }
            #expect(await eventually { performer.runningCount == 1 })
            try await queue.remove(id)
            try await run.value
            #expect(performer.discarded.all == ["a"])
            #expect(try await states(queue) == [])
            var names: [String] = []
            for await event in events {
                if let name = event.name { names.append(name) }
                if case .removed = event { break }
            }
            #expect(names == ["started a", "removed a"])
        }
    }

    @Test func removesATransferThatWasNeverStarted() async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let queue = try bed.queue(performer)
            let id = try await queue.add(bed.transfer("a"))
            try await queue.remove(id)
            #expect(try await states(queue) == [])
            #expect(try await bed.events(of: performer) == ["removed a"])
            #expect(performer.started.count == 0 && performer.discarded.count == 0)
        }
    }

    /// The part of the removed transfer is gone before the new one begins.
    @Test func addsATransferAgainThatIsBeingRemoved() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ throws(ApusError) in throw ApusError(.fileUnwritable, "no") }
            let queue = try bed.queue(performer)
            let id = try await queue.add(bed.transfer("a"))
            try await queue.run()
            try await queue.remove(id)
            try await queue.add(bed.transfer("a"))
            #expect(try await states(queue) == ["a waiting"])
            let second = FakePerformer()
            #expect(try await bed.events(of: second) == ["removed a", "started a", "finished a"])
            #expect(second.discarded.all == ["a"])
            #expect(try names(in: bed.queueFolder.appending(path: "incoming")) == [])
        }
    }

    /// Each removal opens a file, so only some are made at a time.
    @Test func limitsTheRemovalsAtATime() async throws {
        try await withBed { bed in
            let barrier = Barrier()
            let performer = FakePerformer(discardingAt: barrier) { _, _ throws(ApusError) in
                throw ApusError(.fileUnwritable, "no")
            }
            let queue = try bed.queue(performer)
            let transfers = try (0..<20).map { try bed.transfer("\($0)") }
            try await queue.add(contentsOf: transfers)
            try await queue.run()
            for transfer in transfers { try await queue.remove(transfer.id) }
            let run = Task { try await queue.run() }
            #expect(await eventually { performer.discardingCount == QueueLimits.discardCount })
            barrier.open()
            try await run.value
            #expect(performer.mostDiscarding == QueueLimits.discardCount)
            #expect(performer.discarded.count == 20)
        }
    }

    @Test func keepsTheFileOfARemovedTransfer() async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let queue = try bed.queue(performer)
            let id = try await queue.add(bed.transfer("a"))
            try await queue.run()
            try await queue.remove(id)
            #expect(try await bed.events(of: performer) == ["removed a"])
            #expect(performer.discarded.count == 0)
            #expect(try text(bed.folder.appending(path: "a")) == "http://h.example/a")
        }
    }

    @Test func takesUpTransfersOfAnotherProcess() async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let running = try bed.queue(performer) { $0.keepsRunning = true }
            let run = Task { try await running.run() }
            await bed.clock.waitForSleepers(1)
            try await bed.queue(FakePerformer()).add(bed.transfer("a"))
            #expect(performer.started.count == 0)
            bed.clock.advance(by: QueueRun.pollInterval)
            #expect(await eventually { performer.started.count == 1 })
            // Changes of the same object need no poll.
            try await running.add(bed.transfer("b"))
            #expect(await eventually { performer.started.count == 2 })
            run.cancel()
            let error = await failure { try await run.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func isRunByOneObject() async throws {
        try await withBed { bed in
            let running = try bed.queue(FakePerformer()) { $0.keepsRunning = true }
            let run = Task { try await running.run() }
            await bed.clock.waitForSleepers(1)
            let other = try bed.queue(FakePerformer())
            for queue in [running, other] {
                let error = await failure { try await queue.run() }
                #expect(error?.code == .fileInUse)
            }
            run.cancel()
            _ = await run.result
            try await bed.queue(FakePerformer()).run()
        }
    }

    @Test func keepsTheTransfersOfACancelledRun() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ async throws(ApusError) in try await waitForCancellation() }
            let queue = try bed.queue(performer)
            try await queue.add(contentsOf: [bed.transfer("a"), bed.transfer("b")])
            let run = Task { try await queue.run() }
            #expect(await eventually { performer.runningCount == 2 })
            run.cancel()
            let error = await failure { try await run.value }
            #expect(error?.code == .cancelled)
            #expect(performer.runningCount == 0)
            #expect(try await bed.events(of: FakePerformer()).count == 4)
        }
    }

    /// A request that is cancelled by other code than the queue does not start again.
    @Test func failsIfItsRequestIsCancelled() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ throws(ApusError) in throw ApusError(.cancelled, "by the caller") }
            try await bed.queue(performer).add(bed.transfer("a"))
            #expect(try await bed.events(of: performer) == ["started a", "failed a cancelled"])
        }
    }

    @Test func refusesToPlaceThePausedFile() async throws {
        try await withBed { bed in
            let barrier = Barrier()
            let performer = FakePerformer { transfer, placing async throws(ApusError) in
                await barrier.pass()
                return try deliver(transfer, placing)
            }
            let queue = try bed.queue(performer)
            let id = try await queue.add(bed.transfer("a"))
            let run = Task { try await queue.run() }
            await barrier.reached()
            try await queue.pause(id)
            // The run cancels the job when it has taken the change up.
            #expect(await eventually { (try? names(in: bed.queueFolder.appending(path: "incoming"))) == [] })
            barrier.open()
            try await run.value
            #expect(try await states(queue) == ["a paused"])
            #expect(
                !FileManager.default.fileExists(atPath: bed.folder.appending(path: "a").path(percentEncoded: false))
            )
        }
    }

    // MARK: Reading

    @Test func isReadByAnyProcess() async throws {
        try await withBed { bed in
            let performer = FakePerformer { _, _ async throws(ApusError) in try await waitForCancellation() }
            let running = try bed.queue(performer)
            let other = try bed.queue(FakePerformer())
            try await running.add(bed.transfer("a"))
            let run = Task { try await running.run() }
            #expect(await eventually { performer.runningCount == 1 })
            try await other.add(bed.transfer("b"))
            #expect(try await states(other) == ["a running", "b waiting"])
            #expect(try await states(running) == ["a running", "b waiting"])
            run.cancel()
            _ = await run.result
        }
    }

    @Test func reportsDamages() async throws {
        try await withBed { bed in
            let performer = FakePerformer()
            let queue = try bed.queue(performer)
            try await queue.add(bed.transfer("a"))
            try await queue.run()
            let log = bed.queueFolder.appending(path: "queue.log")
            var bytes = try Data(contentsOf: log)
            // In the second record, which has added the transfer.
            bytes[try RecordSamples.bytes([.log(version: 1)]).count + 30] ^= 1
            try bytes.write(to: log)
            try makeFile(bed.queueFolder.appending(path: "incoming/1.records"), "nonsense")
            try await queue.add(bed.transfer("b"))
            let names = try await bed.events(of: performer)
            #expect(names.count == 4)
            #expect(names.contains("fault: \(QueueFault.damagedRecord(line: 2))"))
            #expect(names.contains("fault: \(QueueFault.damagedChange(name: "1.records"))"))
            #expect(names.suffix(2) == ["started b", "finished b"])
            #expect(try await states(queue) == ["b finished"])
        }
    }

    @Test func compactsItsLog() async throws {
        try await withBed { bed in
            let queue = try bed.queue(FakePerformer())
            let id = try await queue.add(bed.transfer("a"))
            let changes: [TransferRecord] = [.paused(id), .resumed(id)]
            let incoming = IncomingChanges(in: try QueueFolder(bed.queueFolder))
            try incoming.write((0..<600).flatMap { _ in changes })
            try await queue.run()
            let list = try QueueLog.read(QueueFolder(bed.queueFolder).log)
            #expect(list.records.count < 20)
            #expect(try await states(queue) == ["a finished"])
        }
    }
}
