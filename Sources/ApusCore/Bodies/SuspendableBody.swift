internal import Foundation
internal import Synchronization

/// A body that stops reading while its request is suspended, and reports progress.
final class SuspendableBody: BodySource {
    private let body: ResponseBody
    private let task: RequestTask
    private let expecting: Int64?
    /// The bytes that arrived before, in a download that is continued.
    private let start: Int64
    /// Changed by the only reader.
    private let completed: Atomic<Int64>

    init(_ body: ResponseBody, task: RequestTask, from start: Int64, expecting: Int64?) {
        self.body = body
        self.task = task
        self.start = start
        self.completed = Atomic(start)
        self.expecting = expecting
    }

    func next() async throws(ApusError) -> BodyChunk? {
        try await task.passGate()
        guard let chunk = try await nextChunk() else {
            let count = completed.load(ordering: .relaxed)
            // The length of a body without a declared one is known at its end.
            if count != expecting { task.noteReceived(count, of: count) }
            return nil
        }
        let count = completed.wrappingAdd(Int64(chunk.count), ordering: .relaxed).newValue
        task.noteReceived(count, of: expecting)
        return chunk
    }

    private func nextChunk() async throws(ApusError) -> BodyChunk? {
        switch body.storage {
        case .empty: return nil
        case .stream(let stream): return try await stream.next(for: self)
        case .whole(let chunk):
            return completed.load(ordering: .relaxed) == start ? chunk : nil
        }
    }

    func cancel() {
        if case .stream(let stream) = body.storage { stream.source.cancel() }
    }
}

extension RequestTask {
    /// Collects the body. Stops reading while the request is suspended.
    func collect(_ body: ResponseBody, upTo limit: Int, expecting: Int64?) async throws(ApusError) -> Data {
        guard case .stream = body.storage else {
            let data = try await body.collect(upTo: limit)
            try await passGate()
            noteReceived(Int64(data.count), of: Int64(data.count))
            return data
        }
        return try await suspendable(body, expecting: expecting).collect(upTo: limit, expecting: expecting)
    }

    /// Wraps the body, to stop reading while the request is suspended and to report progress. `start` is the number of
    /// bytes that arrived before.
    func suspendable(_ body: ResponseBody, from start: Int64 = 0, expecting: Int64?) -> ResponseBody {
        if body.isEmpty { noteReceived(start, of: start) }
        return .stream(SuspendableBody(body, task: self, from: start, expecting: expecting))
    }
}
