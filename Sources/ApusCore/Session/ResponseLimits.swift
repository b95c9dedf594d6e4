/// The limits on data received from a peer.
public struct ResponseLimits: Sendable, Hashable {
    /// How strictly the grammar of HTTP/1.1 is enforced for responses.
    ///
    /// In both modes a response is rejected if it is ambiguous: lengths that contradict each other, a length beside
    /// chunks, a control character in a field, a chunk that is longer than its size.
    public enum Parsing: Sendable, Hashable {
        /// Accepts deviations that leave the end of a response unambiguous.
        ///
        /// A field may be folded over several lines, which are joined by spaces. A lone LF ends a line of the head and
        /// of the trailers. White space may follow a chunk size. `Transfer-Encoding: identity` means no transfer
        /// coding. `Content-Length` and `Transfer-Encoding` of a response that has no body are not checked. Bytes after
        /// a complete gzip body are ignored and counted in `ExchangeMetrics.ignoredContentBytes`.
        case lenient
        /// Rejects these deviations with an error.
        case strict
    }

    /// The maximum size of a response's status line and header section, in bytes. Default: 64 KiB.
    public var responseHeadBytes = 64 << 10
    /// The maximum size of one field line, in bytes. Default: 16 KiB.
    public var fieldBytes = 16 << 10
    /// The maximum number of field lines in one section. Default: 256.
    public var fieldCount = 256
    /// The maximum number of informational responses before the final one. Default: 32.
    public var informationalResponses = 32
    /// The maximum size of the line before a chunk, in bytes. Default: 64.
    public var chunkSizeLineBytes = 64
    /// The maximum size of the trailer section, in bytes. Default: 16 KiB.
    public var trailerBytes = 16 << 10
    /// The maximum size of a body that is collected in memory, in bytes. Default: 256 MiB.
    public var collectedBodyBytes = 256 << 20
    /// The maximum size of a rejected response's body that its error keeps, in bytes. Default: 1 MiB.
    public var errorBodyBytes = 1 << 20
    /// The maximum ratio of decoded to received body size, beyond `expansionFloorBytes`. Default: 256.
    public var expansionRatio = 256
    /// The decoded size below which the ratio is not limited, in bytes. Default: 1 MiB.
    public var expansionFloorBytes = 1 << 20
    /// The maximum number of stacked content codings. Default: 5.
    public var stackedCodings = 5
    /// How strictly the grammar of HTTP/1.1 is enforced for responses. Default: `.lenient`.
    public var parsing = Parsing.lenient

    /// Creates the default limits.
    public init() {}
}
