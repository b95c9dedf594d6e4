internal import ApusCore

extension RequestBody {
    /// Longer bodies are hashed off the event loop.
    private static let longBytes: Int64 = 16 << 10

    /// Reads the whole body and returns its hash. The body can still be sent afterwards.
    ///
    /// - Parameters:
    ///   - function: The hash function.
    ///   - purpose: The feature that needs the hash, for the error message.
    /// - Returns: The hash.
    /// - Throws: `ApusError` with the code `bodyNotReplayable` if the body can be read only once, or the error of
    ///   reading it.
    func hash(_ function: HashFunction, for purpose: String) async throws(ApusError) -> [UInt8] {
        guard !isReadOnce else {
            throw ApusError(
                .bodyNotReplayable,
                "\(purpose) needs the hash of the body before it is sent, but the body can be read only once"
            )
        }
        if let length, length <= Self.longBytes { return try await read(into: HashStream(function)) }
        return try await offEventLoop { () async throws(ApusError) in try await read(into: HashStream(function)) }
    }

    private func read(into stream: consuming HashStream) async throws(ApusError) -> [UInt8] {
        var stream = stream
        do {
            let reader = try await open()
            while let chunk = try await reader.next() { stream.update(chunk) }
        } catch {
            throw ApusError(wrapping: error, as: .requestBodyFailed, by: "its stream")
        }
        return stream.finalize()
    }
}
