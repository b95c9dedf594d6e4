internal import Apus
internal import HTTPTypes

/// The compression requested with `--compress`.
enum CompressionMode: Equatable {
    case off
    /// The body is compressed if that makes it shorter.
    case economic
    /// The body is always compressed.
    case always

    /// The maximum size of a compressed body that is held in memory, so that its length is known.
    private static let heldBytes = 16 << 20

    /// Returns the request with its body compressed with deflate, if that is requested and there is a body.
    func applied(to request: RequestMessage) async throws -> RequestMessage {
        guard self != .off, !request.body.isNone else { return request }
        // Files of procfs report no length, so they are read to their end.
        let length = if let length = request.body.length { length } else { try await Self.length(of: request.body) }
        guard length > 0 else { return request }
        if let coding = request.fields[.contentEncoding] {
            throw CommandFault(
                "--compress encodes the body, but an item sets the Content-Encoding '\(coding)'; drop one of the two"
            )
        }
        var coded = try request.compressed(with: RequestCompression(.deflate, minimumBytes: 0))
        let reader = try await coded.body.open()
        // Count a body even if it is too long to hold, to find out whether it gets shorter.
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
