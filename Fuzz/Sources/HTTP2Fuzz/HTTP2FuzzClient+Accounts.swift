internal import FuzzDriver

@testable internal import ApusEngine

extension HTTP2FuzzClient {
    /// Checks that all windows add up, and that neither side has sent more than the other one allows.
    func checkAccounts() {
        let window = machine.receiveWindow
        check(window, "the connection")
        require(window.unconsumedBytes == 0, "the connection's window waits for a reader")
        let grownBytes = machine.streams.reduce(0) { (sum: Int, stream: HTTP2StreamState) -> Int in
            sum + stream.receiveWindow.grownBytes
        }
        require(machine.grownBytes == grownBytes, "windows have grown by \(grownBytes), not \(machine.grownBytes)")
        require(grownBytes <= window.byteCount, "windows have grown by \(grownBytes)")
        require(machine.failure == nil || machine.isClosed, "open after a failure")
        guard !machine.isClosed else {
            require(machine.streamCount == 0 && machine.freeSlots == 0, "streams remain after the end")
            return
        }
        for stream in machine.streams {
            check(stream.receiveWindow, "stream \(stream.id)")
            require(stream.receiveWindow.byteCount <= machine.largestStreamWindowBytes, "a window above its limit")
            require(stream.sendWindow.availableBytes <= HTTP2FlowWindow.maximumBytes, "a send window above 2 GiB")
            require(streams[stream.id]?.isCancelled == false, "a cancelled stream remains")
            require(streams[stream.id]?.isFailed == false, "a failed stream remains")
        }
        let identifiers = machine.streams.map(\.id)
        require(identifiers == identifiers.sorted(), "streams without an order: \(identifiers)")
        let waiting = machine.streams.filter { (stream: HTTP2StreamState) -> Bool in stream.waitsForWindow }
        require(machine.waitingStreams == waiting.count, "\(waiting.count) streams wait")
        require(0...HTTP2FlowWindow.maximumBytes ~= machine.sendWindow.availableBytes, "the connection's send window")
        require(machine.lateBytes >= 0 && machine.strayBytes >= 0, "fewer than no bytes")
        require(machine.streamLimit == 0 || machine.freeSlots <= limits.concurrentStreams, "too many streams")
        if !holdsOutput { checkTraffic() }
    }

    private func check(_ window: HTTP2ReceiveWindow, _ name: String) {
        let sum = window.availableBytes + window.unconsumedBytes + window.owedBytes
        require(sum == window.byteCount, "the window of \(name) has \(sum) bytes: \(window)")
        require(window.availableBytes >= 0 && window.unconsumedBytes >= 0 && window.owedBytes >= 0, "\(window)")
    }

    /// Checks the bytes of bodies in both directions against the windows on the wire.
    private func checkTraffic() {
        var receivedBytes = 0
        for (id, stream) in streams {
            receivedBytes += stream.bodyBytes
            let allowed = machine.firstStreamWindowBytes + output.increments[id, default: 0]
            require(stream.bodyBytes <= allowed, "stream \(id) received \(stream.bodyBytes) of \(allowed) bytes")
            let sent = output.sentBytes[id, default: 0]
            require(sent <= windows.bytes(of: id), "stream \(id) sent \(sent) of \(windows.bytes(of: id)) bytes")
        }
        let allowed = HTTP2FlowWindow.initialBytes + output.increments[0, default: 0]
        require(receivedBytes <= allowed, "the connection received \(receivedBytes) of \(allowed) bytes")
        let sent = output.sentBytes.values.reduce(0, +)
        require(sent <= windows.connectionBytes, "the connection sent \(sent) of \(windows.connectionBytes) bytes")
    }
}
