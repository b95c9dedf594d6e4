internal import Apus
internal import ApusPlatform

/// An open file to read from: standard input, which stays open, or a file that is closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32
    private let isOwned: Bool

    init(_ number: Int32, isOwned: Bool) {
        self.number = number
        self.isOwned = isOwned
    }

    deinit { if isOwned { FileDescriptor.close(number) } }

    /// The unread bytes of a regular file. `nil` for any other file, and for a size of 0, which all files of procfs
    /// report.
    var range: Range<Int64>? {
        guard let status = FileStatus(descriptor: number), status.kind == .regular, status.size > 0 else { return nil }
        let start = Int64(lseek(number, 0, SEEK_CUR))
        return start < 0 ? nil : start..<max(start, status.size)
    }

    /// Reads to the end.
    func readAll() throws(FileDescriptor.Fault) -> [UInt8] {
        // Keeps the descriptor open during the read.
        defer { withExtendedLifetime(self) {} }
        return try FileDescriptor.readAll(number)
    }

    /// Reads a piece and waits for its first byte. Returns no bytes at the end.
    ///
    /// - Parameters:
    ///   - count: The maximum number of bytes.
    ///   - offset: The position in the file, or `nil` to continue after the previous read.
    ///   - isFull: Whether to wait for `count` bytes or the end.
    /// - Returns: The bytes.
    /// - Throws: The system's error.
    func read(_ count: Int, at offset: Int64? = nil, isFull: Bool = false) throws(FileDescriptor.Fault) -> BodyChunk {
        defer { withExtendedLifetime(self) {} }
        var fault: FileDescriptor.Fault?
        let chunk = BodyChunk(unsafeUninitializedCapacity: count) { memory in
            var filled = 0
            while filled < count {
                let room = UnsafeMutableRawBufferPointer(rebasing: memory[filled..<count])
                switch FileDescriptor.read(number, into: room, at: offset.map { $0 + Int64(filled) }) {
                case .success(0): return filled
                case .success(let read): filled += read
                case .failure(let failure):
                    fault = failure
                    return filled
                }
                if !isFull { return filled }
            }
            return filled
        }
        if let fault { throw fault }
        return chunk
    }
}
