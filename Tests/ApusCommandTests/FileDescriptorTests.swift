import Dispatch
import Foundation
import Testing

@testable import ApusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct FileDescriptorTests {
    /// The two ends of a pipe.
    private func makePipe(isBlocking: Bool = true) throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        if !isBlocking { for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) } }
        return (ends[0], ends[1])
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        try bytes.withUnsafeBytes { try FileDescriptor.write($0, to: descriptor) }
    }

    @Test func losesItsPatienceBeforeTheFirstByteAlone() throws {
        let (reading, writing) = try makePipe()
        defer { FileDescriptor.close(reading) }
        var count = 0
        let late = try FileDescriptor.readAll(reading, patience: 1) {
            count += 1
            try? write(Array("late".utf8), to: writing)
            FileDescriptor.close(writing)
        }
        #expect(late == Array("late".utf8) && count == 1)
    }

    @Test func needsNoPatienceForWhatIsThere() throws {
        let (reading, writing) = try makePipe()
        defer { FileDescriptor.close(reading) }
        try write(Array("here".utf8), to: writing)
        FileDescriptor.close(writing)
        let here = try FileDescriptor.readAll(reading, patience: 0) { Issue.record("it did not wait") }
        #expect(here == Array("here".utf8))
    }

    /// One that does not block is full, or empty, more often than not while both sides are at it.
    @Test func waitsForADescriptorThatDoesNotBlock() throws {
        let (reading, writing) = try makePipe(isBlocking: false)
        defer { FileDescriptor.close(reading) }
        let content = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            do { try write(content, to: writing) } catch { Issue.record(error) }
            FileDescriptor.close(writing)
        }
        #expect(try FileDescriptor.readAll(reading) == content)
        group.wait()
    }

    @Test func tellsWhatIsWrong() throws {
        let (reading, writing) = try makePipe()
        FileDescriptor.close(writing)
        FileDescriptor.close(reading)
        #expect(throws: FileDescriptor.Fault(number: ENOENT)) { try FileDescriptor.open("/no/such/file", O_RDONLY) }
    }
}
