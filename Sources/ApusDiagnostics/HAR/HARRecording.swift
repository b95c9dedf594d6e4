internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// Records one exchange as it was on the wire. Its entry is built, without secrets, when the archive is requested.
final class HARRecording: Sendable {
    /// The beginning of a body, and its full length.
    struct Captured {
        private(set) var data = Data()
        private(set) var count: Int64 = 0

        /// Whether all bytes received so far were kept.
        var isWhole: Bool { Int64(data.count) == count }

        mutating func take(_ chunk: BodyChunk, limit: Int) {
            count += Int64(chunk.count)
            if data.count < limit { data.append(chunk.prefix(limit - data.count)) }
        }
    }

    struct RecordedResponse {
        let status: HTTPResponse.Status
        let fields: HTTPFields
        /// The body, once it has been observed.
        var content: Captured?
        /// Whether the body's content coding was removed before it was recorded.
        var isDecoded = false
    }

    struct State {
        var content = Captured()
        var response: RecordedResponse?
    }

    let record: ExchangeRecord
    let requestID: RequestID
    let fields: HTTPFields
    /// The field that frames the request's body.
    let framing: HTTPField?
    let hasContent: Bool
    private let contentBytes: Int
    private let counters: LiveCounters
    private let time: any SessionClock
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

    /// RFC 9112 §6: the transport adds these fields to match the body.
    private static func framing(of request: borrowing RequestMessage) -> HTTPField? {
        if request.body.isNone {
            let hasLength = [.post, .put, .patch].contains(request.method)
            return hasLength ? HTTPField(name: .contentLength, value: "0") : nil
        }
        // A body with trailers is sent chunked, even if its length is known.
        let length = request.body.hasTrailers ? nil : request.body.length
        return length.map { HTTPField(name: .contentLength, value: "\($0)") }
            ?? HTTPField(name: .transferEncoding, value: "chunked")
    }

    /// When the exchange began, by the wall clock.
    var startedDateTime: Date { HARTimestamp.rounded(begin) }

    /// The recorded state, the metrics and the current time.
    var snapshot: (state: State, metrics: ExchangeMetrics, now: MonotonicInstant) {
        (state.withLock { $0 }, record.metrics, time.now)
    }

    // MARK: The request

    /// Returns a body that is recorded while it is read. Reading it again restarts the recording.
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
        case .trailed(let body, let trailers):
            return watching(body).with(trailers)
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

    /// Records the response from the wire. Records its body here unless it is coded, else in `watchingDecoded`.
    func watching(_ response: ResponseMessage) -> ResponseMessage {
        state.withLock { $0.response = RecordedResponse(status: response.status, fields: response.fields) }
        return response.fields.contains(.contentEncoding) ? response : watchingContent(of: response, isDecoded: false)
    }

    /// Records the body of a response after decoding, if it was not recorded before.
    func watchingDecoded(_ response: ResponseMessage) -> ResponseMessage {
        let isNoted = state.withLock { $0.response?.content != nil }
        guard !isNoted else { return response }
        return watchingContent(of: response, isDecoded: !response.fields.contains(.contentEncoding))
    }

    private func watchingContent(of response: ResponseMessage, isDecoded: Bool) -> ResponseMessage {
        state.withLock { state in
            state.response?.content = Captured()
            state.response?.isDecoded = isDecoded
        }
        var watched = response
        watched.body = response.body.observed(onChunk: { [self] chunk, _ in
            state.withLock { $0.response?.content?.take(chunk, limit: contentBytes) }
        })
        return watched
    }
}
