internal import HTTPTypes
internal import Synchronization

/// A body that reports to the monitors how much of it was read.
final class CountedBody: BodySource {
    private let stream: BodyStream
    private let eventSink: RequestEventSink
    private let total: Int64?
    /// Changed by the only reader.
    private let count = Atomic<Int64>(0)

    init(_ stream: BodyStream, _ eventSink: RequestEventSink, total: Int64?) {
        self.stream = stream
        self.eventSink = eventSink
        self.total = total
    }

    var trailers: HTTPFields? { stream.source.trailers }

    func next() async throws(ApusError) -> BodyChunk? {
        guard let chunk = try await stream.source.next() else { return nil }
        let count = count.wrappingAdd(Int64(chunk.count), ordering: .relaxed).newValue
        eventSink.post(.contentReceived(count, of: total))
        return chunk
    }

    func cancel() { stream.source.cancel() }

    func discard() { stream.discard() }
}

extension RequestContext {
    /// Returns the body, wrapped to report progress if a monitor receives it. A complete body is reported at once.
    func counted(_ body: ResponseBody, expecting total: @autoclosure () -> Int64?) -> ResponseBody {
        guard let eventSink, eventSink.receivesProgress else { return body }
        switch body.storage {
        case .empty:
            return body
        case .whole(let chunk):
            eventSink.post(.contentReceived(Int64(chunk.count), of: Int64(chunk.count)))
            return body
        case .stream(let stream):
            return .stream(CountedBody(stream, eventSink, total: total()))
        }
    }
}
