internal import HTTPTypes

@testable internal import ApusCore

/// A body with fixed chunks that counts its reads, cancellations and discards.
final class ScriptedBody: BodySource {
    private struct State {
        var chunks: [BodyChunk]
        var failure: ApusError?
        var reads = 0
        var cancels = 0
        var discards = 0
    }

    private let state: Lock<State>
    let trailers: HTTPFields?

    init(_ chunks: [String], failure: ApusError? = nil, trailers: HTTPFields? = nil) {
        self.state = Lock(State(chunks: chunks.reversed().map { BodyChunk($0) }, failure: failure))
        self.trailers = trailers
    }

    var reads: Int { state.withLock { $0.reads } }
    var cancels: Int { state.withLock { $0.cancels } }
    var discards: Int { state.withLock { $0.discards } }

    func next() async throws(ApusError) -> BodyChunk? {
        let (chunk, failure) = state.withLock { state -> (BodyChunk?, ApusError?) in
            state.reads += 1
            let chunk = state.chunks.popLast()
            return (chunk, chunk == nil ? state.failure : nil)
        }
        if let failure { throw failure }
        return chunk
    }

    func cancel() { state.withLock { $0.cancels += 1 } }

    func discard() { state.withLock { $0.discards += 1 } }
}
