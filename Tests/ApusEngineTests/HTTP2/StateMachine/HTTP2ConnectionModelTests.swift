internal import ApusTestServer
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// Drives the machine with random steps of a client and of a server beside a simple model of all windows. The server
/// follows the rules, except that it sometimes sends more than a stream's window.
@Suite struct HTTP2ConnectionModelTests {
    @Test(arguments: 0..<30 as Range<UInt64>)
    func keepsToTheWindows(seed: UInt64) throws {
        var model = HTTP2ConnectionModel(seed: seed)
        for _ in 0..<1_500 { try model.step() }
        model.finish()
    }
}

private struct HTTP2ConnectionModel {
    /// The expected state of a stream, kept separately from the machine.
    private struct Stream {
        /// The bytes that the client may send, and those that the server may send.
        var clientWindow: Int
        var serverWindow: Int
        /// The bytes that the client wants to send and could not, and those that it has received and not consumed.
        var waiting = 0
        var unread = 0
        /// The first size of the server's window, and the number of bytes by which it has grown.
        let firstWindow: Int
        var grownBytes = 0
        /// The bytes that were consumed, with the padding, and those that the client gave back.
        var consumedBytes = 0
        var givenBytes = 0
        /// Whether the client was notified that it can send since it last could not.
        var isWoken = false
        var isRequestEnded = false
        var hasHead = false
        var isResponseEnded = false
    }

    private var random: SeededGenerator
    private var stage: HTTP2ConnectionStage
    private var streams: [Int32: Stream] = [:]
    /// The streams that the client has reset, with the bytes that the server may still send until it knows.
    private var late: [Int32: Int] = [:]
    private var gone: [Int32] = []
    private var clientWindow = 65_535
    private var serverWindow: Int
    private var initialWindow: Int
    private var seenFrames = 0
    private var seenEntries = 0
    /// The size of the connection's window, the bytes of DATA that have arrived, and those that the client gave back.
    private let connectionWindow: Int
    private var arrivedBytes = 0
    private var givenBytes = 0
    /// Whether a round trip was measured, without which no window grows.
    private let canGrow: Bool

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let limits = HTTP2Limits(
            streamWindowBytes: Int.random(in: 1...100_000, using: &random),
            connectionWindowBytes: Int.random(in: 65_535...300_000, using: &random)
        )
        initialWindow = Int.random(in: 0...80_000, using: &random)
        stage = HTTP2ConnectionStage(limits: limits, settings: [(0x4, UInt32(initialWindow))])
        connectionWindow = limits.connectionWindowBytes
        serverWindow = limits.connectionWindowBytes
        let roundTrips: [UInt64] = [0, 100, .max]
        let roundTrip = roundTrips.randomElement(using: &random) ?? 0
        canGrow = roundTrip > 0
        stage.machine.noteRoundTrip(nanoseconds: roundTrip)
    }

    mutating func step() throws {
        stage.now += 1
        switch Int.random(in: 0..<100, using: &random) {
        case ..<10: try open()
        case ..<30: send()
        case ..<35: try endRequest()
        case ..<45: openWindow()
        case ..<48: changeSettings()
        case ..<55: receiveHead()
        case ..<75: receiveData()
        case ..<90: consume()
        case ..<92: cancel()
        case ..<94: reset()
        case ..<95: exceedStreamWindow()
        default: receiveLateData()
        }
        check()
    }

    /// Consumes all bytes, and checks that each was given back once or is still owed.
    mutating func finish() {
        for stream in streams.keys.sorted() { consume(streams[stream]?.unread ?? 0, of: stream) }
        check()
        let window = stage.machine.receiveWindow
        #expect(window.availableBytes + window.owedBytes == connectionWindow)
        #expect(givenBytes + window.owedBytes == arrivedBytes, "the connection's window")
        for state in stage.machine.streams {
            guard let stream = streams[state.id], !stream.isResponseEnded else { continue }
            let part = state.receiveWindow
            #expect(part.availableBytes + part.owedBytes == part.byteCount)
            #expect(stream.givenBytes + part.owedBytes == stream.consumedBytes + part.grownBytes, "a stream's window")
        }
        #expect(!stage.machine.isClosed)
        stage.close()
    }

    // MARK: The client

    private mutating func open() throws {
        guard stage.machine.freeSlots > 0, streams.count < 12 else { return }
        let stream = try stage.upload()
        // Smaller than announced, so that it can grow. The server does not use the rest.
        let divisor = 1 << Int.random(in: 0...4, using: &random)
        let largest = max(stage.machine.firstStreamWindowBytes / divisor, 1)
        let window = Int.random(in: 1...largest, using: &random)
        stage.machine.streams[stage.machine.streams.count - 1].receiveWindow = HTTP2ReceiveWindow(byteCount: window)
        streams[stream] = Stream(clientWindow: initialWindow, serverWindow: window, firstWindow: window)
    }

    /// Returns a random stream that fulfils a condition.
    private mutating func pick(_ condition: (Stream) -> Bool) -> Int32? {
        let candidates = streams.keys.sorted().filter { (id: Int32) -> Bool in
            guard let stream = streams[id] else { return false }
            return condition(stream)
        }
        return candidates.randomElement(using: &random)
    }

    private mutating func send() {
        guard let id = pick({ (stream: Stream) -> Bool in !stream.isRequestEnded }), let stream = streams[id] else {
            return
        }
        let allowed = max(0, min(stream.clientWindow, clientWindow))
        #expect(stage.machine.sendable(id) == allowed)
        let count = stream.waiting > 0 ? stream.waiting : Int.random(in: 1...60_000, using: &random)
        let rest = stage.send(count, of: id)
        #expect(rest == max(0, count - allowed), "it sends as much as the windows allow")
        streams[id]?.waiting = rest
        streams[id]?.isWoken = false
    }

    private mutating func endRequest() throws {
        let candidate = pick { (stream: Stream) -> Bool in !stream.isRequestEnded && stream.waiting == 0 }
        guard let id = candidate else { return }
        try stage.endRequest(of: id)
        streams[id]?.isRequestEnded = true
        removeIfOver(id)
    }

    private mutating func consume() {
        // The reader of a stream that is gone has no effect.
        if Int.random(in: 0..<4, using: &random) == 0, let id = gone.randomElement(using: &random) {
            return stage.consumed(Int.random(in: 1...50_000, using: &random), of: id)
        }
        guard let id = pick({ (stream: Stream) -> Bool in stream.unread > 0 }), let stream = streams[id] else { return }
        // A reader that takes all it has lets the window grow.
        let least = Bool.random(using: &random) ? stream.unread : 1
        let count = Int.random(in: least...stream.unread, using: &random)
        consume(count, of: id)
    }

    private mutating func consume(_ count: Int, of id: Int32) {
        stage.consumed(count, of: id)
        streams[id]?.unread -= count
        streams[id]?.consumedBytes += count
    }

    private mutating func cancel() {
        guard let id = pick({ (_: Stream) -> Bool in true }), let stream = streams[id] else { return }
        stage.cancel(id)
        late[id] = stream.isResponseEnded ? 0 : stream.serverWindow
        remove(id)
    }

    // MARK: The server

    private mutating func openWindow() {
        let increment = Int.random(in: 1...40_000, using: &random)
        guard Bool.random(using: &random), let id = pick({ (_: Stream) -> Bool in true }) else {
            clientWindow += increment
            return stage.receive(HTTP2Peer.windowUpdate(0, UInt32(increment)))
        }
        streams[id]?.clientWindow += increment
        stage.receive(HTTP2Peer.windowUpdate(id, UInt32(increment)))
    }

    private mutating func changeSettings() {
        let value = Int.random(in: 0...80_000, using: &random)
        for id in streams.keys { streams[id]?.clientWindow += value - initialWindow }
        initialWindow = value
        stage.receive(HTTP2Peer.settings([(0x4, UInt32(value))]))
    }

    private mutating func receiveHead() {
        guard let id = pick({ (stream: Stream) -> Bool in !stream.hasHead }) else { return }
        streams[id]?.hasHead = true
        let endStream = Int.random(in: 0..<4, using: &random) == 0
        streams[id]?.isResponseEnded = endStream
        stage.receiveHead(id, endStream: endStream)
        removeIfOver(id)
    }

    private mutating func receiveData() {
        guard let id = pick({ (stream: Stream) -> Bool in stream.hasHead && !stream.isResponseEnded }),
            let stream = streams[id]
        else { return }
        let total = Int.random(in: 0...min(stream.serverWindow, serverWindow, 16_384), using: &random)
        var padding: Int?
        if total > 0, Bool.random(using: &random) { padding = Int.random(in: 0...min(total - 1, 255), using: &random) }
        let count = total - (padding ?? -1) - 1
        let endStream = Int.random(in: 0..<8, using: &random) == 0
        streams[id]?.serverWindow -= total
        streams[id]?.unread += count
        // Padding has no reader.
        streams[id]?.consumedBytes += total - count
        serverWindow -= total
        arrivedBytes += total
        if endStream { streams[id]?.isResponseEnded = true }
        let content = [UInt8](repeating: 5, count: count)
        stage.receive(HTTP2Peer.data(id, content, padding: padding, endStream: endStream))
        removeIfOver(id)
    }

    private mutating func reset() {
        guard let id = pick({ (_: Stream) -> Bool in true }) else { return }
        stage.receive(HTTP2Peer.reset(id, .cancel))
        remove(id)
    }

    /// Sends one byte more than a stream's window. The client resets the stream, and the connection goes on.
    private mutating func exceedStreamWindow() {
        let largest = min(serverWindow, 16_384)
        let candidate = pick { (stream: Stream) -> Bool in
            stream.hasHead && !stream.isResponseEnded && stream.serverWindow < largest
        }
        guard let id = candidate, let stream = streams[id] else { return }
        let count = stream.serverWindow + 1
        serverWindow -= count
        arrivedBytes += count
        stage.receive(HTTP2Peer.data(id, [UInt8](repeating: 7, count: count)))
        #expect(stage.failure(id)?.code == .flowControlError)
        late[id] = stream.serverWindow
        remove(id)
    }

    private mutating func receiveLateData() {
        guard let id = late.keys.sorted().randomElement(using: &random), let known = late[id] else { return }
        let allowed = min(known, serverWindow, 16_384)
        let count = Int.random(in: 0...max(allowed, 0), using: &random)
        late[id] = known - count
        serverWindow -= count
        arrivedBytes += count
        stage.receive(HTTP2Peer.data(id, [UInt8](repeating: 6, count: count)))
    }

    private mutating func removeIfOver(_ id: Int32) {
        guard let stream = streams[id], stream.isRequestEnded, stream.isResponseEnded else { return }
        remove(id)
    }

    private mutating func remove(_ id: Int32) {
        streams[id] = nil
        gone.append(id)
    }

    // MARK: Checks

    private mutating func check() {
        for frame in stage.sent[seenFrames...] { take(frame) }
        seenFrames = stage.sent.count
        for case .writable(let id) in stage.entries[seenEntries...] { streams[id]?.isWoken = true }
        seenEntries = stage.entries.count
        #expect(stage.machine.failure == nil)
        #expect(stage.machine.sendWindow.availableBytes == clientWindow)
        #expect(stage.machine.streams.map(\.id) == streams.keys.sorted())
        let owedBytes = arrivedBytes - givenBytes
        #expect(places(stage.machine.receiveWindow) == [connectionWindow, serverWindow, 0, owedBytes])
        #expect(owedBytes >= 0, "more was given back than has arrived")
        #expect(owedBytes < connectionWindow / 2, "the connection's WINDOW_UPDATE is due")
        var grownBytes = 0
        for state in stage.machine.streams {
            guard let stream = streams[state.id] else { continue }
            #expect(state.sendWindow.availableBytes == stream.clientWindow)
            #expect(state.waitsForWindow == (stream.waiting > 0 && !stream.isWoken))
            if state.waitsForWindow { #expect(min(stream.clientWindow, clientWindow) <= 0, "it can send") }
            guard !stream.isResponseEnded else { continue }
            grownBytes += state.receiveWindow.grownBytes
            check(state.receiveWindow, of: state.id, stream)
        }
        #expect(stage.machine.grownBytes == grownBytes)
        #expect(grownBytes <= (canGrow ? connectionWindow : 0))
    }

    /// Checks the window of a stream whose response has not ended.
    private mutating func check(_ window: HTTP2ReceiveWindow, of id: Int32, _ stream: Stream) {
        let byteCount = stream.firstWindow + window.grownBytes
        let owedBytes = stream.consumedBytes + window.grownBytes - stream.givenBytes
        #expect(places(window) == [byteCount, stream.serverWindow, stream.unread, owedBytes])
        #expect(owedBytes == 0 || 0 < owedBytes && owedBytes < byteCount / 2, "the stream's WINDOW_UPDATE is due")
        // It does not shrink, and at most doubles in one step.
        let smallest = stream.firstWindow + stream.grownBytes
        let largest = min(2 * smallest, stage.machine.largestStreamWindowBytes)
        #expect(byteCount >= smallest && byteCount <= largest)
        streams[id]?.grownBytes = window.grownBytes
    }

    /// Returns the size of a window, and the number of its bytes in each of their three places.
    private func places(_ window: HTTP2ReceiveWindow) -> [Int] {
        [window.byteCount, window.availableBytes, window.unconsumedBytes, window.owedBytes]
    }

    /// Follows a frame of the client in the model.
    private mutating func take(_ frame: HTTP2SentFrame) {
        switch frame.type {
        case HTTP2Peer.Kind.data:
            let count = frame.payload.count
            #expect(count <= 16_384)
            if count > 0 {
                #expect(count <= clientWindow, "the connection's window")
                if let stream = streams[frame.stream] { #expect(count <= stream.clientWindow, "the stream's window") }
            }
            clientWindow -= count
            streams[frame.stream]?.clientWindow -= count
        case HTTP2Peer.Kind.windowUpdate:
            #expect(frame.number > 0)
            if frame.stream == 0 {
                serverWindow += frame.number
                givenBytes += frame.number
            } else {
                let isOpen = streams[frame.stream].map { (stream: Stream) -> Bool in !stream.isResponseEnded }
                #expect(isOpen == true, "a WINDOW_UPDATE for stream \(frame.stream), on which nothing may arrive")
                streams[frame.stream]?.serverWindow += frame.number
                streams[frame.stream]?.givenBytes += frame.number
            }
        default: break
        }
    }
}
