import ApusEngine
import HTTPTypes

/// The frames of the server. Those for a stream that has ended are dropped.
extension HTTP2ServerHandler {
    func sendHeaders(_ lines: [(String, String)], on stream: Int32, ends: Bool) {
        guard let state = streams[stream], !state.isResponseEnded else { return }
        write(ServerFrame.headers(stream, lines, ends: ends))
        if ends { endResponse(of: state) }
    }

    /// Sends bytes of a response as the windows allow. Calls `completion` with whether all were sent.
    func send(_ bytes: [UInt8], on stream: Int32, ends: Bool, completion: @escaping @Sendable (Bool) -> Void) {
        guard let state = streams[stream], !state.isResponseEnded else { return completion(false) }
        state.sendings.append(.init(rest: bytes[...], ends: ends, completion: completion))
        pump(state)
    }

    /// Sends the waiting bytes of all streams as far as the windows allow, one frame of each in turn.
    func pumpAll() {
        var hasSent = true
        while hasSent {
            hasSent = false
            let waiting = streams.values.filter { !$0.sendings.isEmpty }.map(\.stream.id).sorted()
            let first = waiting.firstIndex { $0 > lastServed } ?? 0
            for stream in waiting[first...] + waiting[..<first] {
                if let state = streams[stream], sendFrame(of: state) { hasSent = true }
            }
        }
    }

    /// Sends the waiting bytes of a stream, as far as the windows allow.
    func pump(_ state: HTTP2ServerStreamState) {
        while sendFrame(of: state) {}
    }

    /// Sends one frame of the waiting bytes. Returns `false` if there are none or if a window does not allow it.
    private func sendFrame(of state: HTTP2ServerStreamState) -> Bool {
        guard let sending = state.sendings.first else { return false }
        let progress = state.stream.progress
        let room = max(min(state.sendWindow, sendWindow, ClientFrameReader.largestPayload), 0)
        let count = min(sending.rest.count, room)
        guard count > 0 || sending.rest.isEmpty else {
            progress.change { $0.isBlocked = true }
            return false
        }
        let isLast = count == sending.rest.count
        lastServed = state.stream.id
        state.sendWindow -= count
        sendWindow -= count
        // Changed before the write, which ends the stream if the connection fails.
        if isLast { state.sendings.removeFirst() } else { state.sendings[0].rest = sending.rest.dropFirst(count) }
        progress.change { progress in
            progress.sentBytes += count
            progress.isBlocked = false
        }
        write(ServerFrame.data(state.stream.id, sending.rest.prefix(count), ends: isLast && sending.ends))
        guard isLast else { return true }
        sending.completion(true)
        if sending.ends { endResponse(of: state) }
        return true
    }

    private func endResponse(of state: HTTP2ServerStreamState) {
        state.isResponseEnded = true
        if state.isRequestEnded { remove(state) }
    }

    /// Removes a stream whose request and response have ended.
    func remove(_ state: HTTP2ServerStreamState) {
        streams[state.stream.id] = nil
        // The responder may still run, and is not cancelled.
        state.task = nil
        state.end()
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        guard let state = streams.removeValue(forKey: stream) else { return }
        write(ServerFrame.reset(stream, code))
        state.task = nil
        state.end()
    }

    /// Opens a window of the client. Stream 0 is the connection.
    func openWindow(of stream: Int32, by count: Int) {
        guard count > 0 else { return }
        if stream == 0 {
            receiveWindow += count
        } else {
            guard let state = streams[stream], !state.isRequestEnded else { return }
            state.receiveWindow += count
        }
        write(ServerFrame.windowUpdate(stream, by: count))
    }

    /// Announces settings. A window or a limit applies once the client has acknowledged it.
    func change(_ settings: [HTTP2ServerSetting]) {
        for case .concurrentStreams(let count) in settings { announcedLimit = Int(count) }
        unacknowledged.append(settings)
        write(ServerFrame.settings(settings))
    }

    func goAway(lastStream last: Int32?, _ code: HTTP2ErrorCode, _ text: String) {
        let last = last ?? lastStream
        lastProcessed = min(lastProcessed, last)
        write(ServerFrame.goAway(last, code, text))
        for stream in streams.keys.sorted() where stream > last { streams.removeValue(forKey: stream)?.end() }
    }
}
