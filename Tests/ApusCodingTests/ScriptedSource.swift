internal import HTTPTypes

@testable internal import ApusCore

/// A body source that returns the given pieces and records the calls made to it.
final class ScriptedSource: BodySource {
    struct State {
        var rest: ArraySlice<[UInt8]>
        var reads = 0
        var isEnded = false
        var isCancelled = false
        var isDiscarded = false
    }

    private let state: Lock<State>
    private let failure: ApusError?
    private let trailerFields: HTTPFields?

    /// Returns the pieces, then throws `failure` or ends.
    init(_ pieces: [[UInt8]], failure: ApusError? = nil, trailers: HTTPFields? = nil) {
        self.state = Lock(State(rest: pieces[...]))
        self.failure = failure
        self.trailerFields = trailers
    }

    var seen: State { state.withLock { $0 } }

    func next() async throws(ApusError) -> BodyChunk? {
        let piece = state.withLock { state in
            state.reads += 1
            state.isEnded = state.rest.isEmpty
            return state.rest.popFirst()
        }
        if let piece { return BodyChunk(piece) }
        if let failure { throw failure }
        return nil
    }

    /// Harmless after the end.
    func cancel() {
        state.withLock { state in
            if !state.isEnded { state.isCancelled = true }
        }
    }

    func discard() { state.withLock { $0.isDiscarded = true } }

    var trailers: HTTPFields? { state.withLock { $0.rest.isEmpty } ? trailerFields : nil }
}

extension ResponseBody {
    /// Reads to the end.
    func read() async throws(ApusError) -> [UInt8] {
        var bytes: [UInt8] = []
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next() { bytes += chunk.bytes }
        return bytes
    }

    var isWhole: Bool {
        if case .whole = storage { true } else { false }
    }
}
