internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// A suite whose tests write parts of a file in a temporary folder.
protocol PartialFileMaking {
    /// Counts the open parts.
    var counters: LiveCounters { get }
}

extension PartialFileMaking {
    /// Calls `work` with a temporary folder, and a destination in it.
    func withFile(_ work: (_ folder: URL, _ file: URL) async throws -> Void) async throws {
        try await inFolder { folder in try await work(folder, folder.appending(path: "file")) }
    }

    /// Opens the part of a destination, or creates it.
    func makePart(_ file: URL, _ naming: PartialFile.Naming = .stable) throws -> PartialFile {
        try PartialFile(for: file, naming: naming, counters: counters)
    }

    /// Returns a part on a disk without any space.
    func makePartOnAFullDisk(_ file: URL) throws -> PartialFile {
        let descriptor = open("/dev/full", O_RDWR)
        try #require(descriptor >= 0)
        return PartialFile(
            LockedFile(descriptor: descriptor, byteCount: 0),
            at: "/dev/full",
            record: nil,
            for: file,
            file.path,
            replaces: true,
            counters: counters
        )
    }
}
