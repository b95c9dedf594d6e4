import ApusEngine
import HTTPTypes
import NIOCore

/// The frames of the client, checked by RFC 9113.
extension HTTP2ServerHandler {
    func readFrames(_ bytes: ByteBuffer) {
        reader.append(bytes)
        do throws(ClientFault) {
            while phase == .http2, let frame = try reader.next() {
                try take(frame)
                guard options.keepsLog else { continue }
                let logged = frame.withoutContent
                log.change { $0.frames.append(logged) }
            }
        } catch {
            report(error)
        }
    }

    private func take(_ frame: ClientFrame) throws(ClientFault) {
        if let openBlock, frame.kind != .continuation || frame.stream != openBlock.stream {
            throw ClientFault("a frame is inside of a header block: \(frame)")
        }
        switch frame.kind {
        case .data: try takeData(frame)
        case .headers: try takeHeaders(frame)
        case .continuation: try takeContinuation(frame)
        case .reset: try takeReset(frame)
        case .settings: try takeSettings(frame)
        case .ping: try takePing(frame)
        case .windowUpdate: try takeWindowUpdate(frame)
        case .goAway:
            guard frame.stream == 0, frame.byteCount >= 8 else { throw ClientFault("invalid: \(frame)") }
        case .priority: break
        case .pushPromise: throw ClientFault("a client must not push: \(frame)")
        }
    }

    /// Checks that a stream was opened, and that the client has not reset it.
    private func checkOpened(_ frame: ClientFrame) throws(ClientFault) {
        guard frame.stream > 0, frame.stream % 2 == 1, frame.stream <= lastStream else {
            throw ClientFault("the stream was never opened: \(frame)")
        }
        guard !resetByClient.contains(frame.stream) else { throw ClientFault("a frame follows a reset: \(frame)") }
    }

    // MARK: Requests

    private func takeHeaders(_ frame: ClientFrame) throws(ClientFault) {
        guard frame.stream > 0, frame.stream % 2 == 1 else { throw ClientFault("the stream is invalid: \(frame)") }
        openBlock = OpenBlock(stream: frame.stream, ends: frame.endsStream, bytes: Array(try frame.content()))
        if frame.endsHeaders { try endBlock() }
    }

    private func takeContinuation(_ frame: ClientFrame) throws(ClientFault) {
        guard openBlock != nil else { throw ClientFault("nothing is to be continued: \(frame)") }
        openBlock?.bytes.append(contentsOf: frame.payload)
        if frame.endsHeaders { try endBlock() }
    }

    private func endBlock() throws(ClientFault) {
        guard let block = openBlock else { return }
        openBlock = nil
        // Decoded in any case, since a block changes the table of the decoder.
        let lines = try headerBlocks.lines(of: block.bytes)
        guard block.stream > lastStream else { return try takeTrailers(lines, block) }
        lastStream = block.stream
        if block.ends { endedByClient.insert(block.stream) }
        guard block.stream <= lastProcessed else { return }
        guard streams.count < acknowledgedLimit else {
            throw ClientFault("stream \(block.stream) exceeds the limit of \(acknowledgedLimit)")
        }
        guard streams.count < announcedLimit else {
            log.change { $0.refusedCount += 1 }
            return write(ServerFrame.reset(block.stream, .refusedStream))
        }
        let request = try HTTP2ServerRequest(connection: number, stream: block.stream, lines: lines)
        open(request, ends: block.ends)
    }

    /// Reads the trailers of a request, which end it.
    private func takeTrailers(_ lines: [(name: String, value: String)], _ block: OpenBlock) throws(ClientFault) {
        let stream = block.stream
        guard !endedByClient.contains(stream) else { throw ClientFault("the request on \(stream) has ended") }
        guard block.ends else { throw ClientFault("the trailers on \(stream) do not end the request") }
        for (name, value) in lines where name.hasPrefix(":") || HTTP2ServerRequest.forbidden.contains(name) {
            throw ClientFault("the trailer field '\(name): \(value)' is forbidden")
        }
        endedByClient.insert(stream)
        guard let state = streams[stream] else { return }
        let byteCount = state.stream.progress.change { progress -> Int in
            progress.trailers = lines
            progress.isRequestEnded = true
            return progress.body.count
        }
        try endRequest(of: state, byteCount)
    }

    private func open(_ request: HTTP2ServerRequest, ends: Bool) {
        guard let connection else { return }
        let stream = HTTP2ServerStream(request, connection)
        let state = HTTP2ServerStreamState(stream, sendWindow: streamSendWindow, receiveWindow: streamReceiveWindow)
        state.isRequestEnded = ends
        state.isWindowHeld = options.holdsWindow(request)
        streams[request.stream] = state
        stream.progress.change { $0.isRequestEnded = ends }
        let keepsLog = options.keepsLog
        log.change { log in
            log.responderCount += 1
            guard keepsLog else { return }
            log.requests.append(request)
            log.streams.append(stream)
        }
        state.task = Task { [responder = self.responder, log = self.log] in
            await responder(stream)
            log.change { $0.responderCount -= 1 }
        }
    }

    private func takeData(_ frame: ClientFrame) throws(ClientFault) {
        let content = try frame.content()
        receiveWindow -= frame.byteCount
        guard receiveWindow >= 0 else { throw ClientFault("the connection's window is exceeded: \(frame)") }
        guard !endedByClient.contains(frame.stream) else { throw ClientFault("the request has ended: \(frame)") }
        if frame.endsStream { endedByClient.insert(frame.stream) }
        guard let state = streams[frame.stream] else {
            try checkOpened(frame)
            if options.opensWindows { openWindow(of: 0, by: frame.byteCount) }
            return
        }
        state.receiveWindow -= frame.byteCount
        guard state.receiveWindow >= 0 else { throw ClientFault("the stream's window is exceeded: \(frame)") }
        if options.opensWindows {
            openWindow(of: 0, by: frame.byteCount)
            if !frame.endsStream, !state.isWindowHeld { openWindow(of: frame.stream, by: frame.byteCount) }
        }
        let byteCount = state.stream.progress.change { progress -> Int in
            progress.body.append(contentsOf: content)
            if frame.endsStream { progress.isRequestEnded = true }
            return progress.body.count
        }
        if frame.endsStream { try endRequest(of: state, byteCount) }
    }

    /// Ends a request with a body of that length.
    private func endRequest(of state: HTTP2ServerStreamState, _ byteCount: Int) throws(ClientFault) {
        if let declared = state.stream.request["content-length"], declared != String(byteCount) {
            throw ClientFault("the request has \(byteCount) bytes, but content-length: \(declared)")
        }
        state.isRequestEnded = true
        if state.isResponseEnded { remove(state) }
    }

    private func takeReset(_ frame: ClientFrame) throws(ClientFault) {
        guard frame.byteCount == 4 else { throw ClientFault("invalid: \(frame)") }
        try checkOpened(frame)
        endedByClient.insert(frame.stream)
        resetByClient.insert(frame.stream)
        streams.removeValue(forKey: frame.stream)?.end(frame.code)
    }

    // MARK: Connection

    private func takeSettings(_ frame: ClientFrame) throws(ClientFault) {
        guard frame.stream == 0, frame.byteCount % 6 == 0 else { throw ClientFault("invalid: \(frame)") }
        guard !frame.isAcknowledgement else { return try takeAcknowledgement(frame) }
        for start in stride(from: 0, to: frame.payload.count, by: 6) {
            let value = Int(ClientFrame.number(frame.payload[(start + 2)..<(start + 6)]))
            switch ClientFrame.number(frame.payload[start..<(start + 2)]) {
            case 2 where value != 0: throw ClientFault("the client accepts pushed responses")
            case 4:
                for state in streams.values { state.sendWindow += value - streamSendWindow }
                streamSendWindow = value
            default: break
            }
        }
        write(ServerFrame.settingsAcknowledgement)
        pumpAll()
    }

    private func takeAcknowledgement(_ frame: ClientFrame) throws(ClientFault) {
        guard frame.byteCount == 0, !unacknowledged.isEmpty else {
            throw ClientFault("there are no SETTINGS to acknowledge: \(frame)")
        }
        for setting in unacknowledged.removeFirst() {
            switch setting {
            case .concurrentStreams(let count): acknowledgedLimit = Int(count)
            case .windowBytes(let count):
                for state in streams.values { state.receiveWindow += Int(count) - streamReceiveWindow }
                streamReceiveWindow = Int(count)
            }
        }
    }

    private func takePing(_ frame: ClientFrame) throws(ClientFault) {
        guard frame.stream == 0, frame.byteCount == 8 else { throw ClientFault("invalid: \(frame)") }
        guard !frame.isAcknowledgement, options.answersPings else { return }
        write(ServerFrame.ping(frame.payload, isAcknowledgement: true))
    }

    private func takeWindowUpdate(_ frame: ClientFrame) throws(ClientFault) {
        let increment = Int(frame.number)
        guard frame.byteCount == 4, (1...0x7FFF_FFFF).contains(increment) else {
            throw ClientFault("invalid: \(frame)")
        }
        guard frame.stream != 0 else {
            sendWindow += increment
            guard sendWindow <= 0x7FFF_FFFF else { throw ClientFault("the connection's window is too large") }
            return pumpAll()
        }
        guard let state = streams[frame.stream] else { return try checkOpened(frame) }
        state.sendWindow += increment
        guard state.sendWindow <= 0x7FFF_FFFF else { throw ClientFault("the stream's window is too large: \(frame)") }
        pump(state)
    }
}
