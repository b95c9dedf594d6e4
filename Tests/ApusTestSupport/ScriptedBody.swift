package import ApusCore
package import HTTPTypes

/// A body with fixed chunks that counts its reads, cancellations and discards.
package final class ScriptedBody: BodySource {
    private struct State {
        var chunks: [BodyChunk]
        var failure: ApusError?
        var reads = 0
        var cancels = 0
        var discards = 0
    }

    private let state: Lock<State>
    package let trailers: HTTPFields?

    package init(_ chunks: [String], failure: ApusError? = nil, trailers: HTTPFields? = nil) {
        self.state = Lock(State(chunks: chunks.reversed().map { BodyChunk($0) }, failure: failure))
        self.trailers = trailers
    }

    package var reads: Int { state.withLock { $0.reads } }
    package var cancels: Int { state.withLock { $0.cancels } }
    package var discards: Int { state.withLock { $0.discards } }

    package func next() async throws(ApusError) -> BodyChunk? {
        let (chunk, failure) = state.withLock { state -> (BodyChunk?, ApusError?) in
            state.reads += 1
            let chunk = state.chunks.popLast()
            return (chunk, chunk == nil ? state.failure : nil)
        }
        if let failure { throw failure }
        return chunk
    }

    package func cancel() { state.withLock { $0.cancels += 1 } }

    package func discard() { state.withLock { $0.discards += 1 } }
}
