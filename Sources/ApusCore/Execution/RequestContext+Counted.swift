extension RequestContext {
    /// Returns the body, wrapped to report progress if a monitor receives it. A complete body is reported at once.
    func counted(_ body: ResponseBody, expecting total: @autoclosure () -> Int64?) -> ResponseBody {
        guard let eventSink, eventSink.receivesProgress else { return body }
        let total = if case .whole(let chunk) = body.storage { Int64(chunk.count) } else { total() }
        return body.observed(onChunk: { _, count in eventSink.post(.contentReceived(count, of: total)) })
    }

    /// Reports the progress of a body that arrives in segments, if a monitor receives it.
    func noteReceived(_ count: Int64, of total: Int64) {
        guard let eventSink, eventSink.receivesProgress else { return }
        eventSink.post(.contentReceived(count, of: total))
    }
}
