internal import ApusCore
internal import Foundation
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The chunks of a file that is sent, read on the threads for blocking work.
struct FileChunks: AsyncSequence {
    typealias Element = BodyChunk

    /// How much is read at once.
    private static let chunkBytes = 256 << 10

    private let file: FileContent
    private let counters: LiveCounters

    init(_ file: FileContent, counters: LiveCounters) {
        self.file = file
        self.counters = counters
    }

    func makeAsyncIterator() -> Iterator { Iterator(file: file, counters: counters) }

    struct Iterator: AsyncIteratorProtocol {
        private let file: FileContent
        private let counters: LiveCounters
        private var handle: Handle?
        private var offset: Int64

        init(file: FileContent, counters: LiveCounters) {
            self.file = file
            self.counters = counters
            self.offset = file.range.lowerBound
        }

        mutating func next() async throws -> BodyChunk? {
            guard offset < file.range.upperBound else { return nil }
            let count = Int(Swift.min(Int64(FileChunks.chunkBytes), file.range.upperBound - offset))
            let (file, counters, offset, opened) = (file, counters, offset, handle)
            let (handle, buffer) = try await BlockingThreads.files.runIfActive {
                let handle = try opened ?? Handle(file, counters: counters)
                return (handle, try handle.read(count, at: offset))
            }
            self.handle = handle
            self.offset += Int64(buffer.readableBytes)
            return BodyChunk(buffer)
        }
    }

    /// An open file, closed when nobody holds it any more.
    private final class Handle: Sendable {
        private let descriptor: Int32
        private let path: String
        private let counters: LiveCounters

        init(_ file: FileContent, counters: LiveCounters) throws {
            self.path = file.url.path(percentEncoded: false)
            self.counters = counters
            self.descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw ApusError(.fileUnreadable, "'\(path)' can't be opened: \(String(cString: strerror(errno)))")
            }
            counters.add(to: .files)
            try FileContent.verify(descriptor: descriptor, is: file)
        }

        deinit {
            guard descriptor >= 0 else { return }
            close(descriptor)
            counters.remove(from: .files)
        }

        func read(_ count: Int, at offset: Int64) throws -> ByteBuffer {
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            let result = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
                Swift.max(pread(descriptor, bytes.baseAddress, count, off_t(offset)), 0)
            }
            guard result > 0 else {
                throw ApusError(.fileChanged, "'\(path)' ended at byte \(offset), before what was promised of it")
            }
            return buffer
        }
    }
}

/// The threads for what blocks. They belong to the process, start when first needed, and are few.
enum BlockingThreads {
    /// For reading and writing files.
    static let files = started(threads: 2)
    /// For making TLS contexts.
    static let crypto = started(threads: 1)
    /// For resolving hosts.
    static let lookups = started(threads: 8)

    private static func started(threads: Int) -> NIOThreadPool {
        let pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
        return pool
    }
}
