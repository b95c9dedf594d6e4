internal import ApusCore
internal import Foundation

/// A form as it is sent: bytes in memory are gathered into chunks, files and streams are passed on as they are read.
struct MultipartChunks: AsyncSequence, Sendable {
    typealias Element = BodyChunk
    typealias Failure = ApusError

    /// The maximum number of bytes from memory in a chunk.
    static let chunkBytes = 256 << 10

    private let form: MultipartFormData

    init(_ form: MultipartFormData) {
        self.form = form
    }

    func makeAsyncIterator() -> Iterator { Iterator(form: form) }

    struct Iterator: AsyncIteratorProtocol {
        private enum State {
            /// The next bytes are the delimiter and fields before a part's body.
            case envelope
            case content
            case memory(Data)
            case reading(BodyReader, remaining: Int64?)
            case ended
        }

        private let form: MultipartFormData
        private var index = 0
        private var state = State.envelope

        init(form: MultipartFormData) {
            self.form = form
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(ApusError) -> BodyChunk? {
            try await next()
        }

        mutating func next() async throws(ApusError) -> BodyChunk? {
            guard !Task.isCancelled else { throw CancelReason.task.error }
            var gathered = GatheredBytes()
            while gathered.count < chunkBytes {
                switch state {
                case .envelope:
                    gathered.append(form.envelope(ahead: index))
                    state = index < form.parts.count ? .content : .ended
                case .content:
                    switch form.parts[index].content {
                    case .memory(let data):
                        state = .memory(data)
                    case .body(let body):
                        // Send the fields before the body.
                        guard gathered.isEmpty else { return gathered.chunk }
                        state = .reading(try await open(body), remaining: body.length)
                    }
                case .memory(let rest):
                    let piece = rest.prefix(chunkBytes - gathered.count)
                    gathered.append(piece)
                    state = .memory(rest.dropFirst(piece.count))
                    if piece.count == rest.count { endPart() }
                case .reading(let reader, let remaining):
                    if let chunk = try await read(reader, remaining) { return chunk }
                    endPart()
                case .ended:
                    return gathered.isEmpty ? nil : gathered.chunk
                }
            }
            return gathered.chunk
        }

        private mutating func endPart() {
            index += 1
            state = .envelope
        }

        private func open(_ body: RequestBody) async throws(ApusError) -> BodyReader {
            do {
                return try await body.open()
            } catch {
                throw form.parts[index].failure(error)
            }
        }

        /// Returns the part's next chunk. `nil` after the last, if the part had its declared length.
        private mutating func read(_ reader: BodyReader, _ remaining: Int64?) async throws(ApusError) -> BodyChunk? {
            let chunk: BodyChunk?
            do {
                chunk = try await reader.next()
            } catch {
                throw form.parts[index].failure(error)
            }
            guard let remaining else { return chunk }
            let left = remaining - Int64(chunk?.count ?? 0)
            guard left >= 0, chunk != nil || left == 0 else {
                throw wrongLength(left < 0 ? "produced more" : "\(left) of them are missing")
            }
            state = .reading(reader, remaining: left)
            return chunk
        }

        private func wrongLength(_ what: String) -> ApusError {
            let part = form.parts[index]
            let promised = part.contentLength ?? 0
            return part.failure(
                ApusError(.multipartEncodingFailed, "its stream declared \(promised) bytes, but \(what)")
            )
        }
    }
}

/// Pieces of memory that become one chunk. Each is copied once.
struct GatheredBytes {
    private var pieces: [Data] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ piece: Data) {
        pieces.append(piece)
        count += piece.count
    }

    var chunk: BodyChunk {
        BodyChunk(unsafeUninitializedCapacity: count) { memory in
            var offset = 0
            for piece in pieces {
                piece.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + piece.count]))
                offset += piece.count
            }
            return offset
        }
    }
}
