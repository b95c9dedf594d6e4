public import ApusCore

/// The compressors where a middleware is expected: `configuration.middleware = [.deflateCompressor]`.
extension Middleware where Self == RequestCompressor {
    /// Compresses request bodies with deflate.
    public static var deflateCompressor: RequestCompressor { RequestCompressor(.deflate) }

    /// Compresses request bodies with gzip.
    public static var gzipCompressor: RequestCompressor { RequestCompressor(.gzip) }
}
