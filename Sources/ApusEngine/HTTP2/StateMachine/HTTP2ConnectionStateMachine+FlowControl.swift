internal import HTTPTypes

extension HTTP2ConnectionStateMachine {
    // MARK: The client's windows

    /// Records that the reader has taken bytes of a body. WINDOW_UPDATE frames give them back in batches.
    ///
    /// Has no effect for a stream that is gone.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - stream: The stream.
    ///   - now: The time in nanoseconds, of the same clock as that of `receive`.
    package mutating func consumed(_ count: Int, of stream: Int32, at now: UInt64) {
        guard let index = index(of: stream) else { return }
        let counted = streams[index].receiveWindow.consume(count)
        guard counted > 0 else { return }
        let before = streams[index].receiveWindow.byteCount
        streams[index].receiveWindow.noteConsumed(
            counted,
            at: now,
            within: min(roundTripNanoseconds, UInt64.max / 2) * 2,
            limit: min(largestStreamWindowBytes, before + max(receiveWindow.byteCount - grownBytes, 0))
        )
        grownBytes += streams[index].receiveWindow.byteCount - before
        updateWindow(at: index)
    }

    /// The number of bytes that a fast line carries in a millisecond, 2 Gbit/s.
    private static let fastLineBytesPerMillisecond: UInt64 = 256 << 10
    /// The largest window that a stream gets before bytes of its body were consumed.
    private static let largestEarlyWindowBytes: UInt64 = 16 << 20

    /// Opens the window of a stream for a long body at once, as far as a fast line with the measured round trip needs
    /// it. Otherwise the first round trips would carry little.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes that the server has announced.
    ///   - stream: The stream.
    ///   - now: The time in nanoseconds, of the same clock as that of `receive`.
    package mutating func expectBody(of byteCount: Int64, on stream: Int32, at now: UInt64) {
        guard byteCount > Int64(firstStreamWindowBytes), let index = index(of: stream),
            streams[index].phase != .responseEnded
        else { return }
        let milliseconds = min(roundTripNanoseconds / 1_000_000, 1_000)
        let onTheLine = min(milliseconds * Self.fastLineBytesPerMillisecond, Self.largestEarlyWindowBytes)
        let before = streams[index].receiveWindow.byteCount
        // A quarter of the bytes by which all windows may still grow, since the reader may never take them.
        let allowed = before + max(receiveWindow.byteCount - grownBytes, 0) / 4
        let size = min(Int(onTheLine), Int(clamping: byteCount), largestStreamWindowBytes, allowed)
        // Otherwise its WINDOW_UPDATE would not be due.
        guard size >= 2 * before else { return }
        streams[index].receiveWindow.grow(to: size, at: now)
        grownBytes += streams[index].receiveWindow.byteCount - before
        updateWindow(at: index)
    }

    /// Sends the WINDOW_UPDATE of a stream if it is due.
    mutating func updateWindow(at index: Int) {
        guard let increment = streams[index].receiveWindow.takeIncrement() else { return }
        HTTP2FrameWriter.windowUpdate(stream: streams[index].id, increment: increment, into: &output)
    }

    /// Sends the WINDOW_UPDATE of the connection if it is due.
    mutating func giveBack() {
        guard !isClosed, let increment = receiveWindow.takeIncrement() else { return }
        HTTP2FrameWriter.windowUpdate(stream: 0, increment: increment, into: &output)
    }

    // MARK: The server's windows

    func sendable(at index: Int) -> Int {
        min(streams[index].sendWindow.sendableBytes, sendWindow.sendableBytes)
    }

    mutating func openConnectionWindow(by increment: Int) throws(HTTP2ConnectionError) {
        guard increment > 0 else {
            throw .protocolError("The server opened the connection's window by 0 bytes.")
        }
        guard sendWindow.change(by: increment) else {
            throw HTTP2ConnectionError(
                code: .flowControlError,
                reason: "The server opened the connection's window to more than \(HTTP2FlowWindow.maximumBytes) bytes."
            )
        }
        try wakeStreams()
    }

    mutating func openStreamWindow(of stream: Int32, by increment: Int) throws(HTTP2ConnectionError) {
        // The server may not know yet that the stream is gone.
        guard let index = try index(of: stream, receiving: .windowUpdate) else { return }
        guard increment > 0 else {
            return resetStream(
                at: index,
                HTTP2StreamError(code: .protocolError, reason: "The server opened the stream's window by 0 bytes.")
            )
        }
        guard streams[index].sendWindow.change(by: increment) else {
            return resetStream(
                at: index,
                HTTP2StreamError(
                    code: .flowControlError,
                    reason: "The server opened the stream's window to more than \(HTTP2FlowWindow.maximumBytes) bytes."
                )
            )
        }
        _ = wakeStream(at: index)
    }

    /// Applies the values of INITIAL_WINDOW_SIZE in one SETTINGS frame to all streams (RFC 9113 §6.9.2).
    ///
    /// Only the largest value can make a window too large, so that the streams are visited once, however many values
    /// the frame has.
    mutating func changeStreamWindows(to last: Int, atMost largest: Int) throws(HTTP2ConnectionError) {
        for index in streams.indices {
            var window = streams[index].sendWindow
            guard window.change(by: largest - peerStreamWindowBytes),
                streams[index].sendWindow.change(by: last - peerStreamWindowBytes)
            else {
                throw HTTP2ConnectionError(
                    code: .flowControlError,
                    reason: "The server's SETTINGS open a window to more than \(HTTP2FlowWindow.maximumBytes) bytes."
                )
            }
        }
        peerStreamWindowBytes = last
        try wakeStreams()
    }

    /// Reports the waiting streams that can send now.
    ///
    /// It begins after the stream that was served last, so that each gets its turn if the window suffices only for one.
    /// A server that opens the window byte by byte would cause as many events as there are streams, for one byte.
    /// Therefore many of them cost tokens, which sent bytes return.
    private mutating func wakeStreams() throws(HTTP2ConnectionError) {
        guard waitingStreams > 0, sendWindow.sendableBytes > 0 else { return }
        let last = lastServedStream
        let first = streams.firstIndex { (stream: HTTP2StreamState) -> Bool in stream.id > last } ?? 0
        var woken = 0
        for index in first..<streams.count {
            if wakeStream(at: index) { woken += 1 }
        }
        for index in 0..<first {
            if wakeStream(at: index) { woken += 1 }
        }
        for _ in 0..<(woken / Self.wokenStreamsPerToken) { try floodGuard.take(.windowUpdate) }
    }

    /// Reports a stream if it waits and can send now.
    private mutating func wakeStream(at index: Int) -> Bool {
        guard streams[index].waitsForWindow, sendable(at: index) > 0 else { return false }
        setWaiting(false, at: index)
        events.append(.writable(streams[index].id))
        return true
    }

    /// Records whether bytes of a stream wait for a window.
    mutating func setWaiting(_ isWaiting: Bool, at index: Int) {
        guard streams[index].waitsForWindow != isWaiting else { return }
        streams[index].waitsForWindow = isWaiting
        waitingStreams += isWaiting ? 1 : -1
    }
}
