internal import HTTPTypes
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

/// A state machine with the server that it talks to. It records the events, checks their order, and takes all output.
struct HTTP2ConnectionStage {
    /// An event in a form that can be compared.
    enum Entry: Equatable, Sendable {
        case informational(Int32, Int)
        case head(Int32, Int, endStream: Bool)
        case body(Int32, [UInt8])
        case end(Int32, trailers: [String]?)
        case failed(Int32, HTTP2StreamFailure)
        case writable(Int32)
        case requestNotWanted(Int32)
        case goneAway(HTTP2ErrorCode, Int32)
        case pong(UInt64)
    }

    var machine: HTTP2ConnectionStateMachine
    var peer = HTTP2Peer()
    var now: UInt64 = 0
    /// Whether output is taken after each step.
    var takesOutput = true
    private(set) var entries: [Entry] = []
    private(set) var sent: [HTTP2SentFrame] = []
    private(set) var opened: [Int32] = []
    private(set) var cancelled: Set<Int32> = []
    private(set) var ended: Set<Int32> = []
    private(set) var failed: Set<Int32> = []
    private(set) var unwanted: Set<Int32> = []
    private var input = ByteBuffer()

    /// - Parameters:
    ///   - limits: The limits.
    ///   - firstStream: The number of the first stream.
    ///   - settings: The first SETTINGS of the server, whose consequences are not recorded. `nil` for none.
    init(
        limits: HTTP2Limits = HTTP2Limits(),
        firstStream: Int32 = 1,
        settings: [(UInt16, UInt32)]? = []
    ) {
        machine = HTTP2ConnectionStateMachine(limits: limits, firstStream: firstStream)
        machine.start()
        guard let settings else { return }
        receive(HTTP2Peer.settings(settings))
        forget()
    }

    /// Forgets the recorded events and frames.
    mutating func forget() {
        takeOutput()
        entries = []
        sent = []
    }

    mutating func forgetEvents() {
        entries = []
    }

    // MARK: The client's calls

    @discardableResult
    mutating func open(
        _ method: HTTPRequest.Method = .get,
        path: String = "/",
        fields: HTTPFields = [:],
        _ framing: RequestFraming = .none
    ) throws -> Int32 {
        let stream = try machine.open(
            method: method,
            scheme: "https",
            authority: "example.org",
            path: path,
            fields: fields,
            framing: framing
        )
        opened.append(stream)
        takeOutputIfWanted()
        return stream
    }

    /// Opens a stream whose request has a body.
    @discardableResult
    mutating func upload() throws -> Int32 { try open(.post, .chunked) }

    /// Sends bytes. Returns the number of bytes that were not taken.
    @discardableResult
    mutating func send(_ count: Int, of stream: Int32, endStream: Bool = false) -> Int {
        var chunk = ByteBuffer(repeating: 0x61, count: count)
        machine.send(&chunk, of: stream, endStream: endStream)
        takeOutputIfWanted()
        return chunk.readableBytes
    }

    mutating func endRequest(of stream: Int32, trailers: HTTPFields? = nil) throws {
        try machine.endRequest(of: stream, trailers: trailers)
        takeOutputIfWanted()
    }

    mutating func consumed(_ count: Int, of stream: Int32) {
        machine.consumed(count, of: stream, at: now)
        takeOutputIfWanted()
    }

    mutating func cancel(_ stream: Int32) {
        machine.cancel(stream)
        if !failed.contains(stream), !ended.contains(stream) { cancelled.insert(stream) }
        takeOutputIfWanted()
    }

    // MARK: The server's bytes

    mutating func receive(_ bytes: [UInt8]) {
        input.writeBytes(bytes)
        var events: [HTTP2ConnectionStateMachine.Event] = []
        machine.receive(&input, at: now) { (event: HTTP2ConnectionStateMachine.Event) in events.append(event) }
        for event in events { note(event) }
        takeOutputIfWanted()
    }

    mutating func receiveHead(
        _ stream: Int32,
        _ status: Int = 200,
        _ fields: [(String, String)] = [],
        endStream: Bool = false
    ) {
        receive(peer.head(stream, status, fields, endStream: endStream))
    }

    /// Receives DATA in frames of at most 16 KiB.
    mutating func receiveData(_ stream: Int32, _ count: Int, endStream: Bool = false) {
        var rest = count
        repeat {
            let length = min(rest, 16_384)
            rest -= length
            let content = [UInt8](repeating: 0x62, count: length)
            receive(HTTP2Peer.data(stream, content, endStream: endStream && rest == 0))
        } while rest > 0
    }

    /// The end of the connection. Afterwards every stream must have ended once.
    mutating func close() {
        var events: [HTTP2ConnectionStateMachine.Event] = []
        machine.connectionClosed { (event: HTTP2ConnectionStateMachine.Event) in events.append(event) }
        for event in events { note(event) }
        checkEnds()
    }

    // MARK: Output

    private mutating func takeOutputIfWanted() {
        if takesOutput { takeOutput() }
    }

    @discardableResult
    mutating func takeOutput() -> [HTTP2SentFrame] {
        guard let output = machine.takeOutput() else { return [] }
        let frames = HTTP2SentFrame.all(in: Array(output.readableBytesView))
        #expect(frames != nil, "the output ends inside a frame")
        sent.append(contentsOf: frames ?? [])
        return frames ?? []
    }

    /// The frames of a type that were sent.
    func frames(_ type: UInt8, on stream: Int32? = nil) -> [HTTP2SentFrame] {
        sent.filter { (frame: HTTP2SentFrame) -> Bool in
            frame.type == type && (stream == nil || frame.stream == stream)
        }
    }

    /// The sum of the increments that were sent for a stream, or for the connection with 0.
    func increments(_ stream: Int32) -> Int {
        frames(HTTP2Peer.Kind.windowUpdate, on: stream).reduce(0) { (sum: Int, frame: HTTP2SentFrame) -> Int in
            sum + frame.number
        }
    }

    /// The client's window of a stream, unless the stream is gone.
    func streamWindow(_ stream: Int32) -> HTTP2ReceiveWindow? {
        guard let index = machine.index(of: stream) else { return nil }
        return machine.streams[index].receiveWindow
    }

    /// The number of bytes of DATA that were sent on a stream.
    func sentBytes(_ stream: Int32) -> Int {
        frames(HTTP2Peer.Kind.data, on: stream).reduce(0) { (sum: Int, frame: HTTP2SentFrame) -> Int in
            sum + frame.payload.count
        }
    }

    // MARK: Events

    /// The last failure of a stream.
    func failure(_ stream: Int32) -> HTTP2StreamFailure? {
        for case .failed(stream, let failure) in entries.reversed() { return failure }
        return nil
    }

    /// The bytes of the body of a stream.
    func body(_ stream: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        for case .body(stream, let part) in entries { bytes.append(contentsOf: part) }
        return bytes
    }

    /// Checks that every stream has ended exactly once, unless it was cancelled.
    func checkEnds() {
        for stream in opened {
            let isOver = ended.contains(stream) || failed.contains(stream)
            #expect(isOver != cancelled.contains(stream), "stream \(stream)")
        }
    }

    private mutating func note(_ event: HTTP2ConnectionStateMachine.Event) {
        switch event {
        case .informational(let stream, let head):
            checkGoesOn(stream)
            entries.append(.informational(stream, head.status.code))
        case .head(let stream, let head, let endStream):
            checkGoesOn(stream)
            entries.append(.head(stream, head.status.code, endStream: endStream))
        case .body(let stream, let part):
            checkGoesOn(stream)
            #expect(part.readableBytes > 0)
            add(Array(part.readableBytesView), of: stream)
        case .end(let stream, let trailers):
            checkGoesOn(stream)
            ended.insert(stream)
            let lines = trailers?.map { (field: HTTPField) -> String in "\(field.name.rawName): \(field.value)" }
            entries.append(.end(stream, trailers: lines))
        case .failed(let stream, let failure):
            checkGoesOn(stream)
            failed.insert(stream)
            #expect(!failure.reason.isEmpty)
            entries.append(.failed(stream, failure))
        case .writable(let stream):
            #expect(!failed.contains(stream) && !cancelled.contains(stream) && !unwanted.contains(stream))
            entries.append(.writable(stream))
        case .requestNotWanted(let stream):
            #expect(ended.contains(stream), "the response is incomplete")
            let isFirst = unwanted.insert(stream).inserted
            #expect(isFirst, "stream \(stream) ended twice")
            entries.append(.requestNotWanted(stream))
        case .goneAway(let code, let lastStream, let reason):
            #expect(!reason.isEmpty)
            entries.append(.goneAway(code, lastStream))
        case .pong(let token):
            entries.append(.pong(token))
        }
    }

    /// Joins adjacent parts of a body.
    private mutating func add(_ bytes: [UInt8], of stream: Int32) {
        if case .body(stream, var known)? = entries.last {
            // Removed first, so that the bytes are not copied.
            entries.removeLast()
            known.append(contentsOf: bytes)
            entries.append(.body(stream, known))
        } else {
            entries.append(.body(stream, bytes))
        }
    }

    private func checkGoesOn(_ stream: Int32) {
        #expect(opened.contains(stream), "stream \(stream) was never opened")
        #expect(!ended.contains(stream), "an event after the end of stream \(stream)")
        #expect(!failed.contains(stream), "an event after the failure of stream \(stream)")
        #expect(!cancelled.contains(stream), "an event after the cancellation of stream \(stream)")
    }
}
