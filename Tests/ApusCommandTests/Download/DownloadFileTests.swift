import Foundation
import Testing

@testable import ApusCommand

@Suite struct DownloadFileTests {
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
