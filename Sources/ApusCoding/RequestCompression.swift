public import ApusCore
internal import HTTPTypes

/// How the content of requests is compressed; as an option, how that of a single request is.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.middleware = [RequestCompressor(.gzip)]
/// let session = Session(configuration: configuration)
/// let image = try RequestBody.file(URL(filePath: "/tmp/photo.jpg"))
/// let answer = try await session.put(
///     "https://api.example.org/photo",
///     body: image,
///     options: [RequestCompression.off]
/// )
/// ```
///
/// A server does not say beforehand whether it takes compressed content: one that does not answers with 415 (Unsupported
/// Media Type), or reads nonsense.
///
/// See RFC 9110 §8.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4
public struct RequestCompression: RequestOption {
    /// How the content is coded.
    public enum Coding: String, Sendable, Hashable {
        /// RFC 1952.
        case gzip
        /// The zlib format of RFC 1950, which is what RFC 9110 calls by this name.
        case deflate
    }

    /// What becomes of a request that says already how its content is coded.
    public enum DuplicateField: Sendable, Hashable {
        /// It fails with `invalidField`.
        case error
        /// The content is compressed, and the field says that alone.
        case replace
        /// It is sent as it is.
        case skip
    }

    /// Contents above this many bytes are compressed off the event loop: 16 KiB.
    static let longBytes = 16 << 10

    /// How the content is coded. gzip.
    public var coding: Coding
    /// From 0, which only wraps the content up, to 9, the slowest; what is beyond counts as the nearest. 6.
    public var level: Int
    /// What becomes of a request that has a `Content-Encoding` already. It fails.
    public var duplicateField: DuplicateField
    /// Contents that are known to have fewer bytes are left as they are, and so is one of none. 1024.
    public var minimumBytes: Int
    /// Asked last whether a request's content is to be compressed. It always is.
    public var shouldCompress: @Sendable (RequestMessage) -> Bool

    /// gzip, with the defaults of everything.
    public static let gzip = RequestCompression(.gzip)
    /// deflate, with the defaults of everything.
    public static let deflate = RequestCompression(.deflate)
    /// Nothing is compressed.
    public static let off = RequestCompression { _ in false }

    /// Makes a compression.
    ///
    /// - Parameters:
    ///   - coding: How the content is coded; gzip by default.
    ///   - level: From 0 to 9; 6 by default.
    ///   - duplicateField: What becomes of a request that has a `Content-Encoding` already; it fails by default.
    ///   - minimumBytes: Contents that are known to have fewer bytes are left as they are; 1024 by default.
    ///   - shouldCompress: Whether a request's content is to be compressed; it always is by default.
    public init(
        _ coding: Coding = .gzip,
        level: Int = 6,
        duplicateField: DuplicateField = .error,
        minimumBytes: Int = 1024,
        shouldCompress: @escaping @Sendable (RequestMessage) -> Bool = { _ in true }
    ) {
        self.coding = coding
        self.level = level
        self.duplicateField = duplicateField
        self.minimumBytes = minimumBytes
        self.shouldCompress = shouldCompress
    }

    /// Whether there is anything to compress.
    ///
    /// - Throws: `ApusError` with the code `invalidField` where the request has a `Content-Encoding` already.
    func applies(to request: RequestMessage) throws(ApusError) -> Bool {
        guard request.body.length.map({ $0 > 0 && $0 >= Int64(minimumBytes) }) ?? true, shouldCompress(request) else {
            return false
        }
        guard let present = request.fields[.contentEncoding] else { return true }
        switch duplicateField {
        case .error:
            throw ApusError(
                .invalidField,
                "its Content-Encoding is '\(present)' before it is compressed; leave the field out, or say with "
                    + "duplicateField what is to become of it"
            )
        case .replace: return true
        case .skip: return false
        }
    }

    /// The request with its content coded: what is short at once, everything else as it is sent.
    func compressed(_ request: RequestMessage) throws(ApusError) -> RequestMessage {
        if case .bytes(let bytes) = request.body.storage, bytes.count <= Self.longBytes {
            return try compressed(request, bytes)
        }
        let content = CompressedContent(content: request.body, format: format, level: boundedLevel)
        return coded(request, as: request.body.isReadOnce ? .once(content) : .replayable { content })
    }

    /// The request with its content, which is `bytes`, coded at once.
    func compressed(_ request: RequestMessage, _ bytes: BodyChunk) throws(ApusError) -> RequestMessage {
        coded(request, as: .chunk(try Deflater.deflate(bytes, format, level: boundedLevel)))
    }

    private func coded(_ request: RequestMessage, as body: RequestBody) -> RequestMessage {
        var request = request
        request.body = body
        request.fields[.contentEncoding] = coding.rawValue
        // It would be that of the content as it was.
        request.fields[.contentLength] = nil
        return request
    }

    private var format: Deflater.Format {
        switch coding {
        case .gzip: .gzip
        case .deflate: .zlib
        }
    }

    private var boundedLevel: Int { min(max(level, 0), 9) }
}

extension RequestMessage {
    /// The request with its content compressed.
    ///
    /// Up to 16 KiB in memory are compressed at once. Everything else is as it is sent, so that its length is not known
    /// beforehand and it goes out in chunks: what could be sent a second time still can, and a stream that can be read
    /// once still can be once. What is wrong with a stream is told to who sends it.
    ///
    /// - Parameter compression: How, and what is left as it is.
    /// - Returns: The request with a `Content-Encoding`, or the request itself where there was nothing to compress.
    /// - Throws: `ApusError` with the code `invalidField` where it has a `Content-Encoding` already.
    public func compressed(with compression: RequestCompression) throws(ApusError) -> RequestMessage {
        try compression.applies(to: self) ? try compression.compressed(self) : self
    }

    /// Compresses the content, as `compressed(with:)` does.
    ///
    /// - Parameter compression: How, and what is left as it is.
    /// - Throws: `ApusError` with the code `invalidField` where it has a `Content-Encoding` already.
    public mutating func compress(with compression: RequestCompression) throws(ApusError) {
        self = try compressed(with: compression)
    }
}
