internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite(.timeLimit(.minutes(5))) struct IncomingChangesTests {
    private let folder: TemporaryFolder
    private let incoming: IncomingChanges

    init() throws {
        folder = try TemporaryFolder()
        let queueFolder = try QueueFolder(folder.url)
        try queueFolder.create()
        incoming = IncomingChanges(in: queueFolder)
    }

    private func id(_ name: String) -> TransferID { TransferID(rawValue: name) }

    private var names: [String] { get throws { try ApusTestSupport.names(in: folder.url("incoming")) } }

    @Test func readsChangesInOrder() throws {
        for name in 0..<30 { try incoming.write([.paused(id("\(name)")), .resumed(id("\(name)"))]) }
        let changes = try incoming.names().compactMap { try incoming.read($0) }
        #expect(changes.map(\.records) == (0..<30).map { [.paused(id("\($0)")), .resumed(id("\($0)"))] })
        #expect(changes.allSatisfy { !$0.isDamaged && $0.byteCount > 0 })
        incoming.remove(changes)
        #expect(try names == [])
    }

    @Test func isReadableByItsOwnerOnly() throws {
        try incoming.write([.paused(id("a"))])
        let name = try #require(names.first)
        for url in [folder.url("incoming"), folder.url("incoming/\(name)")] {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
            let permissions = try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
            #expect(permissions & 0o077 == 0)
        }
    }

    /// Only changes that a user makes count, and only under their names.
    @Test func ignoresOtherFiles() throws {
        try incoming.write([.paused(id("a")), .finished(id("a"), RecordSamples.file), .gone(id("a"))])
        try folder.write("x", to: "incoming/.apus-1.part")
        try folder.write("x", to: "incoming/1.json")
        let changes = try incoming.names().compactMap { try incoming.read($0) }
        #expect(changes.map(\.records) == [[.paused(id("a"))]])
        #expect(changes.map(\.isDamaged) == [false])
    }

    @Test func setsADamagedChangeAside() throws {
        let line = try RecordLine.bytes(of: .paused(id("a")))
        try folder.write(Data(line + line.dropLast()), to: "incoming/1.records")
        try folder.write("nonsense\n", to: "incoming/2.records")
        try FileManager.default.createDirectory(at: folder.url("incoming/3.records"), withIntermediateDirectories: true)
        let changes = try incoming.names().compactMap { try incoming.read($0) }
        #expect(changes.map(\.isDamaged) == [true, true, true])
        #expect(changes.map(\.records) == [[.paused(id("a"))], [], []])
        incoming.remove(changes)
        #expect(try names == ["1.records.damaged", "2.records.damaged", "3.records.damaged"])
        #expect(try incoming.names() == [])
    }

    @Test func readsNoChangeThatIsGone() throws {
        let change = try incoming.read("1.records")
        #expect(change == nil)
    }

    /// Too many open files are no damage.
    @Test func throwsForAChangeThatCantBeReadNow() throws {
        try incoming.write([.paused(id("a"))])
        let name = try #require(names.first)
        #expect {
            try incoming.read(name) { _ throws(ApusError) in throw ApusError(.fileUnreadable, "too many open files") }
        } throws: { error in
            (error as? ApusError)?.code == .fileUnreadable
        }
        let change = try incoming.read(name)
        #expect(change?.isDamaged == false)
    }

    // MARK: Order

    /// The clock was set back after the first change.
    @Test func staysInOrderIfTheClockIsSetBack() throws {
        try incoming.write([.paused(id("a"))])
        let name = try #require(names.first)
        let number = try #require(Int64(name.prefix(while: { $0 != "-" })))
        let later = "\((number + 3_600_000_000).padded(to: 20))\(name.dropFirst(20))"
        try FileManager.default.moveItem(at: folder.url("incoming/\(name)"), to: folder.url("incoming/\(later)"))
        let other = IncomingChanges(in: try QueueFolder(folder.url))
        try other.write([.resumed(id("a"))])
        try other.write([.removed(id("a"))])
        let changes = try other.names().compactMap { try other.read($0) }
        #expect(changes.map(\.records) == [[.paused(id("a"))], [.resumed(id("a"))], [.removed(id("a"))]])
    }

    @Test(arguments: ["9223372036854775807-1.records", "99999999999999999999-1.records", "-.records", "x.records"])
    func ignoresANumberThatNoClockShows(name: String) throws {
        try folder.write("", to: "incoming/\(name)")
        try incoming.write([.paused(id("a"))])
        #expect(try names.count == 2)
    }

    // MARK: Limits

    @Test func removesTheIncompleteChangesOfKilledProcesses() throws {
        let ages: [String: TimeInterval] = [".apus-1.part": 3_700, ".apus-2.part": 3_500, "1.records": 3_700]
        for (name, age) in ages {
            let file = try folder.write("x", to: "incoming/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)],
                ofItemAtPath: file.path(percentEncoded: false)
            )
        }
        incoming.removeIncomplete()
        #expect(try names == [".apus-2.part", "1.records"])
    }

    @Test func limitsAChange() throws {
        let records = Array(repeating: TransferRecord.paused(id("a")), count: QueueLimits.changeRecordCount)
        try incoming.write(records)
        #expect {
            try incoming.write(records + [.paused(id("a"))])
        } throws: { error in
            (error as? ApusError)?.code == .invalidRequest
        }
        #expect(try names.count == 1)
    }

    @Test func reportsAMissingFolder() throws {
        try FileManager.default.removeItem(at: folder.url("incoming"))
        #expect {
            try incoming.names()
        } throws: { error in
            (error as? ApusError)?.code == .fileUnreadable
        }
        #expect {
            try incoming.write([.paused(id("a"))])
        } throws: { error in
            (error as? ApusError)?.code == .fileUnwritable
        }
    }
}
