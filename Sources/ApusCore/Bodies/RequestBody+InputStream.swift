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

    /// Returns a body that is read once from a stream of Foundation, while it is sent.
    ///
    /// ```swift
    /// let once = RequestBody.inputStream(length: 6, InputStream(data: Data("a line".utf8)))
    /// ```
    ///
    /// The body takes the stream over: it opens, reads and closes it on a queue of its own. A redirect, a challenge or
    /// a retry that needs the body again fails with the code `bodyNotReplayable`. A stream that can't be read, or that
    /// was read or closed before, fails the request with `requestBodyFailed`.
    ///
    /// - Parameters:
    ///   - length: The length in bytes. `nil` or a negative number sends the body chunked. Default: `nil`.
    ///   - stream: The stream. The caller must not use it any more.
    /// - Returns: The body.
    public static func inputStream(length: Int64? = nil, _ stream: sending InputStream) -> RequestBody {
        .once(length: length, InputStreamChunks(stream))
    }
}
