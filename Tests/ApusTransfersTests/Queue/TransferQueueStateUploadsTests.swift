internal import ApusCore
internal import ApusTestServer
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// The uploads of `TransferQueueState`, which `TransferQueueStateTests` tests with downloads.
@Suite struct TransferQueueStateUploadsTests {
    private let a = TransferID(rawValue: "a")
    private let response = TransferResponse(status: 201, body: Data("done".utf8))

    private func id(_ name: String) -> TransferID { TransferID(rawValue: name) }

    private func state(_ records: [TransferRecord]) -> TransferQueueState {
        TransferQueueState(records, longestDelay: 1_000)
    }

    /// Returns the work that may start now, in order. The removals come first, and are sorted.
    private func work(_ state: TransferQueueState, at now: Int64 = 0) -> [QueueWork] {
        var state = state
        var busy: Set<TransferID> = []
        var found: [QueueWork] = []
        while let next = state.next(at: now, busy: busy, canStart: true) {
            found.append(next)
            busy.insert(next.id)
        }
        let removals = found.filter { !$0.isTransfer }.sorted { $0.id.rawValue < $1.id.rawValue }
        return removals + found.filter(\.isTransfer)
    }

    private func recovered(_ records: [TransferRecord]) -> TransferQueueState {
        var state = state(records)
        state.recover()
        return state
    }

    @Test func keepsTheResponse() throws {
        let state = state([.added(try RecordSamples.upload("a")), .started(a), .uploaded(a, response)])
        let queued = try #require(state.transfers.first)
        #expect(queued.state == .finished)
        #expect(queued.response == response)
        #expect(queued.file == nil && queued.confirmedByteCount == nil)
        #expect(state.isIdle)
    }

    @Test func startsFromItsState() throws {
        let upload = try RecordSamples.upload("a")
        #expect(work(state([.added(upload)])) == [.upload(upload, nil, wasStopped: false)])
        let records: [TransferRecord] = [.added(upload), .started(a), .uploading(a, RecordSamples.state())]
        #expect(work(recovered(records)) == [.upload(upload, RecordSamples.state(), wasStopped: true)])
        #expect(state(records).transfers.first?.confirmedByteCount == 4)
        #expect(work(recovered(records + [.uploading(a, nil)])) == [.upload(upload, nil, wasStopped: true)])
    }

    /// Only an attempt whose end is not recorded may have reached the server unnoticed.
    @Test func knowsWhetherItWasStopped() throws {
        let upload = try RecordSamples.upload("a")
        let begun: [TransferRecord] = [.added(upload), .started(a)]
        let failed = TransferRecord.failed(a, RecordSamples.failed(1, notBefore: 0))
        let failedForGood = TransferRecord.failed(a, RecordSamples.failed(1, notBefore: nil))
        let cases: [([TransferRecord], Bool)] = [
            ([], true), ([.paused(a), .resumed(a)], true), ([failed], false), ([failedForGood, .resumed(a)], false),
            ([failed, .started(a)], true), ([failedForGood, .resumed(a), .started(a)], true),
        ]
        for (records, wasStopped) in cases {
            let state = recovered(begun + records)
            #expect(work(state) == [.upload(upload, nil, wasStopped: wasStopped)], "\(records)")
            let compacted = recovered(state.records)
            #expect(work(compacted) == [.upload(upload, nil, wasStopped: wasStopped)], "\(records)")
        }
    }

    @Test func withdrawsTheServersPart() throws {
        let upload = try RecordSamples.upload("a")
        let kept: [TransferRecord] = [.added(upload), .started(a), .uploading(a, RecordSamples.state())]
        #expect(work(state(kept + [.removed(a)])) == [.withdraw(upload, RecordSamples.state())])
        #expect(work(state(kept + [.uploading(a, nil), .removed(a)])) == [.discard(upload)])
        // The request was still under way.
        let late = state([.added(upload), .started(a), .removed(a), .uploading(a, RecordSamples.state())])
        #expect(work(late) == [.withdraw(upload, RecordSamples.state())])
        #expect(work(state(late.records)) == [.withdraw(upload, RecordSamples.state())])
        // The job of a running one has to end first.
        #expect(state([.added(upload), .started(a), .removed(a)]).count == 1)
        #expect(state([.added(upload), .started(a), .paused(a), .removed(a)]).count == 1)
        #expect(state([.added(upload), .removed(a)]).count == 0)
        #expect(state(kept + [.uploaded(a, response), .removed(a)]).count == 0)
    }

    /// Several uploads may read a file at a time. A download that writes it waits.
    @Test func excludesOnlyDownloadsToItsFile() throws {
        let uploads = try ["a", "b"].map { try RecordSamples.upload($0, path: "/tmp/x") }
        let download = try Transfer("http://h.example/", to: URL(filePath: "/tmp/x"), id: id("c"))
        let reading = work(state(uploads.map { .added($0) } + [.added(download)]))
        #expect(reading.map(\.id) == [id("a"), id("b")])
        let writing = work(state([.added(download)] + uploads.map { .added($0) }))
        #expect(writing.map(\.id) == [id("c")])
    }

    /// The records of one kind of transfer have no effect on the other.
    @Test func ignoresRecordsOfTheOtherKind() throws {
        let download = try Transfer("http://h.example/", to: URL(filePath: "/tmp/a"), id: id("b"))
        var state = state([.added(try RecordSamples.upload("a")), .added(download), .started(a), .started(id("b"))])
        let records: [TransferRecord] = [
            .placing(a, RecordSamples.file), .finished(a, RecordSamples.file),
            .uploading(id("b"), RecordSamples.state()),
            .uploaded(id("b"), response),
        ]
        for record in records {
            let hasChanged = state.apply(record)
            #expect(!hasChanged, "\(record)")
        }
    }

    @Test func forgetsTheBodiesOfOldResponses() throws {
        var records: [TransferRecord] = []
        for name in ["a", "b", "c"] { records.append(.added(try RecordSamples.upload(name))) }
        for name in ["b", "c", "a"] { records.append(.uploaded(id(name), response)) }
        for (limit, names) in [(12, ["a", "b", "c"]), (11, ["a", "c"]), (4, ["a"]), (3, []), (0, [])] {
            var state = state(records)
            state.forgetBodies(keeping: limit)
            let kept = state.transfers.filter { $0.response?.body.isEmpty == false }.map(\.id.rawValue)
            #expect(kept == names)
            #expect(state.transfers.allSatisfy { $0.response?.status == 201 })
        }
    }

    /// Random records, and those of the compacted state, lead to the same transfers and to the same work.
    @Test(arguments: 0..<300 as Range<UInt64>) func leadsToTheSameStateWhenCompacted(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let records = try randomRecords(&generator)
        let original = state(records)
        let compacted = state(original.records)
        #expect(original.transfers == compacted.transfers, "\(records)")
        #expect(original.count == compacted.count)
        let (later, again) = (recovered(records), recovered(original.records))
        #expect(later.transfers == again.transfers)
        #expect(work(later) == work(again), "\(records)")
        #expect(work(later, at: 500) == work(again, at: 500), "\(records)")
        // A log that is compacted during a run has the recovered state.
        let third = recovered(later.records)
        #expect(work(later, at: 500) == work(third, at: 500), "\(records)")
    }

    private func randomRecords(_ generator: inout SeededGenerator) throws -> [TransferRecord] {
        let delays: [Int64?] = [nil, 0, 500]
        var records: [TransferRecord] = []
        for _ in 0..<40 {
            let name = ["a", "b", "c"][Int.random(in: 0..<3, using: &generator)]
            let choice = Int.random(in: 0..<3, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0, 1: records.append(.added(try RecordSamples.upload(name)))
            case 2: records.append(.paused(id(name)))
            case 3: records.append(.resumed(id(name)))
            case 4: records.append(.removed(id(name)))
            case 5: records.append(.uploading(id(name), choice == 0 ? nil : RecordSamples.state(Int64(choice))))
            case 6: records.append(.failed(id(name), RecordSamples.failed(1, notBefore: delays[choice])))
            case 7: records.append(choice == 0 ? .uploaded(id(name), response) : .started(id(name)))
            case 8: records.append(.gone(id(name)))
            default: records.append(.started(id(name)))
            }
        }
        return records
    }
}
