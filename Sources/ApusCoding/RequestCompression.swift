public import ApusCore
internal import HTTPTypes

/// Defines how request bodies are compressed. As a request option, it applies to a single request.
///
/// The option needs no `RequestCompressor` in the session. Without one, bodies in memory of up to 16 KiB are
/// compressed before they are sent. All others are compressed while they are sent, in chunks and without a length. An
/// adapter may set the option too. Network middleware comes too late for it.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.middleware = [RequestCompressor(.gzip)]
/// let session = Session(configuration: configuration)
/// let image = try RequestBody.file(URL(filePath: "/tmp/photo.jpg"))
/// let response = try await session.put(
///     "https://api.example.org/photo",
///     body: image,
///     options: [RequestCompression.off]
/// )
/// ```
///
/// A client can't know beforehand whether a server accepts compressed bodies. A server that does not responds with 415
/// (Unsupported Media Type), or misreads the body.
///
/// See RFC 9110 §8.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4
public struct RequestCompression: RequestOption {
    /// The content coding of a compressed body.
    public enum Coding: String, Sendable, Hashable {
        /// The gzip format of RFC 1952.
        case gzip
        /// The zlib format of RFC 1950, called `deflate` in RFC 9110.
        case deflate
    }

    /// How to treat a request that already has a `Content-Encoding`.
    public enum DuplicateField: Sendable, Hashable {
        /// The request fails with `invalidField`.
        case error
        /// The body is compressed, and the field is replaced by the coding.
        case replace
        /// The request is sent unchanged.
        case skip
    }

    /// Bodies above this many bytes are compressed off the event loop: 16 KiB.
    static let longBytes = 16 << 10

    /// The content coding. Default: `.gzip`.
    public var coding: Coding
    /// The compression level, from 0 (stored) to 9 (slowest). Other values are clamped. Default: 6.
    public var level: Int
    /// How to treat a request that already has a `Content-Encoding`. Default: `.error`.
    public var duplicateField: DuplicateField
    /// Bodies with a known length below this, and empty ones, are not compressed. Default: 1024 bytes.
    public var minimumBytes: Int
    /// Whether to compress the body of a request. Called only if it is not too short. It must not block, since it may
    /// run on the event loop. By default, always returns true.
    public var shouldCompress: @Sendable (RequestMessage) -> Bool

    /// gzip, with default values.
    public static let gzip = RequestCompression(.gzip)
    /// deflate, with default values.
    public static let deflate = RequestCompression(.deflate)
    /// No compression.
    public static let off = RequestCompression { _ in false }

    /// Creates a compression.
    ///
    /// - Parameters:
    ///   - coding: The content coding. Default: `.gzip`.
    ///   - level: The compression level, from 0 to 9. Default: 6.
    ///   - duplicateField: How to treat a request that already has a `Content-Encoding`. Default: `.error`.
    ///   - minimumBytes: Bodies with a known length below this are not compressed. Default: 1024.
    ///   - shouldCompress: Whether to compress the body of a request. By default, always returns true.
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

    /// Whether the body of a request is to be compressed.
    ///
    /// - Throws: `ApusError` with the code `invalidField` for an existing `Content-Encoding`, in the case of `.error`.
    func applies(to request: RequestMessage) throws(ApusError) -> Bool {
        // The sender of such a body counts its bytes.
        guard request.options[ManagedTransfer.self] == nil else { return false }
        guard request.body.length.map({ $0 > 0 && $0 >= Int64(minimumBytes) }) ?? true, shouldCompress(request) else {
            return false
        }
        guard let present = request.fields[.contentEncoding] else { return true }
        switch duplicateField {
        case .error:
            throw ApusError(
                .invalidField,
                "it already has the Content-Encoding '\(present)', so it can't be compressed; remove the field, or set "
                    + "duplicateField to .replace or .skip"
            )
        case .replace: return true
        case .skip: return false
        }
    }

    /// Returns the request with its body coded. Short bodies are coded now, all others while they are sent.
    func compressed(_ request: RequestMessage) throws(ApusError) -> RequestMessage {
        if let bytes = request.body.bytesInMemory, bytes.count <= Self.longBytes {
            return try compressed(request, bytes)
        }
        let content = CompressedContent(content: request.body, format: format, level: boundedLevel)
        return coded(request, as: request.body.isReadOnce ? .once(content) : .replayable { content })
    }

    /// Returns the request with its body, given as `bytes`, coded now.
    func compressed(_ request: RequestMessage, _ bytes: BodyChunk) throws(ApusError) -> RequestMessage {
        coded(request, as: .chunk(try Deflater.deflate(bytes, format, level: boundedLevel)))
    }

    private func coded(_ request: RequestMessage, as body: RequestBody) -> RequestMessage {
        var request = request
        request.body = body.with(request.body.trailerMaker)
        request.fields[.contentEncoding] = coding.rawValue
        // A length set by the caller would be that of the uncompressed body.
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
    /// Returns the request with its body compressed.
    ///
    /// Up to 16 KiB in memory are compressed immediately. Any other body is compressed while it is sent, so its length
    /// is not known beforehand and it is sent in chunks. A replayable body stays replayable, and a stream that can be
    /// read once can still be read once. A stream's errors are thrown when the request is sent.
    ///
    /// - Parameter compression: How to compress the body, and which requests to leave unchanged.
    /// - Returns: The request with a `Content-Encoding`, or the unchanged request if it is not to be compressed.
    /// - Throws: `ApusError` with the code `invalidField` for an existing `Content-Encoding`, in the case of `.error`.
    public func compressed(with compression: RequestCompression) throws(ApusError) -> RequestMessage {
        try compression.applies(to: self) ? try compression.compressed(self) : self
    }

    /// Compresses the body in place, like `compressed(with:)`.
    ///
    /// - Parameter compression: How to compress the body, and which requests to leave unchanged.
    /// - Throws: `ApusError` with the code `invalidField` for an existing `Content-Encoding`, in the case of `.error`.
    public mutating func compress(with compression: RequestCompression) throws(ApusError) {
        self = try compressed(with: compression)
    }
}
