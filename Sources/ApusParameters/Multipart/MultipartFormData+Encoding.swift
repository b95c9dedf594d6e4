public import ApusCore
public import Foundation

extension MultipartFormData {
    /// Returns the form as the body of a request.
    ///
    /// If it is short and all parts are in memory, it is encoded to bytes. Otherwise it is streamed from its parts,
    /// without a complete copy in memory or in a file. It can be resent if each of its parts can.
    ///
    /// - Parameter encodingMemoryThreshold: The length in bytes below which a form with all parts in memory is encoded
    ///   before it is sent. With 0 every form is streamed. Default: 10,000,000.
    /// - Returns: The body. Its length is known if the length of each part is.
    /// - Throws: `ApusError`: `multipartEncodingFailed` if a part contains the user's boundary, or `bodyNotReplayable`
    ///   if a part is a stream that can be read only once and has been read.
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

    /// Encodes the form to bytes, and reads its files and streams to the end.
    ///
    /// - Parameter limit: The maximum number of bytes. Default: `encodingMemoryThreshold`.
    /// - Returns: The bytes.
    /// - Throws: `ApusError`: `multipartEncodingFailed` if the form exceeds `limit` or a part can't be read, or any
    ///   error of `makeBody()` or of reading its files.
    ///
    /// ## Cancellation
    /// Cancelling the task stops reading.
    public func encode(upTo limit: Int = Self.encodingMemoryThreshold) async throws(ApusError) -> Data {
        let tooLong = ApusError(
            .multipartEncodingFailed,
            "it is longer than \(limit) bytes; send it with makeBody(), or raise the limit"
        )
        if let contentLength, contentLength > limit { throw tooLong }
        var data = Data()
        // The declared length of a stream may be wrong, so memory is not reserved for all of it.
        data.reserveCapacity(min(Int(clamping: contentLength ?? 0), Self.encodingMemoryThreshold))
        let read = try reading()
        while let chunk = try await read() {
            guard data.count + chunk.count <= limit else { throw tooLong }
            data.append(chunk)
        }
        return data
    }

    /// Writes the form to a file in chunks.
    ///
    /// - Parameter fileURL: The file, which must not exist. It is removed after a failure.
    /// - Throws: `ApusError`: `fileExists` if there is a file already, `fileUnwritable` if it can't be created or
    ///   written, for example because the disk is full, `multipartEncodingFailed` if a part can't be read, or any
    ///   error of `makeBody()`.
    ///
    /// ## Cancellation
    /// Cancelling the task stops writing and removes the file.
    public func writeEncodedData(to fileURL: URL) async throws(ApusError) {
        let read = try reading()
        try await PartialFile.writeWhole(at: fileURL, replaces: false, read)
    }

    /// Returns a closure that reads the form from its first byte.
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

    /// The encoded form, if all parts are in memory.
    private var inMemory: BodyChunk {
        var gathered = GatheredBytes()
        for index in 0...parts.count {
            gathered.append(envelope(ahead: index))
            if index < parts.count, case .memory(let data) = parts[index].content { gathered.append(data) }
        }
        return gathered.chunk
    }

    /// The pieces of the form, if no part is a stream.
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
                        "one of its lines begins with the boundary '\(boundary)'; choose another boundary, or none"
                    )
                )
            }
            guard case .body(let body) = part.content, !body.isReplayable else { continue }
            throw part.failure(ApusError(.bodyNotReplayable, "its stream can be read only once, and was read already"))
        }
    }
}

extension MultipartPart {
    /// Returns whether a line of its fields, or of its body in memory, could be taken for a delimiter.
    fileprivate func hasLine(beginningWith boundary: MultipartBoundary) -> Bool {
        if boundary.beginsLine(of: head) { return true }
        return if case .memory(let data) = content { boundary.beginsLine(of: data) } else { false }
    }
}
