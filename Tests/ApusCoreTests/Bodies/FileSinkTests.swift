internal import Foundation
internal import Testing

@testable internal import ApusCore

/// What downloads do with it is told in `DownloadTests`.
@Suite(.timeLimit(.minutes(1))) struct FileSinkTests {
    private func inFolder(_ work: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await work(folder)
    }

    private func write(_ chunks: [String], failing failure: ApusError? = nil, to sink: FileSink) async throws -> Int64 {
        var rest = chunks[...]
        return try await sink.write { () async throws(ApusError) in
            if rest.isEmpty, let failure { throw failure }
            return rest.popFirst().map { BodyChunk($0) }
        }
    }

    @Test func writesAFileThatWasNotThere() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "new")
            let sink = try FileSink(at: url, replaces: false)
            #expect(try await write(["a", "", "bc"], to: sink) == 3)
            #expect(try Data(contentsOf: url) == Data("abc".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["new"])
        }
    }

    @Test func leavesAFileThatIsThereAlone() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "old")
            try Data("old".utf8).write(to: url)
            let error = #expect(throws: ApusError.self) { try FileSink(at: url, replaces: false) }
            #expect(error?.code == .fileUnwritable)
            #expect(try Data(contentsOf: url) == Data("old".utf8))
        }
    }

    @Test(arguments: [true, false]) func leavesNothingBehindWhereItFails(replaces: Bool) async throws {
        let counters = LiveCounters()
        try await inFolder { folder in
            let sink = try FileSink(at: folder.appending(path: "new"), replaces: replaces, counters: counters)
            #expect(counters.nonZero == ["files": 1])
            let error = await #expect(throws: ApusError.self) {
                try await write(["a", "b"], failing: ApusError(.fileChanged, "x"), to: sink)
            }
            #expect(error?.code == .fileChanged)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == [])
        }
        #expect(counters.nonZero == [:])
    }
}
