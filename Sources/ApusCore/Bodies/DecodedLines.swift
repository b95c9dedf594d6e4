public import ApusJSON
internal import Foundation

extension ResponseBody {
    /// Returns the values of a body with one JSON text in each line (NDJSON, JSON Lines).
    ///
    /// ```swift
    /// let response = try await session.stream("https://api.example.org/users.ndjson")
    /// for try await user in response.body.decoded(User.self) {
    ///     print(user.name)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Decodes one line. Default: `JSONContentDecoder`.
    ///   - limitBytes: The maximum length of a line in bytes, without its end. A longer line throws `bodyTooLarge`.
    ///     Default: `BodyLines.defaultLimitBytes`.
    /// - Returns: The values, which are read and decoded while the sequence is iterated.
    public func decoded<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONContentDecoder(),
        limitBytes: Int = BodyLines.defaultLimitBytes
    ) -> DecodedLines<Value> {
        DecodedLines(body: self, decoder: decoder, limitBytes: limitBytes)
    }
}

/// The values of a response body with one JSON text in each line (NDJSON, JSON Lines).
///
/// Lines end as in ``BodyLines``. Lines that are empty, or have only spaces and tabs, are skipped. JSON texts that span
/// several lines, and the record separators of RFC 7464, are not supported.
///
/// A line that can't be decoded ends the sequence and cancels the exchange. The error names the line. To skip such
/// lines instead, iterate over `lines` and decode each of them.
///
/// The body is read with back-pressure, one chunk at a time, and only once: a second iteration throws
/// `bodyAlreadyRead`. Values are decoded in the reading task.
///
/// ## Cancellation
/// Cancelling the reading task ends the exchange, as does releasing the body before its end. With HTTP/1.1 this closes
/// the connection.
///
/// See https://github.com/ndjson/ndjson-spec
public struct DecodedLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = ApusError

    let body: ResponseBody
    let decoder: any DataDecoder
    let limitBytes: Int

    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: LineReader(body, limitBytes: limitBytes), decoder: decoder)
    }

    /// Reads and decodes the body line by line.
    public struct Iterator: AsyncIteratorProtocol {
        var reader: LineReader
        let decoder: any DataDecoder

        /// Returns the next value, or `nil` after the last.
        ///
        /// - Throws: `ApusError`: `decodingFailed` with the number of the line and the position in its JSON,
        ///   `bodyTooLarge` with the number of a line that is too long, or an error of reading the body.
        public mutating func next() async throws(ApusError) -> Value? {
            while let line = try await reader.next() {
                guard !line.isBlank else { continue }
                do throws(ApusError) {
                    let subject = "line \(reader.lineNumber)"
                    return try decoder.decodeReporting(Value.self, from: Data(line), subject: subject)
                } catch {
                    throw reader.refusing(error)
                }
            }
            return nil
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ApusError) -> Value? {
            try await next()
        }
    }
}

extension BodyChunk {
    /// Whether the chunk has only bytes that are white space in JSON.
    var isBlank: Bool {
        withUnsafeBytes { $0.allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) } }
    }
}
