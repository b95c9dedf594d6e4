internal import Apus
internal import ApusCore
internal import Foundation

extension RequestBody {
    /// All bytes of the body, from the first on.
    var read: Data {
        get async throws {
            let reader = try await open()
            var data = Data()
            while let chunk = try await reader.next() { data.append(chunk) }
            return data
        }
    }

    /// Whether the body is bytes in memory.
    var isInMemory: Bool {
        if case .bytes = storage { true } else { false }
    }
}

/// Returns a stream of texts that ends or throws.
func chunks(_ texts: [String], failing failure: (any Error)? = nil) -> AsyncThrowingStream<BodyChunk, any Error> {
    AsyncThrowingStream { stream in
        for text in texts { stream.yield(BodyChunk(text)) }
        stream.finish(throwing: failure)
    }
}
