internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// The documented defaults and limits of a queue.
@Suite(.timeLimit(.minutes(5))) struct TransferQueueConfigurationTests {
    @Test func hasItsDefaults() {
        let configuration = TransferQueue.Configuration()
        #expect(configuration.concurrentTransfers == 4)
        #expect(!configuration.keepsRunning)
        #expect(configuration.retryDelay == .seconds(1))
        #expect(configuration.maximumRetryDelay == .seconds(5 * 60))
        #expect(configuration.retryAfterCeiling == .seconds(60 * 60))
        #expect(configuration.keptFinished == 1_000)
    }

    @Test func hasTheDefaultsOfATransfer() throws {
        let transfer = try Transfer("http://h.example/", to: URL(filePath: "/tmp/a"))
        #expect(transfer.kind == .download)
        #expect(transfer.fields.isEmpty)
        #expect(transfer.expectedDigest == nil)
        #expect(transfer.priority == .normal)
        #expect(transfer.retryLimit == 5)
        #expect(transfer.replaces)
        #expect(transfer.id.rawValue.utf8.count == 32)
    }

    @Test func hasItsLimits() {
        #expect(QueueLimits.transferCount == 20_000)
        #expect(QueueLimits.recordBytes == 256 << 10)
        #expect(QueueLimits.changeRecordCount == 10_000)
        #expect(QueueLimits.changeBytes == 8 << 20)
        #expect(QueueRun.pollInterval == .seconds(1))
    }

    /// It runs four transfers at a time, and ends when nothing is left to do.
    @Test func runsByItsDefaults() async throws {
        try await withBed { bed in
            let barrier = Barrier()
            let performer = FakePerformer { transfer, placing async throws(ApusError) in
                await barrier.pass()
                return try deliver(transfer, placing)
            }
            let queue = try bed.queue(performer)
            try await queue.add(contentsOf: (0..<9).map { try bed.transfer("\($0)") })
            let run = Task { try await queue.run() }
            #expect(await eventually { performer.runningCount == 4 })
            barrier.open()
            try await run.value
            #expect(performer.mostRunning == 4)
            #expect(performer.started.count == 9)
        }
    }

    /// The first retry is due after half of the delay, or after all of it.
    @Test(arguments: [(0.0, 500), (0.999, 1_000)]) func retriesByItsDefaults(chance: Double, longest: Int) throws {
        var rules = TransferQueue.Configuration().retryRules
        rules.chance = { chance }
        let transfer = try Transfer("http://h.example/", to: URL(filePath: "/tmp/a"))
        let error = ApusError(.connectFailed, "no route")
        let delays = (1...6).map { rules.delay(after: error, failureCount: $0, of: transfer, at: Date()) }
        #expect(delays.prefix(5).allSatisfy { $0 != nil } && delays[5] == nil)
        let first = try #require(delays[0])
        #expect(first > .milliseconds(longest - 2) && first <= .milliseconds(longest))
        let fifth = try #require(delays[4])
        #expect(fifth > .milliseconds(16 * (longest - 2)) && fifth <= .milliseconds(16 * longest))
    }

    /// Impossible settings are replaced by the nearest ones.
    @Test func takesNoNegativeDelay() {
        var configuration = TransferQueue.Configuration()
        configuration.retryDelay = .seconds(-1)
        configuration.maximumRetryDelay = .seconds(-1)
        configuration.retryAfterCeiling = .seconds(-1)
        let rules = configuration.retryRules
        #expect(rules.firstDelay == .zero)
        #expect(rules.maximumDelay == .zero)
        #expect(rules.retryAfterCeiling == .zero)
        #expect(configuration.longestDelay == 0)
    }
}
