public import ApusCore

/// Compresses the body of every request of a session.
///
/// As part of the session's `middleware` it runs before redirects are followed. A repeated request reuses its
/// compressed body, and a redirect that drops the body also drops the `Content-Encoding`. A `RequestCompression` among
/// the options of a request takes precedence. A session without a compressor applies this option too.
///
/// Bodies in memory of up to 1 MiB are compressed before they are sent, so that their length is known. All others are
/// compressed while they are sent.
public struct RequestCompressor: Middleware {
    /// The largest body that is compressed as a whole, in bytes.
    private static let wholeBytes = 1 << 20

    private let compression: RequestCompression

    /// Creates a compressor.
    ///
    /// - Parameter compression: The compression for requests that set none in their options. With `.off`, only requests
    ///   that set one are compressed. Default: `.gzip`.
    public init(_ compression: RequestCompression = .gzip) {
        self.compression = compression
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let own = request.options[RequestCompression.self]
        var request = try await compressed(request, own ?? compression)
        // The rest of the chain must not apply it again.
        if own != nil { request.options[RequestCompression.self] = .off }
        return try await next(request, context: context)
    }

    private func compressed(
        _ request: RequestMessage,
        _ compression: RequestCompression
    ) async throws(ApusError) -> RequestMessage {
        guard try compression.applies(to: request) else { return request }
        guard let bytes = request.body.bytesInMemory, bytes.count <= Self.wholeBytes,
            bytes.count > RequestCompression.longBytes
        else { return try compression.compressed(request) }
        return try await offEventLoop { () throws(ApusError) in try compression.compressed(request, bytes) }
    }
}
