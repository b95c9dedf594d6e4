internal import ApusCore
internal import NIOCore

/// The bodies of requests.
extension HTTP2Connection {
    /// Sends a short body with its head, and starts sending a longer one.
    func send(_ upload: RequestUpload, of stream: HTTP2Stream) {
        if case .nothing = upload.content {
            stream.isRequestDone = true
            stream.upload = nil
        } else if upload.expectsContinue {
            let limit = stream.exchange.timeouts.expectContinue
            stream.progress.continueDue = stream.progress.start.advanced(by: limit)
        } else {
            sendContent(of: stream)
        }
    }

    /// Starts sending the body, which may have waited for a `100 (Continue)`. Does nothing while its request is
    /// suspended.
    func sendContent(of stream: HTTP2Stream) {
        stream.progress.continueDue = nil
        guard streams[stream.id] === stream, !stream.exchange.holdsContent(), let upload = stream.upload.take() else {
            return
        }
        if upload.isSentInPieces || upload.expectsContinue {
            stream.clock.watchSending(context?.channel.socketStatus, at: now)
        }
        switch upload.content {
        case .nothing:
            endContent(of: stream)
        case .short(let content), .long(let content):
            stream.rest = content
            stream.endsAfterRest = true
            sendRest(of: stream)
        case .pumped:
            let pump = BodyPump(stream.exchange)
            stream.exchange.pump = pump
            pump.start()
        }
    }

    /// Sends the bytes that wait, as far as the windows and the channel accept them.
    func sendRest(of stream: HTTP2Stream) {
        guard streams[stream.id] === stream else { return }
        while stream.rest.readableBytes > 0, isChannelWritable, !isFlushHeld, !stream.exchange.holdsContent() {
            let count = min(stream.rest.readableBytes, RequestUpload.sliceBytes)
            guard var slice = stream.rest.getSlice(at: stream.rest.readerIndex, length: count) else { break }
            let isLast = stream.endsAfterRest && stream.trailers == nil && count == stream.rest.readableBytes
            machine.send(&slice, of: stream.id, endStream: isLast)
            let sent = count - slice.readableBytes
            stream.rest.moveReaderIndex(forwardBy: sent)
            if sent > 0 { noteSent(sent, of: stream) }
            // The rest follows when the window opens.
            guard slice.readableBytes == 0 else { break }
            if isLast { noteRequestEnd(of: stream) }
            // Flushed at once, so that the channel can refuse more: TLS accepts any number of bytes until then.
            if stream.rest.readableBytes > 0 {
                flush()
                guard streams[stream.id] === stream else { return }
            }
        }
        scheduleFlush()
        // It may have flushed at once, and failed.
        guard streams[stream.id] === stream else { return }
        if stream.rest.readableBytes > 0 {
            guard !stream.exchange.isContentHeld else { return }
            stream.clock.noteStalled()
            ensureTimer(for: stream.nextInstant)
            return
        }
        stream.rest = ByteBuffer()
        if !stream.isRequestDone {
            if stream.endsAfterRest { return endRequest(of: stream) }
            stream.exchange.resumeWriter()
        }
    }

    /// Continues or starts the body of a request that was suspended.
    func sendOn(_ stream: HTTP2Stream) {
        guard streams[stream.id] === stream else { return }
        stream.clock.noteProgress(at: now)
        if stream.upload == nil {
            sendRest(of: stream)
        } else if stream.progress.continueDue == nil {
            sendContent(of: stream)
        }
        guard streams[stream.id] === stream else { return }
        ensureTimer(for: stream.nextInstant)
    }

    /// Ends the body, and sends its trailers, after the bytes that wait.
    func endContent(of stream: HTTP2Stream) {
        guard streams[stream.id] === stream, !stream.isRequestDone else { return }
        stream.endsAfterRest = true
        if stream.rest.readableBytes == 0 { endRequest(of: stream) }
    }

    private func endRequest(of stream: HTTP2Stream) {
        do throws(RequestEncodeError) {
            try machine.endRequest(of: stream.id, trailers: stream.trailers)
        } catch {
            return abort(stream, error.asApusError)
        }
        noteRequestEnd(of: stream)
        scheduleFlush()
    }

    private func noteSent(_ count: Int, of stream: HTTP2Stream) {
        stream.progress.sentBytes += Int64(count)
        stream.clock.noteWritable(at: now)
        stream.exchange.record.noteSent(stream.progress.sentBytes)
    }

    private func noteRequestEnd(of stream: HTTP2Stream) {
        stream.isRequestDone = true
        let (end, sent) = (now, stream.progress.sentBytes)
        stream.clock.noteQueued(at: end)
        stream.exchange.record.write { metrics in
            metrics.requestEnd = end
            metrics.requestBodyBytes = sent
        }
        ensureTimer(for: stream.nextInstant)
    }

    /// Continues the bodies that the channel has held up. Begins after the stream that was continued last, so that each
    /// gets its turn.
    func resumeUploads() {
        let uploads = streams.values.filter { !$0.isRequestDone && $0.progress.continueDue == nil }.sorted {
            $0.id < $1.id
        }
        let first = uploads.firstIndex { $0.id > lastResumed } ?? 0
        for stream in uploads[first...] + uploads[..<first] where streams[stream.id] === stream {
            guard isChannelWritable else { return }
            lastResumed = stream.id
            if stream.rest.readableBytes > 0 { sendRest(of: stream) } else { stream.exchange.resumeWriter() }
        }
    }
}
