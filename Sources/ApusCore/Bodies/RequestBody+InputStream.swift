public import Foundation

extension RequestBody {
    /// Returns a body that is read from a stream of Foundation while it is sent.
    ///
    /// ```swift
    /// let body = RequestBody.inputStream { InputStream(fileAtPath: path) }
    /// let response = try await session.post("https://api.example.org/log", body: body)
    /// ```
    ///
    /// Reading may block: each stream is made, opened and read on a queue of its own, in chunks of at most 256 KiB, one
    /// of them ahead. The body can be sent again, since each attempt gets a new stream. A stream that is closed or at
    /// its end is rejected.
    ///
    /// If the stream can't be made or read, the request fails with the code `requestBodyFailed`. The error of `make` or
    /// of the stream is `underlying`.
    ///
    /// - Parameters:
    ///   - length: The length in bytes. `nil` or a negative number sends the body chunked. Default: `nil`.
    ///   - make: Makes a new stream that starts at the first byte. With `nil`, the request fails.
    /// - Returns: The body.
    public static func inputStream(
        length: Int64? = nil,
        _ make: @escaping @Sendable () throws -> InputStream?
    ) -> RequestBody {
        .replayable(length: length) { InputStreamChunks(make) }
    }
}
