internal import ApusCore
internal import NIOCore

/// The time limits of the streams, and the PINGs of the connection, on one timer.
extension HTTP2Connection {
    /// Sets the timer to `next`, unless it is set to an earlier time.
    func ensureTimer(for next: MonotonicInstant?) {
        guard let next, !machine.isClosed else { return }
        timer.ensure(next, on: loop, for: self)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard timer.fired() else { return }
        let (now, status) = (now, context?.channel.socketStatus)
        for stream in Array(streams.values) where streams[stream.id] === stream {
            if let continueDue = stream.progress.continueDue, continueDue <= now { sendContent(of: stream) }
            if !stream.waitsForWindow { stream.clock.look(status, at: now) }
            if let error = stream.expiry(at: now) { abort(stream, error) }
        }
        if let status { clock.noteAcknowledged(status.acknowledgedBytes, at: now) }
        checkPeer(at: now, acknowledgedBytes: status?.acknowledgedBytes ?? 0)
        let next = streams.values.compactMap(\.nextInstant).min()
        ensureTimer(for: next)
        ensureTimer(for: clock.due)
    }

    /// Sends a PING if the server has been silent for too long, and closes the connection if it does not answer.
    private func checkPeer(at now: MonotonicInstant, acknowledgedBytes: UInt64) {
        guard !streams.isEmpty else { return clock.noteIdle() }
        switch clock.check(at: now) {
        case .nothing: break
        case .ping:
            machine.ping(clock.takePing(at: now, acknowledgedBytes: acknowledgedBytes))
            scheduleFlush()
        case .dead(let patience):
            abort(
                ApusError(
                    .connectionClosed,
                    "the server did not answer a PING within \(patience.formatted)",
                    hint: "raise http2.pingPatience for a slower server"
                )
            )
        }
    }
}
