internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// The order in which the transfers of a running queue start.
@Suite(.timeLimit(.minutes(5))) struct TransferQueuePriorityTests {
    /// Runs a queue with one transfer at a time, and changes it while its first transfer runs, which may fail once.
    ///
    /// - Returns: The transfers in the order in which they started.
    private func order(
        _ bed: QueueBed,
        of transfers: [Transfer],
        failsOnce: Bool = false,
        changing change: (TransferQueue) async throws -> Void
    ) async throws -> [String] {
        let (barrier, mayFail) = (Barrier(), LockedValue(failsOnce))
        let performer = FakePerformer { transfer, placing async throws(ApusError) in
            await barrier.pass()
            let fails = mayFail.change { mayFail -> Bool in
                defer { mayFail = false }
                return mayFail
            }
            if fails { throw ApusError(.connectFailed, "no route") }
            return try deliver(transfer, placing)
        }
        let queue = try bed.queue(performer) { configuration in
            configuration.concurrentTransfers = 1
            configuration.retryDelay = .zero
        }
        try await queue.add(contentsOf: transfers)
        let run = Task { try await queue.run() }
        await barrier.reached()
        try await change(queue)
        let incoming = bed.queueFolder.appending(path: "incoming")
        // The poll takes up the changes of other objects.
        #expect(
            await eventually {
                if bed.clock.sleeperCount > 0 { bed.clock.advance(by: .milliseconds(100)) }
                return (try? names(in: incoming)) == []
            }
        )
        barrier.open()
        try await run.value
        return performer.started.all
    }

    @Test(arguments: [true, false]) func startsLaterTransfersByTheirPriority(isOtherObject: Bool) async throws {
        try await withBed { bed in
            let transfers = try [bed.transfer("a"), bed.transfer("b", priority: .low), bed.transfer("c")]
            let order = try await order(bed, of: transfers) { queue in
                let adding = try isOtherObject ? bed.queue(FakePerformer()) : queue
                try await adding.add(bed.transfer("d", priority: .high))
                try await adding.add(bed.transfer("e", priority: RequestPriority(rawValue: 11)))
                try await adding.add(bed.transfer("f", priority: RequestPriority(rawValue: -11)))
                try await adding.add(bed.transfer("g"))
            }
            #expect(order == ["a", "e", "d", "c", "g", "b", "f"])
        }
    }

    /// A transfer that is paused and resumed keeps its place.
    @Test func keepsThePlaceOfAResumedTransfer() async throws {
        try await withBed { bed in
            let transfers = try ["a", "b", "c", "d"].map { try bed.transfer($0) }
            let order = try await order(bed, of: transfers) { queue in
                try await queue.pause(transfers[1].id)
                try await queue.resume(transfers[1].id)
            }
            #expect(order == ["a", "b", "c", "d"])
        }
    }

    /// Another object pauses one transfer, and removes another.
    @Test func startsNoTransferThatWasPausedOrRemoved() async throws {
        try await withBed { bed in
            let transfers = try ["a", "b", "c", "d"].map { try bed.transfer($0) }
            let order = try await order(bed, of: transfers) { _ in
                let other = try bed.queue(FakePerformer())
                try await other.pause(transfers[1].id)
                try await other.remove(transfers[2].id)
            }
            #expect(order == ["a", "d"])
            let states = try await bed.queue(FakePerformer()).transfers.map { "\($0.id) \($0.state.rawValue)" }
            #expect(states == ["a finished", "b paused", "d finished"])
        }
    }

    /// A retry that is due starts after a transfer with a higher priority, and before a later one with its own.
    @Test func startsARetryByItsPriority() async throws {
        try await withBed { bed in
            let transfers = try [bed.transfer("a", priority: .low)]
            let order = try await order(bed, of: transfers, failsOnce: true) { queue in
                try await queue.add(bed.transfer("b", priority: .low))
                try await queue.add(bed.transfer("c"))
            }
            #expect(order == ["a", "c", "a", "b"])
        }
    }
}
