extension RequestBody {
    /// Returns a part of the body, as a body that can be sent again.
    ///
    /// A part of a file has the recorded size and modification time of the whole, so it fails with `fileChanged` if the
    /// file was changed since then. A part of a stream is read from the first byte of the stream on, and the bytes
    /// before the part are dropped.
    ///
    /// - Parameter range: The offsets of the part, in bytes.
    /// - Returns: The part. `nil` if the length of the body is not known or smaller than the range needs, if the body
    ///   can be read only once, and if it has trailers.
    package func slice(_ range: Range<Int64>) -> RequestBody? {
        guard let length, range.lowerBound >= 0, range.upperBound <= length else { return nil }
        let count = range.upperBound - range.lowerBound
        switch storage {
        case .none:
            return .chunk(BodyChunk([]))
        case .bytes(let chunk):
            return .chunk(chunk.dropFirst(Int(range.lowerBound)).prefix(Int(count)))
        case .file(let file):
            return file.part(range).map { RequestBody(.file($0)) }
        case .replayable(_, let make, _):
            guard count > 0 else { return .chunk(BodyChunk([])) }
            return RequestBody(.replayable(length: count, make: { Self.slice(try await make(), range) }))
        case .once, .trailed:
            return nil
        }
    }

    /// The same body. If it is a file, it also fails with `fileChanged` if the file is changed while it is sent, so
    /// that the parts of two versions are never sent as one body.
    package var watched: RequestBody {
        guard case .file(let file) = storage else { return self }
        return RequestBody(.file(file.watched))
    }

    /// Returns a reader of a part of the bytes that another one reads.
    private static func slice(_ reader: BodyReader, _ range: Range<Int64>) -> BodyReader {
        var skipped = range.lowerBound
        var left = range.upperBound - range.lowerBound
        return BodyReader {
            while left > 0, let chunk = try await reader.next() {
                let dropped = min(skipped, Int64(chunk.count))
                skipped -= dropped
                let rest = chunk.dropFirst(Int(dropped)).prefix(Int(clamping: left))
                left -= Int64(rest.count)
                if !rest.isEmpty { return rest }
            }
            return nil
        }
    }
}
