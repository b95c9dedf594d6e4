package import ApusCore

/// Compresses the body of a request that has a `RequestCompression` among its options, in a session without a
/// `RequestCompressor`. All other requests cost it one look at their options.
///
/// It does not wait, so it compresses only bodies of up to 16 KiB at once. Longer ones are compressed while they are
/// sent.
package final class RequestCompressionMiddleware: SynchronousMiddleware {
    package init() {}

    package func prepare(_ request: inout RequestMessage, context: RequestContext) throws {
        guard let compression = request.options[RequestCompression.self] else { return }
        try request.compress(with: compression)
        // A compressor next to the wire must not apply it again.
        request.options[RequestCompression.self] = .off
    }
}
