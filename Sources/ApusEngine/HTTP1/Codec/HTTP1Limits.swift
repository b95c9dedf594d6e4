/// Bounds what one HTTP/1.1 response may make the parser hold or skip.
///
/// Each limit is inclusive: exactly that much passes, one more is a fault that names the limit.
package struct HTTP1Limits: Sendable, Hashable {
    /// The bytes of one response head, from the status line to the empty line inclusive.
    package var responseHeadBytes: Int

    /// The bytes of one line of a head or trailer section, without its line end; a folded field is one line.
    package var fieldBytes: Int

    /// The field lines of one head, and of one trailer section.
    package var fieldCount: Int

    /// The informational (1xx) responses ahead of one final response.
    package var informationalResponses: Int

    /// The bytes of one chunk-size line with its extensions, without its CRLF.
    package var chunkSizeLineBytes: Int

    /// The bytes of one trailer section, with the empty line that ends it.
    package var trailerBytes: Int

    /// Whether deviations are refused that leave no doubt where a response ends: an obs-fold, a lone LF at the end of a
    /// line, blanks behind a chunk size, `Transfer-Encoding: identity`, and the framing fields of responses without
    /// content.
    package var isStrict: Bool

    /// Creates limits; every parameter has the library's default.
    ///
    /// - Parameters:
    ///   - responseHeadBytes: The bytes of one response head. 64 KiB.
    ///   - fieldBytes: The bytes of one line without its CRLF. 16 KiB.
    ///   - fieldCount: The field lines of one section. 256; more than 60 000 counts as 60 000.
    ///   - informationalResponses: The informational responses ahead of one final response. 32.
    ///   - chunkSizeLineBytes: The bytes of one chunk-size line without its CRLF. 64.
    ///   - trailerBytes: The bytes of one trailer section. 16 KiB.
    ///   - isStrict: Whether harmless deviations are refused. Default: `false`.
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
