import ApusPlatform
import Dispatch
import Foundation
import Testing

@testable import ApusCommand

@Suite(.timeLimit(.minutes(5))) struct FileDescriptorTests {
    /// Creates a pipe.
    private func makePipe(isBlocking: Bool = true) throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        if !isBlocking { for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) } }
        return (ends[0], ends[1])
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        try bytes.withUnsafeBytes { try FileDescriptor.write($0, to: descriptor) }
    }

    @Test func waitsOnlyForTheFirstByteOrTheEnd() throws {
        let (reading, writing) = try makePipe()
        defer { FileDescriptor.close(reading) }
        #expect(!FileDescriptor.isReadable(reading, within: 1))
        try write(Array("here".utf8), to: writing)
        #expect(FileDescriptor.isReadable(reading, within: 0))
        #expect(try FileDescriptor.read(reading, upTo: 2) == Array("he".utf8))
        FileDescriptor.close(writing)
        #expect(try FileDescriptor.readAll(reading) == Array("re".utf8))
        #expect(FileDescriptor.isReadable(reading, within: 0))
    }

    /// A non-blocking descriptor is usually full or empty while both sides are active.
    @Test func waitsForANonBlockingDescriptor() throws {
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

    @Test func reportsErrors() throws {
        let (reading, writing) = try makePipe()
        FileDescriptor.close(writing)
        FileDescriptor.close(reading)
        #expect(throws: FileDescriptor.Fault(number: ENOENT)) { try FileDescriptor.open("/no/such/file", O_RDONLY) }
    }
}
