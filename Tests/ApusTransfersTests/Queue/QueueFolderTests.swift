internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite struct QueueFolderTests {
    @Test func hasItsFiles() throws {
        for url in [URL(filePath: "/tmp/q"), URL(filePath: "/tmp/q/"), URL(filePath: "/tmp/q//")] {
            let folder = try QueueFolder(url)
            #expect(folder.path == "/tmp/q")
            #expect(folder.log == "/tmp/q/queue.log")
            #expect(folder.lock == "/tmp/q/lock")
            #expect(folder.incoming == "/tmp/q/incoming")
        }
    }

    @Test func isCreatedOnce() throws {
        let temporary = try TemporaryFolder()
        let folder = try QueueFolder(temporary.url("a/b"))
        try folder.create()
        try folder.create()
        #expect(try names(in: temporary.url("a/b")) == ["incoming"])
    }

    @Test func synchronizesTheFoldersThatGetAName() throws {
        let temporary = try TemporaryFolder()
        let root = temporary.url.path(percentEncoded: false)
        let folder = try QueueFolder(temporary.url("a/b"))
        #expect(folder.foldersToSynchronize == ["\(root)/a/b", "\(root)/a", root])
        try folder.create()
        #expect(folder.foldersToSynchronize == ["\(root)/a/b"])
        #expect(try QueueFolder(URL(filePath: "/")).foldersToSynchronize == ["/"])
    }

    @Test func refusesOtherPlaces() throws {
        let temporary = try TemporaryFolder()
        let file = try temporary.write("x", to: "file")
        let web = try #require(URL(string: "http://h.example/a"))
        for make in [{ try QueueFolder(web).create() }, { try QueueFolder(file).create() }] as [() throws -> Void] {
            #expect {
                try make()
            } throws: { error in
                (error as? ApusError)?.code == .fileUnwritable
            }
        }
    }

    /// The parts of other downloads may be in the same folder.
    @Test func removesTheIncompleteLog() throws {
        let temporary = try TemporaryFolder()
        for name in [".apus-1.part", "queue.log.new", "queue.log", "lock", "other.part", ".apus-1"] {
            try temporary.write("x", to: name)
        }
        try QueueFolder(temporary.url).removeIncompleteLogs()
        #expect(try temporary.names == [".apus-1", ".apus-1.part", "lock", "other.part", "queue.log"])
    }
}
