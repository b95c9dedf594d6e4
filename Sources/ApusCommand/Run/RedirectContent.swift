internal import Apus

/// Reads the body of a followed redirect in order to show it.
///
/// A body that is missing, late or can't be decoded does not delay the redirect beyond `patience`.
enum RedirectContent {
    /// The number of bytes after which reading stops.
    static let limitBytes = 64 << 10

    /// The maximum time to wait for the body.
    static let patience: Duration = .seconds(2)

    /// Reads the body within the limits and discards the rest.
    ///
    /// - Parameters:
    ///   - response: The redirect.
    ///   - time: The clock.
    /// - Returns: The bytes that arrived in time, decoded.
    static func bytes(of response: ResponseMessage, time: any SessionClock) async -> [UInt8] {
        let body = await DecompressionMiddleware(policy: .automatic, limits: ResponseLimits()).decoded(response).body
        let deadline = time.now.advanced(by: patience)
        return await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { await read(body) }
            group.addTask {
                try? await time.sleep(until: deadline)
                return nil
            }
            var content: [UInt8] = []
            // The first task to finish cancels the other. A cancelled reader still returns its bytes.
            for await result in group {
                if let result { content = result }
                group.cancelAll()
            }
            return content
        }
    }

    private static func read(_ body: ResponseBody) async -> [UInt8] {
        var content: [UInt8] = []
        do {
            for try await chunk in body {
                chunk.withUnsafeBytes { content.append(contentsOf: $0) }
                if content.count > limitBytes { break }
            }
        } catch {}
        return content
    }
}
