package import HTTPTypes
package import NIOCore

extension HTTP2ConnectionStateMachine {
    /// Opens a stream with the head of a request.
    ///
    /// A request without a body ends with its head, except CONNECT. Any other one needs `send` with `endStream`, or
    /// `endRequest`. If an error is thrown, nothing has changed.
    ///
    /// - Precondition: `freeSlots` is positive.
    /// - Parameters:
    ///   - method: The method.
    ///   - scheme: The scheme of the target.
    ///   - authority: The host, and the port if it is not the scheme's default.
    ///   - path: The path and the query of the target.
    ///   - fields: The fields.
    ///   - framing: The body that will be sent. Its length is not checked against `send`.
    /// - Returns: The number of the stream.
    /// - Throws: `RequestEncodeError`.
    package mutating func open(
        method: HTTPRequest.Method,
        scheme: String,
        authority: String,
        path: String,
        fields: HTTPFields,
        framing: RequestFraming
    ) throws(RequestEncodeError) -> Int32 {
        precondition(freeSlots > 0, "the connection has no free slot")
        block.clear()
        try HTTP2RequestEncoder.encode(
            method: method,
            scheme: scheme,
            authority: authority,
            path: path,
            fields: fields,
            framing: framing,
            with: &hpackEncoder,
            into: &block
        )
        // A free slot means that the number is valid.
        let stream = Int32(truncatingIfNeeded: nextStream)
        let isRequestEnded = (framing == .none || framing == .length(0)) && method != .connect
        HTTP2FrameWriter.headers(
            stream: stream,
            block: block,
            endStream: isRequestEnded,
            maximumFrame: Self.frameBytes,
            into: &output
        )
        streams.append(
            HTTP2StreamState(
                id: stream,
                isRequestEnded: isRequestEnded,
                method: method,
                sendWindowBytes: peerStreamWindowBytes,
                receiveWindowBytes: firstStreamWindowBytes,
                limits: limits
            )
        )
        nextStream += 2
        floodGuard.noteOpenedStream()
        return stream
    }

    /// Sends as much of a body as the windows allow, in frames of at most 16 KiB. The rest stays in `chunk`.
    ///
    /// If there is a rest, `.writable` follows once the windows have opened, and the owner passes the rest again. It
    /// bounds the size of a chunk, and pauses while its channel accepts no output, since the windows of the server may
    /// allow 2 GiB. Takes nothing if the stream is gone or its request has ended.
    ///
    /// - Parameters:
    ///   - chunk: The next bytes of the body.
    ///   - stream: The stream.
    ///   - endStream: Whether the request ends with the last byte of `chunk`, which may be empty. It has no effect if
    ///     there is a rest.
    package mutating func send(_ chunk: inout ByteBuffer, of stream: Int32, endStream: Bool) {
        guard let index = index(of: stream), streams[index].phase != .requestEnded else { return }
        let count = min(chunk.readableBytes, sendable(at: index))
        let hasRest = count < chunk.readableBytes
        setWaiting(hasRest, at: index)
        let isEnd = endStream && !hasRest
        guard count > 0 || isEnd else { return }
        streams[index].sendWindow.take(count)
        sendWindow.take(count)
        if count > 0 { lastServedStream = stream }
        writeData(count, of: &chunk, stream, isEnd: isEnd)
        if isEnd { endRequest(at: index) }
    }

    /// Writes `count` bytes of a chunk as DATA frames. One without bytes if there are none.
    private mutating func writeData(_ count: Int, of chunk: inout ByteBuffer, _ stream: Int32, isEnd: Bool) {
        let frameCount = count / Self.frameBytes + 1
        output.reserveCapacity(minimumWritableBytes: count + frameCount * HTTP2FrameHeader.byteCount)
        var rest = count
        repeat {
            let length = min(rest, Self.frameBytes)
            rest -= length
            HTTP2FrameWriter.dataHeader(
                stream: stream,
                length: length,
                endStream: isEnd && rest == 0,
                into: &output
            )
            // Copied behind its header, so that TLS encrypts both in one record.
            if var part = chunk.readSlice(length: length) { output.writeBuffer(&part) }
            floodGuard.noteSentData(length)
        } while rest > 0
    }

    /// Ends a request, all bytes of which were sent. Has no effect if the stream is gone or its request has ended.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - trailers: The trailer fields, or `nil` for none.
    /// - Throws: `RequestEncodeError` for an invalid trailer field. Nothing has changed then.
    package mutating func endRequest(of stream: Int32, trailers: HTTPFields? = nil) throws(RequestEncodeError) {
        guard let index = index(of: stream), streams[index].phase != .requestEnded else { return }
        if let trailers, !trailers.isEmpty {
            block.clear()
            try HTTP2RequestEncoder.encodeTrailers(trailers, with: &hpackEncoder, into: &block)
            HTTP2FrameWriter.headers(
                stream: stream,
                block: block,
                endStream: true,
                maximumFrame: Self.frameBytes,
                into: &output
            )
        } else {
            HTTP2FrameWriter.dataHeader(stream: stream, length: 0, endStream: true, into: &output)
        }
        setWaiting(false, at: index)
        endRequest(at: index)
    }

    private mutating func endRequest(at index: Int) {
        switch streams[index].phase {
        case .open: streams[index].phase = .requestEnded
        case .responseEnded: removeStream(at: index, mayContinue: false)
        case .requestEnded: break
        }
    }

    /// Resets a stream on behalf of its owner. No event of the stream follows.
    ///
    /// Frames that the server had already sent are read and dropped. Has no effect for a stream that is gone.
    package mutating func cancel(_ stream: Int32, _ code: HTTP2ErrorCode = .cancel) {
        guard let index = index(of: stream) else { return }
        HTTP2FrameWriter.reset(stream: stream, code: code, into: &output)
        removeStream(at: index, mayContinue: true)
    }
}
