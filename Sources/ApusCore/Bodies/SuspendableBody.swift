internal import Foundation
internal import Synchronization

/// A body that stops reading while its request is suspended, and reports progress.
final class SuspendableBody: BodySource {
    private let body: ResponseBody
    private let task: RequestTask
    private let expecting: Int64?
    /// The bytes that arrived before, in a download that is continued.
    private let start: Int64
    /// The record of the exchange if the body is decoded. The progress is that of the coded body then.
    private let record: ExchangeRecord?
    /// The bytes that were read. Changed by the only reader.
    private let completed: Atomic<Int64>
    /// The bytes of a coded body that were reported last. Changed by the only reader.
    private let reported = Atomic<Int64>(-1)

    init(
        _ body: ResponseBody,
        task: RequestTask,
        from start: Int64,
        expecting: Int64?,
        decodedIn record: ExchangeRecord?
    ) {
        self.body = body
        self.task = task
        self.start = start
        self.record = record
        self.completed = Atomic(start)
        self.expecting = expecting
    }

    func next() async throws(ApusError) -> BodyChunk? {
        try await task.passGate()
        guard let chunk = try await nextChunk() else {
            noteEnd(completed.load(ordering: .relaxed))
            return nil
        }
        let count = completed.wrappingAdd(Int64(chunk.count), ordering: .relaxed).newValue
        if let record {
            let (received, total) = record.received(count, of: expecting)
            // Several chunks may come from the same received bytes.
            if reported.exchange(received, ordering: .relaxed) != received { task.noteReceived(received, of: total) }
        } else {
            task.noteReceived(count, of: expecting)
        }
        return chunk
    }

    /// Reports the end of the body, unless its last chunk was reported as the end.
    private func noteEnd(_ count: Int64) {
        guard let record else {
            // The length of a body without a declared one is known at its end.
            if count != expecting { task.noteReceived(count, of: count) }
            return
        }
        let (received, total) = record.received(count, of: expecting)
        // A coding may end with bytes that no chunk comes from.
        if received != total || received != reported.load(ordering: .relaxed) {
            task.noteReceived(received, of: received)
        }
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
    /// Collects the body of the response to an exchange. Stops reading while the request is suspended.
    func collect(
        _ body: ResponseBody,
        of record: ExchangeRecord,
        upTo limit: Int,
        expecting: Int64?
    ) async throws(ApusError) -> Data {
        guard case .stream = body.storage else {
            let data = try await body.collect(upTo: limit)
            try await passGate()
            noteReceived(Int64(data.count), in: record)
            return data
        }
        return try await suspendable(body, of: record, expecting: expecting).collect(upTo: limit, expecting: expecting)
    }

    /// Reports a body in memory of `count` bytes.
    func noteReceived(_ count: Int64, in record: ExchangeRecord) {
        let received = record.received(count, of: count).completed
        noteReceived(received, of: received)
    }

    /// Wraps the body of the response to an exchange, to stop reading while the request is suspended and to report
    /// progress. `start` is the number of bytes that arrived before, 0 for a decoded body.
    func suspendable(
        _ body: ResponseBody,
        of record: ExchangeRecord,
        from start: Int64 = 0,
        expecting: Int64?
    ) -> ResponseBody {
        let isDecoded = record.isDecoded
        // That of a decoded one is reported at its end.
        if body.isEmpty, !isDecoded { noteReceived(start, of: start) }
        return .stream(
            SuspendableBody(
                body,
                task: self,
                from: start,
                expecting: expecting,
                decodedIn: isDecoded ? record : nil
            )
        )
    }
}
