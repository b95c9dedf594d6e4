internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite(.timeLimit(.minutes(5))) struct QueueLogTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url("queue.log").path(percentEncoded: false) }
    private let header = TransferRecord.log(version: TransferRecord.version)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func id(_ name: String) -> TransferID { TransferID(rawValue: name) }

    private func failure(_ work: () throws -> Void) -> ApusError? {
        do {
            try work()
            return nil
        } catch {
            return error as? ApusError
        }
    }

    /// Opens the log, appends records and closes it. Returns the records that it had.
    @discardableResult
    private func append(_ records: [TransferRecord]) throws -> [TransferRecord] {
        let opened = try QueueLog.opened(path)
        var log = opened.log
        defer { log.closeFile() }
        try log.append(records, isDurable: true)
        return opened.list.records
    }

    @Test func createsALogThatOnlyItsOwnerReads() throws {
        #expect(try QueueLog.read(path).records == [])
        try append([])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try folder.names == ["queue.log"])
        #expect(try QueueLog.read(path).records == [header])
    }

    @Test func appendsRecords() throws {
        #expect(try append([.paused(id("a"))]) == [])
        #expect(try append([.resumed(id("a")), .removed(id("b"))]) == [header, .paused(id("a"))])
        let expected: [TransferRecord] = [header, .paused(id("a")), .resumed(id("a")), .removed(id("b"))]
        #expect(try QueueLog.read(path).records == expected)
    }

    /// Cut at any byte of its last two records, the log accepts further ones.
    @Test func continuesAfterAnIncompleteRecord() throws {
        let records: [TransferRecord] = [header, .paused(id("a")), .resumed(id("b"))]
        let bytes = try RecordSamples.bytes(records)
        let start = try RecordSamples.bytes([header]).count
        var failures: [Int] = []
        for count in start...bytes.count {
            try folder.write(Data(bytes.prefix(count)), to: "queue.log")
            let kept = try append([.removed(id("c"))])
            let list = try QueueLog.read(path)
            let isRight = list.records == kept + [.removed(id("c"))] && list.damagedLines.isEmpty
            if !isRight || Array(records.prefix(kept.count)) != kept { failures.append(count) }
        }
        #expect(failures == [])
    }

    /// A log whose first record is incomplete, or that is empty, is begun anew.
    @Test(arguments: [0, 1, 20]) func beginsAnewWithoutACompleteRecord(count: Int) throws {
        try folder.write(Data(RecordSamples.bytes([header]).prefix(count)), to: "queue.log")
        try append([.paused(id("a"))])
        #expect(try QueueLog.read(path).records == [header, .paused(id("a"))])
    }

    @Test func keepsADamagedRecord() throws {
        let damaged = Array("0000 nonsense\n".utf8)
        try folder.write(Data(RecordSamples.bytes([header]) + damaged), to: "queue.log")
        try append([.paused(id("a"))])
        let list = try QueueLog.read(path)
        #expect(list.records == [header, .paused(id("a"))])
        #expect(list.damagedLines == [2])
    }

    @Test func refusesALaterVersion() throws {
        let version = TransferRecord.version + 1
        try folder.write(Data(RecordSamples.bytes([.log(version: version)])), to: "queue.log")
        let error = failure { _ = try QueueLog.opened(path) }
        #expect(error?.code == .fileUnreadable)
        #expect(try text(folder.url("queue.log")).contains("\"version\":\(version)"))
    }

    /// An older program refuses the log once it may have records that it does not know.
    @Test func givesAnOlderLogItsVersion() throws {
        let older: [TransferRecord] = [.log(version: 1), .paused(id("a"))]
        try folder.write(Data(RecordSamples.bytes(older)), to: "queue.log")
        #expect(try append([.resumed(id("a"))]) == older)
        #expect(try QueueLog.read(path).records == older + [header, .resumed(id("a"))])
        try append([])
        #expect(try QueueLog.read(path).records.count == 4)
    }

    /// The beginning of the first record of any version is that of a log.
    @Test func beginsAnOlderLogAnew() throws {
        try folder.write(Data(RecordSamples.bytes([.log(version: 1)]).dropLast(3)), to: "queue.log")
        #expect(try append([]) == [])
        #expect(try QueueLog.read(path).records == [header])
    }

    @Test func refusesAFolder() throws {
        try FileManager.default.createDirectory(at: folder.url("queue.log"), withIntermediateDirectories: true)
        let error = failure { _ = try QueueLog.opened(path) }
        #expect(error?.code == .fileUnreadable)
    }

    @Test func refusesRecordsOnceItIsClosed() throws {
        var log = try QueueLog.opened(path).log
        log.closeFile()
        log.closeFile()
        let error = failure { try log.append([.paused(id("a"))], isDurable: false) }
        #expect(error?.code == .fileUnwritable)
    }

    // MARK: Compacting

    @Test func replacesItsRecords() throws {
        var log = try QueueLog.opened(path).log
        try log.append([.paused(id("a")), .resumed(id("a"))], isDurable: false)
        let hadGrown = log.hasGrown
        try log.replace(with: [.paused(id("b"))])
        let hasGrown = log.hasGrown
        try log.append([.removed(id("c"))], isDurable: true)
        log.closeFile()
        #expect(hadGrown && !hasGrown)
        #expect(try QueueLog.read(path).records == [header, .paused(id("b")), .removed(id("c"))])
        #expect(try folder.names == ["queue.log"])
    }

    /// The log stays in use if a new one can't be written.
    @Test func survivesAFailedReplacement() throws {
        var log = try QueueLog.opened(path).log
        try FileManager.default.removeItem(at: folder.url)
        try log.replace(with: [.paused(id("b"))])
        try log.append([.paused(id("a"))], isDurable: true)
        let hasGrown = log.hasGrown
        log.closeFile()
        #expect(hasGrown)
        #expect(try QueueLog.read(path).records == [])
    }

    @Test func isCompactedForTheNumberOfItsRecords() throws {
        var log = try QueueLog.opened(path).log
        defer { log.closeFile() }
        try log.append(Array(repeating: .paused(id("a")), count: 1_004), isDurable: false)
        #expect(!log.isDueForCompaction(transferCount: 1))
        #expect(log.isDueForCompaction(transferCount: 0))
        try log.append([.paused(id("a"))], isDurable: false)
        #expect(log.isDueForCompaction(transferCount: 1))
        try log.replace(with: [])
        #expect(!log.isDueForCompaction(transferCount: 0))
    }
}
