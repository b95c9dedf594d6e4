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

    /// - Parameter count: How often the flag was given.
    init(count: Int) {
        self =
            switch count {
            case 0: .off
            case 1: .economic
            default: .always
            }
    }

    /// The request with its content coded as deflate, where that is wanted and there is any.
    func applied(to request: RequestMessage) async throws -> RequestMessage {
        let length = request.body.length ?? 0
        guard self != .off, length > 0 else { return request }
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
}
