import Foundation
import Testing

@testable import ApusCommand

@Suite struct DownloadFileTests {
    @Test func neverOpensAnExistingFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let outside = folder.appendingPathComponent("outside").path
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("x").path,
            withDestinationPath: outside
        )
        let files = Files(workingDirectory: folder.path, home: nil)
        let first = try DownloadFile(new: "x", files: files)
        #expect(first.name == "x-1")
        #expect(!FileManager.default.fileExists(atPath: outside))
        let second = try DownloadFile(new: "x", files: files)
        #expect(second.name == "x-2")
    }

    @Test func doesNotExpandATilde() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = Files(workingDirectory: folder.path, home: folder.appendingPathComponent("home").path)
        _ = try DownloadFile(new: "~", files: files)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["~"])
    }

    @Test func reportsUnwritableFilesInAdvance() throws {
        #expect(throws: CommandFault.self) {
            try DownloadFile.check(replacing: "", files: Files(workingDirectory: "", home: nil))
        }
        #expect(throws: CommandFault.self) {
            try DownloadFile.checkNew(files: Files(workingDirectory: "/nowhere", home: nil))
        }
        let files = Files(workingDirectory: FileManager.default.temporaryDirectory.path, home: nil)
        #expect(throws: CommandFault.self) { try DownloadFile.check(replacing: ".", files: files) }
        #expect(throws: CommandFault.self) { try DownloadFile.check(replacing: "no/such/folder/x", files: files) }
        try DownloadFile.check(replacing: "apus-is-not-there", files: files)
        #expect(!FileManager.default.fileExists(atPath: files.path("apus-is-not-there")))
    }
}
