/// Limits the resources that one HTTP/1.1 response may use in the parser.
///
/// Each limit is inclusive: a response may reach it. One more is an error that names the limit.
package struct HTTP1Limits: Sendable, Hashable {
    /// The maximum size of a response head in bytes, from the status line to the empty line inclusive.
    package var responseHeadBytes: Int

    /// The maximum size of a head or trailer line in bytes, without its line end. A folded field is one line.
    package var fieldBytes: Int

    /// The maximum number of field lines in one head, and in one trailer section.
    package var fieldCount: Int

    /// The maximum number of informational (1xx) responses before a final response.
    package var informationalResponses: Int

    /// The maximum size of a chunk-size line in bytes, with its extensions and without its CRLF.
    package var chunkSizeLineBytes: Int

    /// The maximum size of a trailer section in bytes, with the empty line that ends it.
    package var trailerBytes: Int

    /// Whether to reject deviations that leave the end of a response unambiguous: an obs-fold, a lone LF at the end of
    /// a line, blanks after a chunk size, `Transfer-Encoding: identity`, and the framing fields of responses without
    /// content.
    package var isStrict: Bool

    /// Creates limits. Every parameter has the library's default.
    ///
    /// - Parameters:
    ///   - responseHeadBytes: The maximum size of a response head. Default: 64 KiB.
    ///   - fieldBytes: The maximum size of a line without its CRLF. Default: 16 KiB.
    ///   - fieldCount: The maximum number of field lines in one section, capped at 60 000. Default: 256.
    ///   - informationalResponses: The maximum number of informational responses before a final one. Default: 32.
    ///   - chunkSizeLineBytes: The maximum size of a chunk-size line without its CRLF, in bytes. Default: 64.
    ///   - trailerBytes: The maximum size of a trailer section. Default: 16 KiB.
    ///   - isStrict: Whether to reject harmless deviations. Default: `false`.
    package init(
        responseHeadBytes: Int = 64 * 1024,
        fieldBytes: Int = 16 * 1024,
        fieldCount: Int = 256,
        informationalResponses: Int = 32,
        chunkSizeLineBytes: Int = 64,
        trailerBytes: Int = 16 * 1024,
        isStrict: Bool = false
    ) {
        self.responseHeadBytes = responseHeadBytes
        self.fieldBytes = fieldBytes
        self.fieldCount = fieldCount
        self.informationalResponses = informationalResponses
        self.chunkSizeLineBytes = chunkSizeLineBytes
        self.trailerBytes = trailerBytes
        self.isStrict = isStrict
    }
}
