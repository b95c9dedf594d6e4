internal import ApusCore
internal import ApusTestServer
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferQueueStateTests {
    /// A state that is changed through a reference, so that expectations may call it.
    private final class Machine {
        var state: TransferQueueState

        init(_ records: [TransferRecord] = []) {
            state = TransferQueueState(records, longestDelay: 1_000)
        }

        @discardableResult
        func apply(_ record: TransferRecord) -> Bool { state.apply(record) }

        func next(
            at now: Int64 = 0,
            busy: Set<TransferID> = [],
            canStart: Bool = true,
            canDiscard: Bool = true
        ) -> QueueWork? {
            state.next(at: now, busy: busy, canStart: canStart, canDiscard: canDiscard)
        }

        /// Takes all work that may start now. The removals are sorted.
        func takeAll(at now: Int64 = 0, busy: Set<TransferID> = []) -> [String] {
            var transfers: [String] = []
            var removals: [String] = []
            var busy = busy
            while let work = next(at: now, busy: busy) {
                if work.isTransfer { transfers.append("\(work.id)") } else { removals.append("discard \(work.id)") }
                busy.insert(work.id)
            }
            return removals.sorted() + transfers
        }

        var states: [String] { state.transfers.map { "\($0.id) \($0.state.rawValue)" } }
        var first: QueuedTransfer? { state.transfers.first }
    }

    private let file = RecordSamples.file
    private let machine = Machine()

    private func id(_ name: String) -> TransferID { TransferID(rawValue: name) }

    private func transfer(_ name: String, _ priority: RequestPriority = .normal) throws -> Transfer {
        try Transfer("http://h.example/\(name)", to: URL(filePath: "/tmp/\(name)"), id: id(name), priority: priority)
    }

    private func failed(_ count: Int, _ notBefore: Int64?) -> TransferRecord.FailedAttempt {
        RecordSamples.failed(count, notBefore: notBefore)
    }

    // MARK: States

    @Test func goesThroughItsStates() throws {
        #expect(machine.state.isIdle)
        #expect(try machine.apply(.added(transfer("a"))))
        #expect(machine.states == ["a waiting"])
        #expect(!machine.state.isIdle)
        machine.apply(.started(id("a")))
        #expect(machine.states == ["a running"])
        machine.apply(.failed(id("a"), failed(1, 500)))
        #expect(machine.states == ["a waiting"])
        #expect(machine.first?.failureCount == 1)
        #expect(machine.first?.failure?.code == "connectFailed")
        #expect(machine.first?.notBefore == Date(milliseconds: 500))
        machine.apply(.started(id("a")))
        machine.apply(.placing(id("a"), file))
        #expect(machine.states == ["a running"])
        #expect(machine.first?.notBefore == nil)
        #expect(machine.first?.file == nil)
        machine.apply(.finished(id("a"), file))
        #expect(machine.states == ["a finished"])
        #expect(machine.first?.file?.byteCount == 3)
        #expect(machine.first?.file?.fileURL.path(percentEncoded: false) == "/tmp/a")
        #expect(machine.state.isIdle)
        machine.apply(.removed(id("a")))
        #expect(machine.state.count == 0)
    }

    @Test func ignoresRecordsOfUnknownTransfers() throws {
        let a = id("a")
        let records: [TransferRecord] = [
            .log(version: 1), .paused(a), .resumed(a), .removed(a), .started(a), .placing(a, file),
            .failed(a, failed(1, nil)), .finished(a, file), .gone(a),
        ]
        for record in records { #expect(!machine.apply(record)) }
        #expect(machine.state.count == 0)
    }

    /// Each record has no effect the second time.
    @Test func ignoresARepetition() throws {
        let a = id("a")
        let records: [TransferRecord] = [
            .added(try transfer("a")), .started(a), .paused(a), .resumed(a), .started(a), .finished(a, file),
            .removed(a),
        ]
        for record in records {
            let isFirst = machine.apply(record)
            let isSecond = machine.apply(record)
            #expect(isFirst && !isSecond, "\(record)")
        }
    }

    @Test func finishesOnce() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.finished(id("a"), file))
        for record in [.paused(id("a")), .resumed(id("a")), .started(id("a")), .failed(id("a"), failed(1, nil))]
            as [TransferRecord]
        {
            #expect(!machine.apply(record))
        }
        #expect(machine.states == ["a finished"])
        #expect(machine.takeAll() == [])
    }

    @Test func finishesAfterItWasPaused() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.started(id("a")))
        machine.apply(.paused(id("a")))
        #expect(machine.apply(.finished(id("a"), file)))
        #expect(machine.states == ["a finished"])
    }

    @Test func waitsAgainAfterAKill() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.added(try transfer("b")))
        machine.apply(.started(id("a")))
        machine.state.recover()
        #expect(machine.states == ["a waiting", "b waiting"])
        #expect(machine.takeAll() == ["a", "b"])
    }

    @Test func startsWithTheFileThatMayBeInPlace() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.started(id("a")))
        machine.apply(.placing(id("a"), file))
        machine.state.recover()
        #expect(try machine.next() == .perform(transfer("a"), placed: file))
        machine.apply(.failed(id("a"), failed(1, 0)))
        #expect(try machine.next() == .perform(transfer("a"), placed: nil))
    }

    // MARK: Order

    @Test func startsByPriorityAndArrival() throws {
        for (name, priority) in [
            ("a", .low), ("b", .normal), ("c", .high), ("d", .normal), ("e", .high), ("f", .low),
        ] as [(String, RequestPriority)] {
            machine.apply(.added(try transfer(name, priority)))
        }
        #expect(machine.takeAll() == ["c", "e", "b", "d", "a", "f"])
        #expect(machine.takeAll() == [])
    }

    @Test func startsNothingWithoutAPlace() throws {
        machine.apply(.added(try transfer("a")))
        #expect(machine.next(canStart: false) == nil)
        #expect(machine.states == ["a waiting"])
    }

    @Test func startsATransferWhoseJobHasEnded() throws {
        machine.apply(.added(try transfer("a")))
        #expect(machine.takeAll() == ["a"])
        machine.apply(.paused(id("a")))
        machine.apply(.resumed(id("a")))
        #expect(machine.takeAll(busy: [id("a")]) == [])
        #expect(machine.takeAll() == ["a"])
    }

    @Test func startsOneTransferForADestination() throws {
        let destination = URL(filePath: "/tmp/a")
        machine.apply(.added(try transfer("a")))
        machine.apply(.added(try Transfer("http://h.example/", to: destination, id: id("b"))))
        machine.apply(.added(try transfer("c")))
        #expect(machine.takeAll() == ["a", "c"])
        machine.apply(.finished(id("a"), file))
        #expect(machine.takeAll(busy: [id("c")]) == ["b"])
    }

    @Test func pausesAndResumes() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.added(try transfer("b")))
        machine.apply(.paused(id("a")))
        #expect(machine.takeAll() == ["b"])
        for _ in 0..<100 {
            machine.apply(.resumed(id("a")))
            machine.apply(.paused(id("a")))
        }
        machine.apply(.resumed(id("a")))
        #expect(machine.takeAll(busy: [id("b")]) == ["a"])
        #expect(machine.takeAll(busy: [id("b")]) == [])
    }

    /// The turns of removed transfers do not add up while nothing may start.
    @Test func forgetsTheTurnsOfRemovedTransfers() throws {
        for number in 0..<3_000 {
            machine.apply(.added(try transfer("\(number)")))
            machine.apply(.removed(id("\(number)")))
        }
        #expect(machine.state.turnCount <= 1_002)
        machine.apply(.added(try transfer("a")))
        #expect(machine.takeAll() == ["a"])
    }

    // MARK: Retries

    @Test func waitsForARetry() throws {
        machine.apply(.added(try transfer("a")))
        #expect(machine.state.nextDelay(at: 0) == nil)
        machine.apply(.started(id("a")))
        machine.apply(.failed(id("a"), failed(1, 500)))
        #expect(machine.state.nextDelay(at: 0) == 500)
        #expect(machine.takeAll(at: 499) == [])
        #expect(machine.state.nextDelay(at: 499) == 1)
        #expect(!machine.state.isIdle)
        #expect(machine.takeAll(at: 500) == ["a"])
        #expect(machine.state.nextDelay(at: 500) == nil)
    }

    @Test func doesNotWaitLongerThanTheLongestDelay() throws {
        machine.apply(.added(try transfer("a")))
        for notBefore in [1_001, .max, .min, -5] as [Int64] {
            machine.apply(.started(id("a")))
            machine.apply(.failed(id("a"), failed(1, notBefore)))
            #expect(machine.takeAll() == ["a"])
        }
        machine.apply(.failed(id("a"), failed(1, 1_000)))
        #expect(machine.takeAll() == [])
    }

    @Test func resumesAFailedTransferWithAllRetries() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.started(id("a")))
        machine.apply(.failed(id("a"), failed(6, nil)))
        #expect(machine.states == ["a failed"])
        #expect(machine.state.isIdle)
        #expect(machine.takeAll() == [])
        machine.apply(.resumed(id("a")))
        #expect(machine.first?.failureCount == 0)
        #expect(machine.first?.failure == nil)
        #expect(machine.takeAll() == ["a"])
    }

    @Test func resumesATransferThatWaitsForARetry() throws {
        machine.apply(.added(try transfer("a")))
        #expect(!machine.apply(.resumed(id("a"))))
        machine.apply(.started(id("a")))
        machine.apply(.failed(id("a"), failed(1, 500)))
        #expect(machine.apply(.resumed(id("a"))))
        #expect(machine.first?.failureCount == 1)
        #expect(machine.takeAll() == ["a"])
    }

    // MARK: Removing

    @Test func removesATransferWithoutAPartAtOnce() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.removed(id("a")))
        #expect(machine.state.count == 0 && machine.state.isIdle)
        #expect(machine.takeAll() == [])
        machine.apply(.added(try transfer("a")))
        #expect(machine.takeAll() == ["a"])
    }

    @Test func discardsThePartOfARemovedTransfer() throws {
        machine.apply(.added(try transfer("a")))
        machine.apply(.started(id("a")))
        machine.apply(.removed(id("a")))
        #expect(machine.states == [])
        #expect(!machine.state.isIdle)
        #expect(try !machine.apply(.added(transfer("a"))))
        #expect(machine.takeAll(busy: [id("a")]) == [])
        #expect(machine.next(canStart: false, canDiscard: false) == nil)
        #expect(try machine.next(canStart: false) == .discard(transfer("a")))
        machine.apply(.gone(id("a")))
        #expect(machine.state.count == 0 && machine.state.isIdle)
    }

    // MARK: Compacting

    @Test func keepsTheLatestFinishedTransfers() throws {
        for name in ["a", "b", "c", "d"] { machine.apply(.added(try transfer(name))) }
        for name in ["d", "b", "a"] { machine.apply(.finished(id(name), file)) }
        machine.state.forgetFinished(keeping: 2)
        #expect(machine.states == ["a finished", "b finished", "c waiting"])
        let compacted = Machine(machine.state.records)
        compacted.state.forgetFinished(keeping: 1)
        #expect(compacted.states == ["a finished", "c waiting"])
        compacted.state.forgetFinished(keeping: -1)
        #expect(compacted.states == ["c waiting"])
    }

    /// Random records, and those of the compacted state, lead to the same transfers and to the same work.
    @Test(arguments: 0..<200 as Range<UInt64>) func leadsToTheSameStateWhenCompacted(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let records = try randomRecords(&generator)
        let original = Machine(records)
        let compacted = Machine(original.state.records)
        #expect(original.state.transfers == compacted.state.transfers, "\(records)")
        #expect(original.state.count == compacted.state.count)
        original.state.recover()
        compacted.state.recover()
        #expect(original.state.transfers == compacted.state.transfers)
        #expect(original.takeAll() == compacted.takeAll(), "\(records)")
        #expect(original.takeAll(at: 500) == compacted.takeAll(at: 500), "\(records)")
    }

    private func randomRecords(_ generator: inout SeededGenerator) throws -> [TransferRecord] {
        let priorities: [RequestPriority] = [.low, .normal, .high]
        let delays: [Int64?] = [nil, 0, 500]
        var records: [TransferRecord] = []
        for _ in 0..<40 {
            let name = ["a", "b", "c"][Int.random(in: 0..<3, using: &generator)]
            let choice = Int.random(in: 0..<3, using: &generator)
            switch Int.random(in: 0..<9, using: &generator) {
            case 0: records.append(.added(try transfer(name, priorities[choice])))
            case 1: records.append(.paused(id(name)))
            case 2: records.append(.resumed(id(name)))
            case 3: records.append(.removed(id(name)))
            case 4: records.append(.placing(id(name), file))
            case 5: records.append(.failed(id(name), failed(1, delays[choice])))
            case 6: records.append(.finished(id(name), file))
            case 7: records.append(.gone(id(name)))
            default: records.append(.started(id(name)))
            }
        }
        return records
    }
}
