internal import Apus

/// The content of a redirect that is followed, as far as it is shown.
///
/// What of it does not come, comes late, or can't be decoded holds up nobody who follows the redirect.
enum HopContent {
    /// More of one is not kept.
    static let limitBytes = 64 << 10

    /// How long one is waited for.
    static let patience: Duration = .seconds(2)

    /// Reads what there is, and lets go of the rest.
    ///
    /// - Parameters:
    ///   - response: The redirect.
    ///   - time: The clock.
    /// - Returns: What came in time, decoded.
    static func bytes(of response: ResponseMessage, time: any RequestTime) async -> [UInt8] {
        let body = await Decompression(policy: .automatic, limits: Limits()).decoded(response).body
        let deadline = time.now.advanced(by: patience)
        return await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { await read(body) }
            group.addTask {
                try? await time.sleep(until: deadline)
                return nil
            }
            var content: [UInt8] = []
            // Who is first ends the other; a reader that is given up still has what came.
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
