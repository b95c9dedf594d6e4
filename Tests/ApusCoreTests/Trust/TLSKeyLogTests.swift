internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct TLSKeyLogTests {
    @Test func comparesFilesByTheirPaths() {
        #expect(TLSKeyLog.file("/a") == .file("/a"))
        #expect(TLSKeyLog.file("/a") != .file("/b"))
        let log = TLSKeyLog { _ in }
        let copy = log
        #expect(log == copy)
        #expect(log != TLSKeyLog { _ in })
    }

    @Test func passesLinesToAClosure() throws {
        let lines = LockedList<String>()
        let write = try TLSKeyLog { line in lines.append(line) }.writer()
        write("CLIENT_RANDOM a b\n")
        #expect(lines.all == ["CLIENT_RANDOM a b\n"])
    }

    @Test func createsAFileForItsOwner() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-keys-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try TLSKeyLog.file(file.path).writer()
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func namesAFileThatCannotBeWritten() {
        let error = #expect(throws: ApusError.self) { try TLSKeyLog.file("/nowhere/keys.log").writer() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains("/nowhere/keys.log") == true)
    }
}
