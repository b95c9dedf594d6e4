internal import Foundation
internal import HTTPTypes

/// What is written down of one exchange, as it was on the wire.
final class HARRecording: Sendable {
    /// The beginning of a content, and the length of all of it.
    struct Captured {
        private(set) var data = Data()
        private(set) var count: Int64 = 0

        /// Whether all of it is here that has come.
        var isWhole: Bool { Int64(data.count) == count }

        mutating func take(_ chunk: BodyChunk, limit: Int) {
            count += Int64(chunk.count)
            if data.count < limit { data.append(chunk.prefix(limit - data.count)) }
        }
    }

    struct Answer {
        let status: HTTPResponse.Status
        let fields: HTTPFields
        /// The content, once somebody has seen it pass.
        var content: Captured?
        /// Whether the content was freed of its codings before it was captured.
        var isDecoded = false
    }

    struct State {
        var content = Captured()
        var answer: Answer?
    }

    let record: ExchangeRecord
    let requestID: RequestID
    let fields: HTTPFields
    /// How the end of the request's content is marked on the wire.
    let framing: HTTPField?
    let hasContent: Bool
    private let contentBytes: Int
    private let counters: LiveCounters
    private let time: any RequestTime
    private let begin: Date
    private let state = Lock(State())

    init(
        _ request: borrowing RequestMessage,
        _ context: RequestContext,
        _ record: ExchangeRecord,
        contentBytes: Int
    ) {
        self.record = record
        self.requestID = context.id
        self.fields = request.fields
        self.framing = Self.framing(of: request)
        self.hasContent = !request.body.isNone
        self.contentBytes = max(0, contentBytes)
        self.counters = context.environment.counters
        self.time = context.time
        let elapsed = record.metrics.begin.duration(to: time.now)
        self.begin = time.wallClock.addingTimeInterval(-elapsed.inSeconds)
    }

    /// RFC 9112 §6: the engine writes these fields as the content needs them.
    private static func framing(of request: borrowing RequestMessage) -> HTTPField? {
        if request.body.isNone {
            let saysLength = [.post, .put, .patch].contains(request.method)
            return saysLength ? HTTPField(name: .contentLength, value: "0") : nil
        }
        return request.body.length.map { HTTPField(name: .contentLength, value: "\($0)") }
            ?? HTTPField(name: .transferEncoding, value: "chunked")
    }

    /// When it began, by the wall clock.
    var startedDateTime: Date { HARTimestamp.rounded(begin) }

    /// What was seen so far, and what time it is.
    var snapshot: (state: State, metrics: HopMetrics, now: MonotonicInstant) {
        (state.withLock { $0 }, record.metrics, time.now)
    }

    // MARK: The request

    /// The content, which is noted as it is read; from its first byte on where it is read again.
    func watching(_ body: RequestBody) -> RequestBody {
        switch body.storage {
        case .none:
            return body
        case .bytes(let chunk):
            take(chunk)
            return body
        case .file, .replayable:
            return RequestBody(.replayable(length: body.length, make: { try await self.opened(body) }))
        case .once(let content):
            let watched = OnceContent(length: content.length) { [self] in
                do throws(ApusError) {
                    return watching(try content.open())
                } catch {
                    return BodyReader { throw error }
                }
            }
            return RequestBody(.once(watched))
        }
    }

    private func opened(_ body: RequestBody) async throws -> BodyReader {
        watching(try await body.open(counters: counters))
    }

    private func watching(_ reader: BodyReader) -> BodyReader {
        state.withLock { $0.content = Captured() }
        return BodyReader { [self] in
            let chunk = try await reader.next()
            if let chunk { take(chunk) }
            return chunk
        }
    }

    private func take(_ chunk: BodyChunk) {
        state.withLock { $0.content.take(chunk, limit: contentBytes) }
    }

    // MARK: The response

    /// The response as it came over the wire; its content is noted here unless it is coded, and elsewhere if it is.
    func watching(_ response: ResponseMessage) -> ResponseMessage {
        state.withLock { $0.answer = Answer(status: response.status, fields: response.fields) }
        return response.fields.contains(.contentEncoding) ? response : watchingContent(of: response, isDecoded: false)
    }

    /// The same, where its content was decoded if it can be.
    func watchingDecoded(_ response: ResponseMessage) -> ResponseMessage {
        let isNoted = state.withLock { $0.answer?.content != nil }
        guard !isNoted else { return response }
        return watchingContent(of: response, isDecoded: !response.fields.contains(.contentEncoding))
    }

    private func watchingContent(of response: ResponseMessage, isDecoded: Bool) -> ResponseMessage {
        state.withLock { state in
            state.answer?.content = Captured()
            state.answer?.isDecoded = isDecoded
        }
        switch response.body.storage {
        case .empty:
            return response
        case .whole(let chunk):
            note(chunk)
            return response
        case .stream(let stream):
            var watched = response
            watched.body = .stream(HARContent(stream, recording: self))
            return watched
        }
    }

    fileprivate func note(_ chunk: BodyChunk) {
        state.withLock { $0.answer?.content?.take(chunk, limit: contentBytes) }
    }
}

/// The content of a response that is noted as it is read.
private final class HARContent: BodySource {
    private let stream: BodyStream
    private let recording: HARRecording

    init(_ stream: BodyStream, recording: HARRecording) {
        self.stream = stream
        self.recording = recording
    }

    func next() async throws(ApusError) -> BodyChunk? {
        let chunk = try await stream.source.next()
        if let chunk { recording.note(chunk) }
        return chunk
    }

    func cancel() { stream.source.cancel() }

    func discard() { stream.discard() }

    var trailers: HTTPFields? { stream.source.trailers }
}
