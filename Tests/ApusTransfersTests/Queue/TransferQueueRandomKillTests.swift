internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// Kills processes that run a queue at random moments, until all files are there. The server outlives them.
///
/// `APUS_KILLS` sets the number of kills. `APUS_SEED` repeats the sizes of the files and the moments, as far as the
/// scheduling allows. The seed is printed.
@Suite(.timeLimit(.minutes(10))) struct TransferQueueRandomKillTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let killCount = environment["APUS_KILLS"].flatMap { Int($0) } ?? 15
    private static let seed = environment["APUS_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)

    /// The bytes that a kill may lose, on the average: those that were on their way to the transfers of the process.
    /// The server sends 8 MB/s to each of them, so it is far ahead of a process that has stopped.
    private static let lostBytes = 1 << 20

    @Test func endsEachTransferOnceAndWhole() async throws {
        let killCount = Self.killCount
        print("TransferQueueRandomKillTests: \(killCount) kills, APUS_SEED=\(Self.seed)")
        var generator = SeededGenerator(seed: Self.seed)
        try await KillBed.with { bed in
            var moments: [KillBed.Moment] = []
            // A process may end before its kill, since it has nothing left to do.
            for _ in 0..<4 * killCount where moments.count < killCount {
                let moment = KillBed.Moment.random(using: &generator)
                // Transfers are added before a process starts, or while it does.
                let addsEarly = Bool.random(using: &generator)
                if addsEarly { try await bed.addTransfers(using: &generator) }
                let wasKilled = try await bed.run(until: moment) {
                    if !addsEarly { try await bed.addTransfers(using: &generator) }
                }
                if wasKilled { moments.append(moment) }
            }
            #expect(moments.count == killCount)
            let wasKilled = try await bed.run(until: nil)
            #expect(!wasKilled)
            print(
                "TransferQueueRandomKillTests: \(bed.origin.byteCounts.count) files,",
                "\(bed.origin.byteCounts.reduce(0, +)) bytes, \(bed.origin.sentByteCount) sent"
            )
            let hasPassed = try await verify(bed, killCount: moments.count)
            if !hasPassed { Issue.record("APUS_SEED=\(Self.seed), killed after \(moments)") }
        }
    }

    /// Returns whether everything is as it must be.
    private func verify(_ bed: KillBed, killCount: Int) async throws -> Bool {
        let files = try hasAllFiles(bed)
        let reports = try hasReports(bed, killCount: killCount)
        let origin = bed.origin
        #expect(origin.faults == [])
        let allowed = origin.byteCounts.reduce(0, +) + killCount * Self.lostBytes
        #expect(origin.sentByteCount <= allowed)
        let states = Set(try await bed.queue.transfers.map(\.state))
        #expect(states.isSubset(of: [.finished]))
        return files && reports && origin.faults.isEmpty && origin.sentByteCount <= allowed
    }

    /// Checks that each file is whole, and that nothing else is left.
    private func hasAllFiles(_ bed: KillBed) throws -> Bool {
        var wrong: [String] = []
        for (number, byteCount) in bed.origin.byteCounts.enumerated() {
            let expected = FileFingerprint(
                byteCount: Int64(byteCount),
                sha256: KillOrigin.sha256(of: number, byteCount: byteCount)
            )
            if !expected.matches(bed.origin.destination(of: number)) { wrong.append(KillOrigin.name(of: number)) }
        }
        #expect(wrong == [])
        let expected = bed.origin.byteCounts.indices.map { KillOrigin.name(of: $0) }.sorted()
        let found = try names(in: bed.origin.folder)
        #expect(found == expected)
        let foundInQueue = try names(in: bed.queueFolder)
        #expect(foundInQueue == ["incoming", "lock", "queue.log"])
        let foundInIncoming = try names(in: bed.queueFolder.appending(path: "incoming"))
        #expect(foundInIncoming == [])
        return wrong.isEmpty && found == expected && foundInQueue.count == 3 && foundInIncoming.isEmpty
    }

    /// Checks that each transfer was reported as finished at most once, and that there was no failure.
    ///
    /// A kill between the record of an end and its report loses the report. The queue has the transfer then.
    private func hasReports(_ bed: KillBed, killCount: Int) throws -> Bool {
        var counts: [String: Int] = [:]
        var unexpected: [String] = []
        for line in try bed.lines {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "ready", "started": continue
            case "finished" where words.count == 4:
                counts[words[1], default: 0] += 1
                let number = Int(words[1].dropFirst("file-".count)) ?? -1
                let byteCounts = bed.origin.byteCounts
                guard byteCounts.indices.contains(number), words[2] == "\(byteCounts[number])",
                    words[3] == KillOrigin.sha256(of: number, byteCount: byteCounts[number])
                else {
                    unexpected.append(line)
                    continue
                }
            default: unexpected.append(line)
            }
        }
        #expect(unexpected == [])
        let repeated = counts.filter { $0.value > 1 }.map(\.key).sorted()
        #expect(repeated == [])
        let lostCount = bed.origin.byteCounts.count - counts.count
        // A kill between a record and its line loses the line.
        #expect((0...killCount).contains(lostCount), "\(lostCount) of \(bed.origin.byteCounts.count) reports are lost")
        return unexpected.isEmpty && repeated.isEmpty
    }
}
