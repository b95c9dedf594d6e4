public import ApusCore
public import Foundation

extension MultipartFormData {
    /// The form as the content of a request.
    ///
    /// It is bytes where all parts are in memory and it is short; else it is streamed from its parts, with no copy of
    /// the whole anywhere, neither in memory nor in a file. It can be sent again if each of its parts can.
    ///
    /// - Parameter encodingMemoryThreshold: The length in bytes below which parts in memory are put together before they
    ///   are sent; 10,000,000 by default, and with zero nothing is.
    /// - Returns: The content; its length is known if that of each part is.
    /// - Throws: `ApusError`: `multipartEncodingFailed` where the boundary is the user's and stands in a part;
    ///   `bodyNotReplayable` where a part is a stream that could be read once, and was.
    public func makeBody(
        encodingMemoryThreshold: Int = Self.encodingMemoryThreshold
    ) throws(ApusError) -> RequestBody {
        try checkParts()
        let length = contentLength
        if let length, length < encodingMemoryThreshold, parts.allSatisfy(\.content.isInMemory) {
            return .chunk(inMemory)
        }
        let chunks = MultipartChunks(self)
        if isReadOnce { return .once(length: length, chunks) }
        return .replayable(length: length, pieces: { [self] in pieces }) { chunks }
    }

    /// The form as bytes, with files and streams read to their ends.
    ///
    /// - Parameter limit: The most bytes that it may have; `encodingMemoryThreshold` by default.
    /// - Returns: The bytes.
    /// - Throws: `ApusError`: `multipartEncodingFailed` where it is longer or a part can't be read, or what `makeBody()`
    ///   throws, or the reading of its files.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the reading.
    public func encode(upTo limit: Int = Self.encodingMemoryThreshold) async throws(ApusError) -> Data {
        let tooLong = ApusError(
            .multipartEncodingFailed,
            "it is longer than \(limit) bytes; send it as makeBody(), or raise the limit"
        )
        if let contentLength, contentLength > limit { throw tooLong }
        var data = Data()
        // What a stream promises is no proof that it comes.
        data.reserveCapacity(min(Int(clamping: contentLength ?? 0), Self.encodingMemoryThreshold))
        let read = try reading()
        while let chunk = try await read() {
            guard data.count + chunk.count <= limit else { throw tooLong }
            data.append(chunk)
        }
        return data
    }

    /// Writes the form to a file, chunk by chunk.
    ///
    /// - Parameter fileURL: The file, which must not be there yet. A failure leaves nothing behind.
    /// - Throws: `ApusError`: `fileUnwritable` where the file is there, or can't be made or written, because the disk is
    ///   full for example; `multipartEncodingFailed` where a part can't be read; or what `makeBody()` throws.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the writing, and takes the file away.
    public func writeEncodedData(to fileURL: URL) async throws(ApusError) {
        let read = try reading()
        _ = try await FileSink(at: fileURL, replaces: false).write(read)
    }

    /// Reads the form from its first byte on.
    private func reading() throws(ApusError) -> () async throws(ApusError) -> BodyChunk? {
        try checkParts()
        var iterator = MultipartChunks(self).makeAsyncIterator()
        return { () async throws(ApusError) in try await iterator.next() }
    }

    private var isReadOnce: Bool {
        parts.contains { part in
            if case .body(let body) = part.content { body.isReadOnce } else { false }
        }
    }

    /// The whole form, where every part is in memory.
    private var inMemory: BodyChunk {
        var gathered = GatheredBytes()
        for index in 0...parts.count {
            gathered.append(envelope(ahead: index))
            if index < parts.count, case .memory(let data) = parts[index].content { gathered.append(data) }
        }
        return gathered.chunk
    }

    /// What the form is made of, where no part is a stream.
    private var pieces: [BodyPiece]? {
        var pieces: [BodyPiece] = []
        for index in 0...parts.count {
            pieces.append(.bytes(envelope(ahead: index)))
            guard index < parts.count else { break }
            switch parts[index].content {
            case .memory(let data): pieces.append(.bytes(data))
            case .body(let body):
                guard let own = body.pieces else { return nil }
                pieces += own
            }
        }
        return pieces
    }

    private func checkParts() throws(ApusError) {
        for part in parts {
            guard mark.isRandom || !part.hasLine(beginningWith: mark) else {
                throw part.failure(
                    ApusError(
                        .multipartEncodingFailed,
                        "a line of it begins with the boundary '\(boundary)'; choose another one, or none"
                    )
                )
            }
            guard case .body(let body) = part.content, !body.isReplayable else { continue }
            throw part.failure(ApusError(.bodyNotReplayable, "its stream can be read once only, and was"))
        }
    }
}

extension MultipartPart {
    /// Whether a line of its fields, or of its content where that is in memory, would be taken for a delimiter.
    fileprivate func hasLine(beginningWith boundary: MultipartBoundary) -> Bool {
        if boundary.beginsLine(of: head) { return true }
        return if case .memory(let data) = content { boundary.beginsLine(of: data) } else { false }
    }
}
