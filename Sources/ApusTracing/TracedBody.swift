internal import ApusCore
internal import HTTPTypes

/// A response body that ends a span when it ends, fails or is released.
final class TracedBody: BodySource {
    private let body: ResponseBody
    private let span: HTTPSpan
    private let isOver = Lock(false)

    init(_ body: ResponseBody, span: HTTPSpan) {
        self.body = body
        self.span = span
    }

    var trailers: HTTPFields? { body.trailers }

    func next() async throws(ApusError) -> BodyChunk? {
        guard case .stream(let stream) = body.storage else { return nil }
        do throws(ApusError) {
            if let chunk = try await stream.source.next() { return chunk }
            finish { $0.end() }
            return nil
        } catch {
            finish { $0.fail(error) }
            throw error
        }
    }

    func cancel() {
        if case .stream(let stream) = body.storage { stream.source.cancel() }
        finish { $0.end() }
    }

    func discard() {
        body.discard()
        finish { $0.end() }
    }

    /// Only the first call ends the span.
    private func finish(_ end: (HTTPSpan) -> Void) {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { end(span) }
    }
}
