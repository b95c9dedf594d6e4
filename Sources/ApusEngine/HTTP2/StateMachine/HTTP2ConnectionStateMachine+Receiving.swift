internal import HTTPTypes
package import NIOCore

extension HTTP2ConnectionStateMachine {
    /// Takes received bytes. An incomplete frame stays in `bytes`, to which the caller appends.
    ///
    /// After a fault of the connection, and when the machine is closed, all bytes are dropped.
    ///
    /// - Parameters:
    ///   - bytes: The received bytes.
    ///   - now: The time in nanoseconds, of a clock that does not stop. It lets a quiet server send a few frames a
    ///     second for ever, but not many at once.
    ///   - handle: Receives the events. It must not call the machine.
    package mutating func receive(_ bytes: inout ByteBuffer, at now: UInt64, _ handle: (Event) -> Void) {
        floodGuard.noteTime(at: now)
        do throws(HTTP2ConnectionError) {
            while !isClosed, let frame = try parser.next(&bytes) { try take(frame) }
        } catch {
            fail(error)
        }
        giveBack()
        if isClosed { bytes.moveReaderIndex(to: bytes.writerIndex) }
        passEvents(to: handle)
    }

    private mutating func take(_ frame: HTTP2Frame) throws(HTTP2ConnectionError) {
        try floodGuard.charge(frame)
        switch frame {
        case .data(let stream, let content, let flowControlled, let endStream):
            try takeData(content, flowControlled: flowControlled, endStream: endStream, on: stream)
        case .headers(let stream, let block, let endStream):
            try takeHeaders(block, endStream: endStream, on: stream)
        case .reset(let stream, let code):
            try takeReset(code, on: stream)
        case .settings(let settings):
            try takeSettings(settings)
        case .ping(let token):
            try countAcknowledgement()
            HTTP2FrameWriter.pingAcknowledgement(token, into: &output)
        case .pingAcknowledged(let token):
            // Answers to a PING that was not sent are ignored.
            guard let index = pings.firstIndex(of: token) else { return }
            pings.remove(at: index)
            events.append(.pong(token))
        case .goAway(let lastStream, let code, let debug):
            try takeGoAway(lastStream: lastStream, code, debug)
        case .windowUpdate(let stream, let increment):
            if stream == 0 {
                try openConnectionWindow(by: increment)
            } else {
                try openStreamWindow(of: stream, by: increment)
            }
        case .pushPromise:
            throw .protocolError("The server sent a PUSH_PROMISE, although SETTINGS forbids it.")
        case .priority, .settingsAcknowledged, .unknown: break
        }
    }

    // MARK: Messages

    private mutating func takeHeaders(
        _ block: ByteBuffer,
        endStream: Bool,
        on stream: Int32
    ) throws(HTTP2ConnectionError) {
        guard let index = try index(of: stream, receiving: .headers) else {
            // The block is still decoded, since it changes the header table. It costs a token.
            try floodGuard.take(.empty)
            return try skip(block)
        }
        guard streams[index].phase != .responseEnded else {
            try skip(block)
            return resetStream(at: index, Self.afterEnd(.headers))
        }
        floodGuard.noteUsefulBytes(block.readableBytes)
        streams[index].response.begin()
        do throws(HPACKError) {
            try Self.decode(block, with: &hpackDecoder, into: &streams[index].response)
        } catch {
            throw Self.compressionError(error)
        }
        streams[index].hasResponse = true
        do throws(HTTP2StreamError) {
            switch try streams[index].response.end(endStream: endStream) {
            case .informational(var head):
                head.blockBytes = block.readableBytes
                events.append(.informational(stream, head))
            case .head(var head):
                head.blockBytes = block.readableBytes
                events.append(.head(stream, head, endStream: endStream))
                if endStream { endResponse(at: index, trailers: nil) }
            case .trailers(let fields):
                endResponse(at: index, trailers: fields)
            }
        } catch {
            resetStream(at: index, error)
        }
    }

    /// Decodes a block into a decoder. A function without `self`, since both belong to it and change.
    private static func decode(
        _ block: ByteBuffer,
        with hpack: inout HPACKDecoder,
        into response: inout HTTP2ResponseDecoder
    ) throws(HPACKError) {
        try hpack.decode(block) { (line: HPACKHeader) -> Bool in response.take(line) }
    }

    /// Decodes a block that belongs to no response, for its changes of the header table.
    private mutating func skip(_ block: ByteBuffer) throws(HTTP2ConnectionError) {
        do throws(HPACKError) {
            try hpackDecoder.decode(block) { (_: HPACKHeader) -> Bool in false }
        } catch {
            throw Self.compressionError(error)
        }
    }

    private static func compressionError(_ error: HPACKError) -> HTTP2ConnectionError {
        HTTP2ConnectionError(code: .compressionError, reason: error.description)
    }

    private mutating func takeData(
        _ content: ByteBuffer,
        flowControlled count: Int,
        endStream: Bool,
        on stream: Int32
    ) throws(HTTP2ConnectionError) {
        guard receiveWindow.receive(count) else {
            throw HTTP2ConnectionError(
                code: .flowControlError,
                reason: "The server sent more than the connection's window of \(receiveWindow.byteCount) bytes allows."
            )
        }
        // Given back at the end of the read, so that a server that ignores the window is noticed.
        receiveWindow.consume(count)
        guard let index = try index(of: stream, receiving: .data) else { return try countLateBytes(count) }
        guard streams[index].phase != .responseEnded else { return resetStream(at: index, Self.afterEnd(.data)) }
        guard streams[index].receiveWindow.receive(count) else {
            return resetStream(
                at: index,
                HTTP2StreamError(
                    code: .flowControlError,
                    reason: "The server sent more than the stream's window of "
                        + "\(streams[index].receiveWindow.byteCount) bytes allows."
                )
            )
        }
        let byteCount = content.readableBytes
        do throws(HTTP2StreamError) {
            try streams[index].response.takeBody(byteCount, endStream: endStream)
        } catch {
            return resetStream(at: index, error)
        }
        floodGuard.noteUsefulBytes(byteCount)
        if byteCount > 0 { events.append(.body(stream, content)) }
        // Padding counts for the window, but has no reader.
        streams[index].receiveWindow.consume(count - byteCount)
        if endStream { return endResponse(at: index, trailers: nil) }
        updateWindow(at: index)
    }

    /// Counts bytes of DATA for a stream that is gone (RFC 9113 §5.1).
    ///
    /// They are free as long as the server may have sent them before it learned of a reset. Others cost tokens, by the
    /// byte and not by the frame, since frames arrive in parts.
    private mutating func countLateBytes(_ count: Int) throws(HTTP2ConnectionError) {
        let free = min(count, lateBytes)
        lateBytes -= free
        strayBytes += count - free
        while strayBytes >= Self.strayBytesPerToken {
            strayBytes -= Self.strayBytesPerToken
            try floodGuard.take(.empty)
        }
    }

    // MARK: Ends of streams

    /// Ends a response that is complete.
    private mutating func endResponse(at index: Int, trailers: HTTPFields?) {
        let stream = streams[index].id
        events.append(.end(stream, trailers: trailers))
        if streams[index].phase == .requestEnded {
            removeStream(at: index, mayContinue: false)
        } else {
            streams[index].phase = .responseEnded
            // Nothing more may arrive.
            grownBytes -= streams[index].receiveWindow.grownBytes
            streams[index].receiveWindow = HTTP2ReceiveWindow(byteCount: 0)
        }
    }

    /// Resets a stream because of a fault in its response.
    mutating func resetStream(at index: Int, _ error: HTTP2StreamError) {
        let stream = streams[index].id
        HTTP2FrameWriter.reset(stream: stream, code: error.code, into: &output)
        reportFailure(
            at: index,
            HTTP2StreamFailure(
                cause: .malformed,
                isUnprocessed: false,
                code: error.code,
                reason: error.reason,
                limit: error.limit
            )
        )
        removeStream(at: index, mayContinue: true)
    }

    private mutating func takeReset(_ code: HTTP2ErrorCode, on stream: Int32) throws(HTTP2ConnectionError) {
        guard let index = try index(of: stream, receiving: .reset) else { return }
        // RFC 9113 §8.7. A response contradicts the refusal, so the request is not sent again then.
        let isRefused = code == .refusedStream && !streams[index].hasResponse
        reportFailure(
            at: index,
            HTTP2StreamFailure(
                cause: .reset,
                isUnprocessed: isRefused,
                code: code,
                reason: "The server reset the request's stream with \(code.description)."
            )
        )
        removeStream(at: index, mayContinue: false)
    }

    /// Handles a GOAWAY. A later one may exclude more streams, but can't include excluded ones again (RFC 9113 §6.8).
    private mutating func takeGoAway(
        lastStream: Int32,
        _ code: HTTP2ErrorCode,
        _ debug: String
    ) throws(HTTP2ConnectionError) {
        let isFirst = goAway == nil
        // Each one makes an event, and only the first is free.
        if !isFirst { try floodGuard.take(.empty) }
        let last = min(lastStream, goAway?.lastStream ?? .max)
        guard isFirst || last != goAway?.lastStream || code != goAway?.code else { return }
        goAway = (lastStream: last, code: code, debug: debug)
        let reason = "The server closes the connection with \(Self.text(code, debug))."
        events.append(.goneAway(code, lastStream: last, reason: reason))
        let excluded = streams.firstIndex { (stream: HTTP2StreamState) -> Bool in stream.id > last }
        guard let first = excluded else { return }
        for index in first..<streams.count {
            reportFailure(
                at: index,
                HTTP2StreamFailure(
                    cause: .goneAway,
                    isUnprocessed: !streams[index].hasResponse && !Self.isFinal(code),
                    code: code,
                    reason: "The server closes the connection with \(Self.text(code, debug)), and excluded the request."
                )
            )
        }
        while streams.count > first { removeStream(at: streams.count - 1, mayContinue: true) }
    }

    /// Whether another connection would end the same request with the same code.
    static func isFinal(_ code: HTTP2ErrorCode) -> Bool {
        code == .enhanceYourCalm || code == .inadequateSecurity || code == .http11Required
    }

    /// Reports the end of a stream, which is a failure unless its response is complete.
    private mutating func reportFailure(at index: Int, _ failure: HTTP2StreamFailure) {
        let stream = streams[index].id
        events.append(streams[index].phase == .responseEnded ? .requestNotWanted(stream) : .failed(stream, failure))
    }

    // MARK: Settings

    private mutating func takeSettings(_ settings: [HTTP2Setting]) throws(HTTP2ConnectionError) {
        var windows: (last: Int, largest: Int)?
        var streamLimit: Int?
        for setting in settings {
            let value = Int(clamping: setting.value)
            switch setting.identifier {
            case HTTP2Setting.headerTableSize:
                hpackEncoder.setPeerTableBytes(value)
            case HTTP2Setting.maximumConcurrentStreams:
                streamLimit = value
            case HTTP2Setting.initialWindowSize:
                windows = (last: value, largest: max(value, windows?.largest ?? 0))
            default: break
            }
        }
        noteSettings(streamLimit: streamLimit)
        if let windows { try changeStreamWindows(to: windows.last, atMost: windows.largest) }
        try countAcknowledgement()
        HTTP2FrameWriter.settingsAcknowledgement(into: &output)
    }

    /// Counts an acknowledgement that the server requested. Throws if too many wait to be written.
    private mutating func countAcknowledgement() throws(HTTP2ConnectionError) {
        guard pendingAcknowledgements < limits.pendingAcknowledgements else {
            throw .exceeded(
                "pendingAcknowledgements",
                "The server requested more than the limit of \(limits.pendingAcknowledgements) acknowledgements "
                    + "without reading them."
            )
        }
        pendingAcknowledgements += 1
    }

    // MARK: Lookup

    /// Returns the index of a stream, or `nil` if it is gone. Throws if it was never opened (RFC 9113 §5.1): the server
    /// can't know one whose head is still in the output.
    func index(of stream: Int32, receiving kind: HTTP2FrameKind) throws(HTTP2ConnectionError) -> Int? {
        guard stream > 0, stream % 2 == 1, Int(stream) < firstUnsentStream else {
            throw .protocolError("The server sent \(kind.description) for stream \(stream), which was never opened.")
        }
        return index(of: stream)
    }

    private static func afterEnd(_ kind: HTTP2FrameKind) -> HTTP2StreamError {
        HTTP2StreamError(code: .streamClosed, reason: "The server sent \(kind.description) after the response's end.")
    }
}
