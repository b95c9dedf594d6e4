internal import Apus
internal import Dispatch
internal import Foundation

/// A request body read from a pipe, a device, or standard input.
///
/// | source | how it is sent |
/// |---|---|
/// | up to `heldBytes`, of any kind | read completely first, sent with its length, replayable |
/// | a longer file | read while it is sent, with its length, replayable |
/// | more from a pipe | chunked, read while it is sent, only once (with `isHeld`: read completely first) |
struct PipedContent {
    /// The maximum number of bytes read before the request. A longer body is read while it is sent.
    static let heldBytes = 16 << 20

    /// The maximum size of a body that is joined into a single chunk.
    private static let joinedBytes = 1 << 20

    private static let chunkBytes = 64 << 10

    /// The open pipe, device or file.
    let source: Descriptor
    /// The name of the source for error messages: `standard input`, `'/dev/fd/63'`.
    let name: String
    /// Whether the body is needed more than once, regardless of its length: to show, compress, or resend it.
    let isHeld: Bool

    /// Reads the part of the body that is needed before the request.
    ///
    /// - Returns: The body, or `none` if it is empty.
    /// - Throws: The system's error.
    func body() throws(FileDescriptor.Fault) -> RequestBody {
        if let range = source.range, range.count > Self.heldBytes {
            let chunks = DescriptorChunks(source: source, name: name, range: range)
            return .replayable(length: Int64(range.count)) { chunks }
        }
        var held: [BodyChunk] = []
        var count = 0
        while isHeld || count <= Self.heldBytes {
            // Fill each chunk: a slow pipe would otherwise leave mostly empty buffers in memory.
            let chunk = try source.read(Self.chunkBytes, isFull: true)
            guard !chunk.isEmpty else { return Self.body(of: held, count) }
            held.append(chunk)
            count += chunk.count
        }
        return .once(DescriptorChunks(source: source, name: name, ahead: held))
    }

    private static func body(of held: [BodyChunk], _ count: Int) -> RequestBody {
        guard count > 0 else { return .none }
        guard count > joinedBytes else {
            return .chunk(
                BodyChunk(unsafeUninitializedCapacity: count) { memory in
                    var offset = 0
                    for chunk in held {
                        chunk.withUnsafeBytes { memory[offset...].copyBytes(from: $0) }
                        offset += chunk.count
                    }
                    return offset
                }
            )
        }
        let chunks = HeldChunks(chunks: held)
        return .replayable(length: Int64(count), pieces: { held.map { .bytes(Data($0)) } }) { chunks }
    }
}

/// Chunks in memory.
private struct HeldChunks: AsyncSequence, Sendable {
    let chunks: [BodyChunk]

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<BodyChunk>

        mutating func next() async -> BodyChunk? { rest.popFirst() }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }
}

/// Reads a descriptor while the body is sent, on its own queue, since reading may block.
private struct DescriptorChunks: AsyncSequence, Sendable {
    typealias Element = BodyChunk

    private static let chunkBytes = 64 << 10

    let source: Descriptor
    let name: String
    /// The range of a file, or `nil` to read from the current position to the end.
    var range: Range<Int64>?
    /// The chunks read before the request.
    var ahead: [BodyChunk] = []

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let source: DescriptorChunks
        private let queue = DispatchQueue(label: "apus.piped-content")
        private var ahead: ArraySlice<BodyChunk>
        private var rest: Range<Int64>?

        init(source: DescriptorChunks) {
            self.source = source
            ahead = source.ahead[...]
            rest = source.range
        }

        mutating func next() async throws -> BodyChunk? {
            if let chunk = ahead.popFirst() { return chunk }
            if rest?.isEmpty == true { return nil }
            let chunk = try await read(Int(Swift.min(Int64(chunkBytes), rest.map { Int64($0.count) } ?? .max)))
            if let rest { self.rest = rest.dropFirst(chunk.count).startIndex..<rest.upperBound }
            return chunk.isEmpty ? nil : chunk
        }

        /// Reads a piece. A cancelled task does not wait for it.
        private func read(_ count: Int) async throws -> BodyChunk {
            let outcome = Deferred<Result<BodyChunk, FileDescriptor.Fault>?>()
            let (descriptor, offset) = (source.source, rest?.lowerBound)
            queue.async {
                do throws(FileDescriptor.Fault) {
                    outcome.fulfill(.success(try descriptor.read(count, at: offset)))
                } catch {
                    outcome.fulfill(.failure(error))
                }
            }
            let result = await withTaskCancellationHandler {
                await outcome.value
            } onCancel: {
                outcome.fulfill(nil)
            }
            switch result {
            case .success(let chunk): return chunk
            case .failure(let fault): throw CommandFault("\(source.name) can't be read: \(fault.words)")
            case nil: throw CancellationError()
            }
        }
    }
}
