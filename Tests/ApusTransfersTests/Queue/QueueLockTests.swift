internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite(.timeLimit(.minutes(5))) struct QueueLockTests {
    private let temporary: TemporaryFolder
    private let folder: QueueFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try QueueFolder(temporary.url)
    }

    private func failure() -> ApusError? {
        do throws(ApusError) {
            _ = try QueueLock(folder)
            return nil
        } catch {
            return error
        }
    }

    @Test func excludesAnotherOne() throws {
        let lock = try QueueLock(folder)
        let error = try #require(failure())
        #expect(error.code == .fileInUse)
        #expect(error.detail.contains("is run by another process already"))
        #expect(error.hint != nil)
        withExtendedLifetime(lock) {}
    }

    @Test func endsWithItsObject() throws {
        var lock: QueueLock? = try QueueLock(folder)
        #expect(failure() != nil)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(failure() == nil)
        #expect(failure() == nil)
    }

    @Test func followsNoLink() throws {
        try FileManager.default.createSymbolicLink(
            at: temporary.url("lock"),
            withDestinationURL: temporary.url("elsewhere")
        )
        #expect(failure()?.code == .fileUnwritable)
        #expect(try temporary.names == ["lock"])
    }
}
