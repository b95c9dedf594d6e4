/// A body that stops reading while its request is suspended, and reports progress.
final class GatedBody: BodySource {
    private let body: ResponseBody
    private let task: RequestTask
    private let expecting: Int64?
    private let completed = Lock<Int64>(0)

    init(_ body: ResponseBody, task: RequestTask, expecting: Int64?) {
        self.body = body
        self.task = task
        self.expecting = expecting
    }

    func next() async throws(ApusError) -> BodyChunk? {
        try await task.passGate()
        guard let chunk = try await nextChunk() else { return nil }
        let completed = completed.withLock { completed in
            completed += Int64(chunk.count)
            return completed
        }
        task.report(.download, completed: completed, total: expecting)
        return chunk
    }

    private func nextChunk() async throws(ApusError) -> BodyChunk? {
        switch body.storage {
        case .empty: return nil
        case .stream(let stream): return try await stream.source.next()
        case .whole(let chunk):
            let isFirst = completed.withLock { $0 == 0 }
            return isFirst ? chunk : nil
        }
    }

    func cancel() {
        if case .stream(let stream) = body.storage { stream.source.cancel() }
    }
}
