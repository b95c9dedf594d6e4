public import ApusCore

/// Compresses the content of every request of a session.
///
/// It stands among the session's `middleware`, and so outside of redirects: what is sent again goes out as it was
/// compressed, and what a redirect drops it drops with its `Content-Encoding`. A request with a `RequestCompression`
/// among its options is compressed as that says.
///
/// Contents in memory are compressed before they are sent, up to 1 MiB, so that their length is known; the others as
/// they are sent.
public struct RequestCompressor: Middleware {
    /// What is compressed as a whole.
    private static let wholeBytes = 1 << 20

    private let compression: RequestCompression

    /// Makes a compressor.
    ///
    /// - Parameter compression: How, for requests that do not say otherwise; gzip by default. With `.off` only those
    ///   are compressed that ask for it.
    public init(_ compression: RequestCompression = .gzip) {
        self.compression = compression
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = try await compressed(request, context[RequestCompression.self] ?? compression)
        return try await next(request, context: context)
    }

    private func compressed(
        _ request: RequestMessage,
        _ compression: RequestCompression
    ) async throws(ApusError) -> RequestMessage {
        guard try compression.applies(to: request) else { return request }
        guard case .bytes(let bytes) = request.body.storage, bytes.count <= Self.wholeBytes,
            bytes.count > RequestCompression.longBytes
        else { return try compression.compressed(request) }
        return try await offLoop { () throws(ApusError) in try compression.compressed(request, bytes) }
    }
}
