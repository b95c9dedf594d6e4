internal import HTTPTypes

/// Fetches the segments of a file at the same time, as exchanges of one attempt, into one part.
///
/// Workers fetch one segment after the other. The first worker begins with the response that has arrived, and does not
/// read it beyond the end of its segment. If a connection breaks, a worker requests the rest of its segment. All
/// requests have the same condition (`If-Range`), and each response is compared with the first one. If one is of
/// another representation, or of another range, all of them end, and the file has to be requested as a whole.
final class SegmentedAttempt: Sendable {
    /// A body that begins at the beginning of a segment.
    struct Source: Sendable {
        let body: ResponseBody
        /// The position after the last byte of the body.
        let end: Int64
    }

    /// The outcome of a request for a segment.
    private enum Opening: Sendable {
        case opened(Source)
        case unusable
        case failed(ApusError)
    }

    /// The outcome of fetching a segment.
    private enum Fetched: Sendable {
        case complete
        case unusable
        case failed(ApusError, rest: Range<Int64>)
    }

    /// The outcome of reading a body.
    private struct Reading: Sendable {
        /// The position after the last byte that was written.
        var end: Int64
        var failure: ApusError?
        /// Whether the body has more bytes than its range. It is not known which of them belong to the file.
        var isTooLong = false
    }

    /// The outcome of a worker, and of all of them.
    private enum Ending: Sendable {
        case complete
        /// The server has another representation by now, or sends other ranges than the requested ones.
        case unusable
        case failed(ApusError)
    }

    private let attempt: Attempt
    private let request: RequestMessage
    private let plan: SegmentPlan
    private let validator: EntityValidator
    private let workerCount: Int
    private let journal: SegmentJournal
    private let progress: SegmentProgress
    private let state: Lock<SegmentStateMachine>

    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - request: The request without the fields for a range.
    ///   - plan: The segments, of which there is at least one.
    ///   - validator: The validator of the representation.
    ///   - part: The part, whose record has the ranges that have arrived.
    init(
        _ attempt: Attempt,
        _ request: RequestMessage,
        _ plan: SegmentPlan,
        _ validator: EntityValidator,
        into part: PartialFile
    ) {
        let workerCount = max(1, min(plan.count, plan.segments.count))
        let (context, handle) = (attempt.context, attempt.handle)
        let (total, earlier) = (plan.total, plan.received.byteCount)
        self.attempt = attempt
        self.request = request
        self.plan = plan
        self.validator = validator
        self.workerCount = workerCount
        self.journal = SegmentJournal(part, context.environment.time)
        self.progress = SegmentProgress(from: earlier) { received in
            context.noteReceived(received - earlier, of: total - earlier)
            handle?.noteReceived(received, of: total)
        }
        self.state = Lock(SegmentStateMachine(plan.segments, workerCount: workerCount))
    }

    /// Fetches all segments, the first of them from a body that has begun to arrive.
    ///
    /// - Parameter source: The body.
    /// - Returns: Whether the part is complete. If not, the file has to be requested as a whole.
    /// - Throws: `ApusError`: that of the segment that has failed. The part then has all bytes that have arrived.
    func run(beginningWith source: Source) async throws(ApusError) -> Bool {
        let first = state.withLock { $0.next() }
        let count = workerCount
        let ending = await withTaskGroup(of: Ending.self) { group in
            group.addTask { await self.work(beginningWith: first, from: source) }
            for _ in 1..<count { group.addTask { await self.work() } }
            var ending = Ending.complete
            for await next in group {
                guard case .complete = ending else { continue }
                ending = next
                if case .complete = next { continue }
                group.cancelAll()
            }
            return ending
        }
        switch ending {
        case .complete:
            try await journal.end(saves: false)
            return true
        case .unusable:
            try? await journal.end(saves: true)
            return false
        case .failed(let error):
            try? await journal.end(saves: true)
            throw error
        }
    }

    // MARK: Workers

    /// Fetches segments until there are no more.
    private func work(beginningWith first: Range<Int64>? = nil, from source: Source? = nil) async -> Ending {
        var source = source
        var segment = first ?? next()
        while let current = segment {
            switch await fetch(current, from: source.take()) {
            case .complete:
                segment = next()
            case .unusable:
                return .unusable
            case .failed(let error, let rest):
                if Self.isTransient(error), !Task.isCancelled, state.withLock({ $0.leave(rest) }) { return .complete }
                return .failed(error.phase == .cancelled ? error : error.inSegment(rest))
            }
        }
        return .complete
    }

    private func next() -> Range<Int64>? { state.withLock { $0.next() } }

    /// Fetches a segment, with as many exchanges as it needs.
    private func fetch(_ segment: Range<Int64>, from first: Source?) async -> Fetched {
        var source = first
        var position = segment.lowerBound
        var failureCount = 0
        while position < segment.upperBound {
            let rest = position..<segment.upperBound
            if Task.isCancelled {
                source?.body.discard()
                return .failed(CancelReason.task.error, rest: rest)
            }
            let opening: Opening = if let given = source.take() { .opened(given) } else { await open(rest) }
            var failure: ApusError?
            switch opening {
            case .unusable:
                return .unusable
            case .failed(let error):
                failure = error
            case .opened(let opened):
                do throws(ApusError) {
                    let reading = try await write(opened, into: rest)
                    if reading.isTooLong { return .unusable }
                    if reading.end - position >= SegmentLimits.progressBytes { failureCount = 0 }
                    position = reading.end
                    failure = reading.failure
                } catch {
                    return .failed(error, rest: rest)
                }
            }
            guard position < segment.upperBound else { break }
            let (missing, received) = (position..<segment.upperBound, position - segment.lowerBound)
            let length = segment.upperBound - segment.lowerBound
            let error = failure ?? ApusError(.connectionClosed, "the server sent \(received) of \(length) bytes")
            failureCount += 1
            guard RetryPolicy.transientCodes.contains(error.code), failureCount < SegmentLimits.fruitlessExchanges
            else {
                return .failed(error, rest: missing)
            }
        }
        return .complete
    }

    /// Whether another worker may have more success with a segment.
    private static func isTransient(_ error: ApusError) -> Bool {
        if error.code == .unacceptableStatus {
            return error.response.map { RetryPolicy.transientStatuses.contains($0.status.code) } ?? false
        }
        return RetryPolicy.transientCodes.contains(error.code) || error.code == .poolTimeout
    }

    // MARK: Exchanges

    /// Requests a range of the file.
    private func open(_ range: Range<Int64>) async -> Opening {
        do {
            try await attempt.handle?.passGate()
            let resumption = RangeResumption(
                offset: range.lowerBound,
                validator: validator,
                total: plan.total,
                isSegmented: true
            )
            var message = request
            resumption.prepare(&message.fields)
            message.fields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
            let response = try await attempt.core.chain(
                message,
                context: attempt.context,
                credential: attempt.credential,
                because: .segment
            )
            switch attempt.verdict(on: response, resumption) {
            case .continues:
                let end = RangeResumption.end(of: response.fields) ?? range.upperBound
                return .opened(Source(body: response.body, end: end))
            case .replaces, .restarts:
                response.discard()
                return .unusable
            case .unrelated:
                let head = ResponseHead(status: response.status, fields: response.fields)
                let refusal = Validator.unacceptable(response.status)
                return .failed(await attempt.failure(refusal, head, response.body, request.options))
            }
        } catch {
            return .failed(ApusError(wrapping: error, as: .middlewareFailed))
        }
    }

    /// Writes a body to the beginning of a range, and no further.
    ///
    /// - Returns: The outcome. A failure is that of the body.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    private func write(_ source: Source, into range: Range<Int64>) async throws(ApusError) -> Reading {
        let writer = journal.writer(at: range.lowerBound)
        let limit = min(range.upperBound, source.end)
        var iterator = source.body.makeAsyncIterator()
        var reading = Reading(end: range.lowerBound)
        var isRead = false
        do throws(ApusError) {
            // A body that ends with the range is read to its end, so that its connection is kept.
            while reading.end < limit || source.end == limit {
                try await attempt.handle?.passGate()
                guard let chunk = try await iterator.next() else {
                    isRead = true
                    break
                }
                reading.isTooLong = Int64(chunk.count) > source.end - reading.end
                if reading.isTooLong { break }
                let bytes = chunk.prefix(Int(clamping: limit - reading.end))
                try await writer.append(bytes)
                reading.end += Int64(bytes.count)
                progress.add(bytes.count)
            }
        } catch {
            reading.failure = error
        }
        if !isRead { source.body.discard() }
        // The position counts only if all bytes before it are written.
        try await writer.drain()
        return reading
    }
}

extension ApusError {
    /// Returns the error of a download with the segment that has failed in its text.
    fileprivate func inSegment(_ range: Range<Int64>) -> ApusError {
        var error = self
        error.contents.detail = "\(detail), in the segment of the bytes \(range.lowerBound) to \(range.upperBound - 1)"
        return error
    }
}
