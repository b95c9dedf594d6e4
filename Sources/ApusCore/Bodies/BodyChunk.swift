public import Foundation
package import NIOCore

/// A slice of received or sent bytes.
///
/// It refers to the memory that the bytes arrived in, so passing it on copies nothing. A small chunk keeps that whole
/// memory alive: copy it into a `Data` to keep it for long.
///
/// ```swift
/// for try await chunk in response.body {
///     data.append(Data(chunk))
/// }
/// ```
public struct BodyChunk: Sendable, Hashable {
    package var buffer: ByteBuffer
    /// Whether more bytes of the body had arrived when this chunk was read, so that a writer can wait for them and write
    /// all at once. A hint, which does not count when chunks are compared.
    package var isFollowed = false

    package init(_ buffer: ByteBuffer) {
        self.buffer = buffer
    }

    /// Copies `bytes`.
    public init(_ bytes: some Sequence<UInt8>) {
        self.buffer = ByteBuffer(bytes: bytes)
    }

    /// Copies the UTF-8 of `string`.
    public init(_ string: String) {
        self.buffer = ByteBuffer(string: string)
    }

    /// Allocates `capacity` bytes and lets `initialize` fill them.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes to write.
    ///   - initialize: Writes from the start of the memory and returns the number of bytes written.
    public init(
        unsafeUninitializedCapacity capacity: Int,
        initializingWith initialize: (UnsafeMutableRawBufferPointer) throws -> Int
    ) rethrows {
        var buffer = ByteBufferAllocator().buffer(capacity: capacity)
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity, initialize)
        self.buffer = buffer
    }

    /// Does the same in memory that is aligned to a cache line. For large chunks that the system fills.
    ///
    /// The system copies with one instruction. Processors of the Zen family run it four to eight times slower if the
    /// target begins a few bytes further into its page than the source. `malloc` puts large blocks 16 bytes into a
    /// page, and the pages of a file begin at 0.
    package init(
        alignedUninitializedCapacity capacity: Int,
        initializingWith initialize: (UnsafeMutableRawBufferPointer) throws -> Int
    ) rethrows {
        var buffer = ByteBufferAllocator().alignedBuffer(capacity: capacity + ByteBufferAllocator.lineBytes)
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity, initialize)
        self.buffer = buffer
    }

    /// The number of bytes in the chunk.
    public var count: Int { buffer.readableBytes }

    /// Whether the chunk has no bytes.
    public var isEmpty: Bool { buffer.readableBytes == 0 }

    /// Calls `body` with the bytes as one contiguous piece of memory, which is valid only during the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeReadableBytes(body)
    }

    /// The memory of the bytes, which is valid as long as the chunk exists.
    package var memory: UnsafeRawBufferPointer {
        buffer.withUnsafeReadableBytesWithStorageManagement { bytes, _ in bytes }
    }

    /// Returns the first `count` bytes without copying, or all bytes if there are fewer.
    public func prefix(_ count: Int) -> BodyChunk {
        guard count < self.count else { return self }
        return BodyChunk(buffer.getSlice(at: buffer.readerIndex, length: max(count, 0)) ?? ByteBuffer())
    }

    /// Returns the bytes after the first `count` without copying, or an empty chunk if there are none.
    package func dropFirst(_ count: Int) -> BodyChunk {
        var rest = buffer
        rest.moveReaderIndex(forwardBy: min(max(count, 0), self.count))
        return BodyChunk(rest)
    }
}

extension BodyChunk {
    /// Compares the bytes.
    public static func == (left: BodyChunk, right: BodyChunk) -> Bool { left.buffer == right.buffer }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(buffer) }
}

extension Data {
    /// Copies the bytes of `chunk`.
    public init(_ chunk: BodyChunk) {
        self = chunk.withUnsafeBytes { Data($0) }
    }

    /// Appends the bytes of `chunk`.
    public mutating func append(_ chunk: BodyChunk) {
        chunk.withUnsafeBytes { bytes in
            if let address = bytes.baseAddress {
                append(address.assumingMemoryBound(to: UInt8.self), count: bytes.count)
            }
        }
    }
}

extension String {
    /// Decodes the bytes of `chunk` as UTF-8. Invalid sequences become U+FFFD.
    public init(_ chunk: BodyChunk) {
        self = String(buffer: chunk.buffer)
    }
}

extension BodyChunk: CustomStringConvertible {
    /// The number of bytes, never the bytes themselves.
    public var description: String { "BodyChunk(\(count) bytes)" }
}

extension ByteBufferAllocator {
    /// The size of a cache line.
    package static let lineBytes = 64

    /// Returns an empty buffer whose writable bytes begin at a cache line. Its capacity is `capacity` or up to 63 less.
    package func alignedBuffer(capacity: Int) -> ByteBuffer {
        var buffer = buffer(capacity: capacity)
        let address = buffer.withUnsafeMutableWritableBytes { Int(bitPattern: $0.baseAddress) }
        let offset = -address & (Self.lineBytes - 1)
        buffer.moveWriterIndex(to: offset)
        buffer.moveReaderIndex(to: offset)
        return buffer
    }
}
