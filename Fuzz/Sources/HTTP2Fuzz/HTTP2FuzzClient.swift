internal import FuzzDriver
internal import HTTPTypes
internal import NIOCore

@testable internal import ApusEngine

/// A client that runs the steps of an input, and checks the rules that hold for every input.
struct HTTP2FuzzClient {
    /// An event in a form that can be compared.
    enum Entry: Equatable {
        case informational(Int32, Int, [String])
        case head(Int32, Int, [String], endStream: Bool)
        case body(Int32, [UInt8])
        case end(Int32, [String]?)
        case failed(Int32, HTTP2StreamFailure)
        case writable(Int32)
        case requestNotWanted(Int32)
        case goneAway(HTTP2ErrorCode, Int32, String)
        case pong(UInt64)
    }

    /// The events of a connection in a form that does not depend on the reads.
    struct Transcript: Equatable {
        var entries: [Entry] = []
        var failure: HTTP2ConnectionError?
        var streamCount = 0
        var freeSlots = 0
        /// Whether the server has sent a DATA frame.
        var hasData = false

        /// Whether the connection failed because of too many useless frames.
        var isFlood: Bool {
            switch failure?.limit {
            case "settingsFrames", "pingFrames", "emptyFrames", "resets", "windowUpdates": true
            default: false
            }
        }
    }

    /// The facts about a stream that the client has opened.
    struct Stream {
        let method: HTTPRequest.Method
        var isCancelled = false
        var isEnded = false
        var isFailed = false
        var isUnwanted = false
        var hasHead = false
        var informationalResponses = 0
        /// The number of bytes of the body, and those that were not consumed.
        var bodyBytes = 0
        var unreadBytes = 0
        /// The number of bytes that the body must have.
        var announcedBytes: Int?

        var isOver: Bool { isEnded || isFailed }
    }

    let limits: HTTP2Limits
    var machine: HTTP2ConnectionStateMachine
    var streams: [Int32: Stream] = [:]
    var entries: [Entry] = []
    var output = HTTP2FuzzOutput()
    var windows = HTTP2FuzzWindows()
    /// Whether the channel accepts no output.
    private(set) var holdsOutput = false
    private var input = ByteBuffer()
    private var now: UInt64 = 1

    private init(limits: HTTP2Limits) {
        self.limits = limits
        machine = HTTP2ConnectionStateMachine(limits: limits)
        machine.start()
        takeOutput()
    }

    /// Runs an input, and returns the events.
    static func transcript(of input: HTTP2FuzzInput, cuts: HTTP2FuzzCuts) -> Transcript {
        var client = HTTP2FuzzClient(limits: input.limits)
        for step in input.steps { client.run(step, cuts) }
        return client.finish()
    }

    private mutating func run(_ step: HTTP2FuzzStep, _ cuts: HTTP2FuzzCuts) {
        switch step {
        case .bytes(let bytes): receive(bytes, cuts)
        case .open(let method, let framing): open(method, framing)
        case .send(let stream, let count, let endStream): send(count, of: stream, endStream: endStream)
        case .endRequest(let stream, let hasTrailers): endRequest(of: stream, hasTrailers: hasTrailers)
        case .consume(let stream, let count): consume(count, of: stream)
        case .consumeAll:
            for stream in streams.keys.sorted() { consume(streams[stream]?.unreadBytes ?? 0, of: stream) }
        case .cancel(let stream):
            machine.cancel(stream)
            if streams[stream]?.isOver == false { streams[stream]?.isCancelled = true }
        case .ping(let token): machine.ping(token)
        case .shutDown: machine.shutDown()
        case .pass(let nanoseconds): now += nanoseconds
        case .roundTrip(let nanoseconds): machine.noteRoundTrip(nanoseconds: nanoseconds)
        case .hold(let holds): holdsOutput = holds
        }
        if !holdsOutput { takeOutput() }
        checkAccounts()
    }

    private mutating func open(_ method: HTTPRequest.Method, _ framing: RequestFraming) {
        guard machine.freeSlots > 0 else { return }
        do {
            let stream = try machine.open(
                method: method,
                scheme: "https",
                authority: "example.org",
                path: method == .options ? "*" : "/a?b=c",
                fields: [.accept: "*/*", .cookie: "a=b; c=d"],
                framing: framing
            )
            require(streams[stream] == nil, "stream \(stream) was opened twice")
            streams[stream] = Stream(method: method)
        } catch {
            fatalError("cannot open a stream: \(error)")
        }
    }

    private mutating func send(_ count: Int, of stream: Int32, endStream: Bool) {
        let sendable = machine.sendable(stream)
        var chunk = ByteBuffer(repeating: 0x61, count: count)
        machine.send(&chunk, of: stream, endStream: endStream)
        let sent = count - chunk.readableBytes
        require(sent == min(count, sendable), "\(sent) of \(count) bytes were sent, although \(sendable) may be")
    }

    private mutating func endRequest(of stream: Int32, hasTrailers: Bool) {
        var trailers: HTTPFields?
        if hasTrailers, let name = HTTPField.Name("x-checksum") {
            var fields = HTTPFields()
            fields.append(HTTPField(name: name, value: "1"))
            trailers = fields
        }
        do {
            try machine.endRequest(of: stream, trailers: trailers)
        } catch {
            fatalError("cannot end a request: \(error)")
        }
    }

    private mutating func consume(_ count: Int, of stream: Int32) {
        machine.consumed(count, of: stream, at: now)
        guard let unread = streams[stream]?.unreadBytes else { return }
        streams[stream]?.unreadBytes = max(0, unread - max(0, count))
    }

    private mutating func receive(_ bytes: [UInt8], _ cuts: HTTP2FuzzCuts) {
        windows.observe(bytes)
        var rest = bytes[...]
        for size in cuts.sizes(bytes.count) {
            let wasClosed = machine.isClosed
            let before = machine.outputByteCount
            input.writeBytes(rest.prefix(size))
            rest = rest.dropFirst(size)
            var events: [HTTP2ConnectionStateMachine.Event] = []
            machine.receive(&input, at: now) { (event: HTTP2ConnectionStateMachine.Event) in events.append(event) }
            require(events.isEmpty || !wasClosed, "events after the end")
            // An answer is about as large as its cause, except for a GOAWAY with its text of at most 1,024 bytes.
            let added = machine.outputByteCount - before
            require(added <= 3 * size + 2_048, "\(size) bytes caused \(added) bytes of output")
            for event in events { note(event) }
        }
    }

    private mutating func takeOutput() {
        guard let bytes = machine.takeOutput() else { return }
        output.take(Array(bytes.readableBytesView), limits)
    }

    // MARK: The end

    /// Ends the connection, and checks that every stream has ended and that nothing else happens.
    private mutating func finish() -> Transcript {
        takeOutput()
        var transcript = Transcript(
            failure: machine.failure,
            streamCount: machine.streamCount,
            freeSlots: machine.freeSlots,
            hasData: windows.hasData
        )
        var events: [HTTP2ConnectionStateMachine.Event] = []
        machine.connectionClosed { (event: HTTP2ConnectionStateMachine.Event) in events.append(event) }
        for event in events { note(event) }
        for (id, stream) in streams {
            require(stream.isOver != stream.isCancelled, "stream \(id) has not ended exactly once: \(stream)")
        }
        checkSilence()
        transcript.entries = comparableEntries
        return transcript
    }

    /// Checks that a closed machine ignores bytes and calls.
    private mutating func checkSilence() {
        require(machine.isClosed && machine.streamCount == 0 && machine.freeSlots == 0, "it is not closed")
        require(machine.grownBytes == 0, "windows remain")
        var eventCount = 0
        var bytes = ByteBuffer(bytes: HTTP2Peer.settings() + HTTP2Peer.ping(1))
        machine.receive(&bytes, at: now) { (_: HTTP2ConnectionStateMachine.Event) in eventCount += 1 }
        machine.connectionClosed { (_: HTTP2ConnectionStateMachine.Event) in eventCount += 1 }
        for stream in streams.keys.sorted() {
            send(0, of: stream, endStream: true)
            endRequest(of: stream, hasTrailers: true)
            consume(1, of: stream)
            machine.cancel(stream)
        }
        machine.ping(1)
        machine.shutDown()
        require(eventCount == 0, "events after the end")
        require(bytes.readableBytes == 0, "bytes remain after the end")
        require(!machine.hasOutput, "output after the end")
    }

    /// The events without the bodies of failed streams: how much of them arrives depends on the reads.
    private var comparableEntries: [Entry] {
        var comparable: [Entry] = []
        for entry in entries {
            switch entry {
            case .body(let stream, let bytes):
                if streams[stream]?.isFailed == true { continue }
                guard case .body(stream, var known)? = comparable.last else {
                    comparable.append(entry)
                    continue
                }
                // Removed first, so that the bytes are not copied.
                comparable.removeLast()
                known += bytes
                comparable.append(.body(stream, known))
            case .failed(let stream, let failure): comparable.append(.failed(stream, Self.comparable(failure)))
            default: comparable.append(entry)
            }
        }
        return comparable
    }

    /// Returns the same failure for all faults of DATA. If a frame has several, the reads decide which is found first.
    private static func comparable(_ failure: HTTP2StreamFailure) -> HTTP2StreamFailure {
        let beginnings = [
            "The server sent more than the stream's window", "The response is longer than its Content-Length",
            "The response has content, although none may follow", "The content of the response precedes its head",
        ]
        let isFaultOfData = beginnings.contains { (text: String) -> Bool in failure.reason.hasPrefix(text) }
        guard failure.cause == .malformed, isFaultOfData else { return failure }
        return HTTP2StreamFailure(
            cause: .malformed,
            isUnprocessed: failure.isUnprocessed,
            code: .protocolError,
            reason: "a fault of DATA"
        )
    }
}
