internal import ApusPlatform
internal import Foundation

/// The chunks of a file to be sent, read one chunk ahead of the consumer.
///
/// Reading blocks, so each file is read on its own queue. A file system that does not respond then delays no other
/// file. The type uses no event loop, so it works with any transport. The file is opened and compared with its recorded
/// identity when the first chunk is requested. A watched one is also compared after each read, before its bytes are
/// sent.
package struct FileChunks: AsyncSequence, Sendable {
    package typealias Element = BodyChunk

    /// The size of one read. Each read wakes two threads, which costs as much as copying 100 KiB. The size is a
    /// multiple of a page, and one page less than a power of two to leave space for alignment.
    private static let chunkBytes = (512 - 4) << 10
    /// The size of one read from a file of unknown size. procfs returns such files page by page.
    private static let unsizedChunkBytes = 16 << 10

    private let file: FileContent
    private let counters: LiveCounters?

    /// - Parameters:
    ///   - file: The file to read.
    ///   - counters: The counters for the open file. Default: none.
    package init(_ file: FileContent, counters: LiveCounters? = nil) {
        self.file = file
        self.counters = counters
    }

    package func makeAsyncIterator() -> Iterator { Iterator(file: file, counters: counters) }

    package struct Iterator: AsyncIteratorProtocol {
        private typealias Read = Deferred<Result<(file: OpenFile, chunk: BodyChunk), ApusError>>

        private let file: FileContent
        private let counters: LiveCounters?
        private let queue = DispatchQueue(label: "apus.file-reading")
        private var opened: OpenFile?
        private var offset: Int64
        private var ahead: Read?
        private var hasEnded = false

        init(file: FileContent, counters: LiveCounters?) {
            self.file = file
            self.counters = counters
            self.offset = file.range?.lowerBound ?? 0
        }

        package mutating func next() async throws -> BodyChunk? {
            guard !hasEnded else { return nil }
            let read = ahead ?? read()
            let (opened, chunk) = try await read.value.get()
            offset += Int64(chunk.count)
            hasEnded = file.range.map { offset >= $0.upperBound } ?? chunk.isEmpty
            self.opened = hasEnded ? nil : opened
            ahead = hasEnded ? nil : self.read()
            return chunk.isEmpty ? nil : chunk
        }

        /// Starts reading the next chunk.
        private func read() -> Read {
            let left = file.range.map { $0.upperBound - offset }
            let count = left.map { Int(Swift.min(Int64(chunkBytes), $0)) } ?? unsizedChunkBytes
            let outcome = Read()
            queue.async { [file, counters, opened, offset] in
                do throws(ApusError) {
                    let file = if let opened { opened } else { try OpenFile(file, counters: counters) }
                    outcome.fulfill(.success((file, try file.read(count, at: offset, isPromised: left != nil))))
                } catch {
                    outcome.fulfill(.failure(error))
                }
            }
            return outcome
        }
    }

    /// An open file. It is closed when its last reference is released.
    private final class OpenFile: Sendable {
        private let descriptor: Int32
        private let content: FileContent
        private let path: String
        private let counters: LiveCounters?

        init(_ file: FileContent, counters: LiveCounters?) throws(ApusError) {
            self.content = file
            self.path = file.url.path(percentEncoded: false)
            self.counters = counters
            self.descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw ApusError(.fileUnreadable, "'\(path)' can't be opened: \(String(cString: strerror(errno)))")
                    .with(fileAt: path)
            }
            counters?.add(to: .files)
            try FileContent.verify(descriptor: descriptor, is: file)
        }

        deinit {
            guard descriptor >= 0 else { return }
            close(descriptor)
            counters?.remove(from: .files)
        }

        /// Reads up to `count` bytes. If `isPromised` is set, reaching the end of the file throws `fileChanged`.
        func read(_ count: Int, at offset: Int64, isPromised: Bool) throws(ApusError) -> BodyChunk {
            var failure: Int32 = 0
            let chunk = BodyChunk(alignedUninitializedCapacity: count) { memory in
                while true {
                    let result = pread(descriptor, memory.baseAddress, count, off_t(offset))
                    if result >= 0 { return result }
                    failure = errno
                    guard failure == EINTR else { return 0 }
                    failure = 0
                }
            }
            guard failure == 0 else {
                throw ApusError(.fileUnreadable, "'\(path)' can't be read: \(String(cString: strerror(failure)))")
                    .with(fileAt: path)
            }
            guard !chunk.isEmpty || count == 0 || !isPromised else {
                throw ApusError(.fileChanged, "'\(path)' ended at byte \(offset), before its declared length")
                    .with(fileAt: path)
            }
            if content.isWatched { try FileContent.verify(descriptor: descriptor, is: content) }
            return chunk
        }
    }
}
