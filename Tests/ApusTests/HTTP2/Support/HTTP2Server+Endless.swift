import Apus

/// Responses without an end, for tests of back-pressure.
extension HTTP2Server {
    /// Sends bytes without end, except for paths that do not begin with `/endless`.
    static let endless: Responder = { stream in
        guard stream.request.path.hasPrefix("/endless") else { return await stream.respond("small") }
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 10)
        stream.head()
        while await stream.send(chunk) {}
    }

    /// Returns the number of bytes that the server has sent, once the windows allow no more.
    func sentBytes(of stream: HTTP2ServerStream, _ session: Session) async throws -> Int {
        await stream.progress.wait { $0.isBlocked }
        var last = -1
        while stream.progress.value.sentBytes != last {
            last = stream.progress.value.sentBytes
            // Complete exchanges on the same connection give all pending events time to finish.
            for _ in 0..<5 { try await session.get(url("/")).validate() }
        }
        return last
    }
}
