extension ResponseBody {
    /// The lines of the body, as text in UTF-8. A line has at most `BodyLines.defaultLimitBytes`.
    ///
    /// ```swift
    /// let log = try await session.stream("https://api.example.org/log")
    /// for try await line in log.body.lines {
    ///     print(line)
    /// }
    /// ```
    public var lines: BodyLines { BodyLines(body: self, limitBytes: BodyLines.defaultLimitBytes) }

    /// Returns the lines of the body, as text in UTF-8.
    ///
    /// - Parameter limitBytes: The maximum length of a line in bytes, without its end. A longer line throws
    ///   `bodyTooLarge`.
    /// - Returns: The lines, which are read while the sequence is iterated.
    public func lines(limitBytes: Int) -> BodyLines { BodyLines(body: self, limitBytes: limitBytes) }
}

/// The lines of a response body, as text.
///
/// A line ends with LF or CRLF, as in NDJSON, logs and other text of servers. Unlike in `AsyncLineSequence` of
/// Foundation, a lone CR and the separators of Unicode, such as U+2028, do not end a line, since the strings of JSON
/// may contain them. Empty lines are kept. A line is returned as soon as its LF has arrived. The last line needs no
/// end, and an end adds no empty line after it.
///
/// The text is decoded as UTF-8, also if the `charset` of the response is another. Invalid sequences become U+FFFD. A
/// character that is split between two chunks is not cut. A byte order mark at the start of the body is removed.
///
/// The body is read with back-pressure, one chunk at a time, and only once: a second iteration throws
/// `bodyAlreadyRead`. If a line is too long, the exchange is cancelled.
///
/// ## Cancellation
/// Cancelling the reading task ends the exchange, as does releasing the body before its end. With HTTP/1.1 this closes
/// the connection.
public struct BodyLines: AsyncSequence, Sendable {
    public typealias Element = String
    public typealias Failure = ApusError

    /// The maximum length of a line in bytes, unless another limit is given: 1 MiB.
    public static let defaultLimitBytes = 1 << 20

    let body: ResponseBody
    let limitBytes: Int

    public func makeAsyncIterator() -> Iterator { Iterator(reader: LineReader(body, limitBytes: limitBytes)) }

    /// Reads the body line by line.
    public struct Iterator: AsyncIteratorProtocol {
        var reader: LineReader

        /// Returns the next line without its end, or `nil` after the last.
        ///
        /// - Throws: `ApusError`: `bodyTooLarge` with the number of a line that is too long, or an error of reading the
        ///   body. A line that was not received completely is not returned then.
        public mutating func next() async throws(ApusError) -> String? {
            guard let line = try await reader.next() else { return nil }
            return String(line)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ApusError) -> String? {
            try await next()
        }
    }
}
