internal import Apus
internal import HTTPTypes

/// What `--compress` asks for.
enum Compression: Equatable {
    case off
    /// The body is compressed if that makes it shorter.
    case economic
    /// It is compressed in any case.
    case always

    /// Compressed contents up to this size are held in memory, so that their length can be told.
    private static let heldBytes = 16 << 20

    /// The request with its content coded as deflate, where that is wanted and there is any.
    func applied(to request: RequestMessage) async throws -> RequestMessage {
        guard self != .off, !request.body.isNone else { return request }
        // A file of procfs does not tell its length, and is read to its end to find it.
        let length = if let length = request.body.length { length } else { try await Self.length(of: request.body) }
        guard length > 0 else { return request }
        if let coding = request.fields[.contentEncoding] {
            throw CommandFault(
                "--compress codes the body, but the items say that it is coded as '\(coding)' already; drop one of the two"
            )
        }
        var coded = try request.compressed(with: RequestCompression(.deflate, minimumBytes: 0))
        let reader = try await coded.body.open()
        // What is too long to be held is counted all the same: whether it is shorter is seen at its end.
        var held: [UInt8]? = []
        var count: Int64 = 0
        while self == .economic || held != nil, let chunk = try await reader.next() {
            count += Int64(chunk.count)
            if self == .economic, count >= length { return request }
            if count > Self.heldBytes { held = nil }
            chunk.withUnsafeBytes { held?.append(contentsOf: $0) }
        }
        if let held { coded.body = .chunk(BodyChunk(held)) }
        return coded
    }

    private static func length(of body: RequestBody) async throws -> Int64 {
        let reader = try await body.open()
        var count: Int64 = 0
        while let chunk = try await reader.next() { count += Int64(chunk.count) }
        return count
    }
}
