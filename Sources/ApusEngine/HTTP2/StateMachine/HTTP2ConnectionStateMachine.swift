package import HTTPTypes
package import NIOCore

/// The protocol of one HTTP/2 connection for a client (RFC 9113): received bytes become events, calls become bytes.
///
/// ```
///   connection   new → open → draining → closed     (draining: GOAWAY of either side, or no stream number is left)
///                        └───────────────→ closed   (a fault of the server, or the end of the connection)
///   stream       open → requestEnded | responseEnded → gone     (see HTTP2StreamState)
/// ```
///
/// **Events.** Only `receive` and `connectionClosed` report events. They collect them and pass them on at the end, in
/// order. `handle` must not call the machine, because the call that reports is still changing it. The owner keeps the
/// events, and acts on them after the call has returned. If it cancels a stream on the way, it skips the rest of that
/// stream's events.
///
/// **The end of a stream.** Every stream that `open` returned ends with exactly one `.end` or `.failed`, unless it is
/// cancelled before: then no event follows. After `.end` the request may still be unfinished. Its owner finishes or
/// cancels it, unless `.requestNotWanted` comes first.
///
/// **Bytes of bodies.** They fill the window of their stream until they are `consumed`, which has no effect after the
/// stream's end. The window of the connection is given back as bytes arrive, so that a stream whose reader pauses holds
/// up no other. Windows of streams grow together by no more than the size of the connection's window.
///
/// **Output.** Each call may produce bytes, which `takeOutput` returns. The owner should take them only while its
/// channel accepts more: acknowledgements that wait here are counted, so that a server that requests them without
/// reading them is noticed. Output that was taken ends with a complete frame.
///
/// **Faults.** The bytes of the server never trap. A fault that concerns a stream resets it, and `.failed` reports it.
/// A fault of the connection fails all streams, writes GOAWAY, sets `failure`, and closes the machine.
package struct HTTP2ConnectionStateMachine {
    package enum Event: Sendable {
        case informational(Int32, ReceivedHead)
        /// The final head. If it ends the stream, `.end` follows at once.
        case head(Int32, ReceivedHead, endStream: Bool)
        /// A part of the body, never empty. It shares the storage of the received bytes.
        case body(Int32, ByteBuffer)
        /// The end of the response, with the trailers if any were received.
        case end(Int32, trailers: HTTPFields?)
        /// The stream is gone without a complete response.
        case failed(Int32, HTTP2StreamFailure)
        /// Bytes can be sent on a stream again, of which `send` had left a rest.
        case writable(Int32)
        /// The stream is gone after a complete response: the rest of the request must not be sent. No error.
        case requestNotWanted(Int32)
        /// The server accepts no more streams. The ones that it excludes follow as `.failed`. May be repeated.
        case goneAway(HTTP2ErrorCode, lastStream: Int32, reason: String)
        /// The answer to a `ping`, with its token.
        case pong(UInt64)
    }

    /// A stream's receive window before it grows, unless the limits have a smaller one.
    private static let usualStreamWindowBytes = 1 << 20
    /// The assumed limit of the server before its SETTINGS.
    private static let assumedStreamLimit = 100
    /// Pings that wait for an answer. An older one is forgotten.
    private static let rememberedPings = 16
    /// Every peer must accept frames of this size.
    static let frameBytes = HTTP2FrameParser.payloadBytes
    /// The number of streams that one token of the flood guard wakes, when the connection's window opens.
    static let wokenStreamsPerToken = 64
    /// The number of bytes on gone streams that one token of the flood guard allows.
    static let strayBytesPerToken = 1_024

    let limits: HTTP2Limits
    let firstStreamWindowBytes: Int
    let largestStreamWindowBytes: Int

    var parser: HTTP2FrameParser
    var floodGuard: HTTP2FloodGuard
    var hpackDecoder = HPACKDecoder()
    var hpackEncoder = HPACKEncoder()

    /// The streams that are not gone, by increasing number.
    var streams: [HTTP2StreamState] = []
    /// The number of bytes by which the windows of streams have grown.
    var grownBytes = 0
    /// The number of the next stream. Above `Int32.max` if none is left.
    var nextStream: Int
    /// The streams from this number on are still in the output.
    var firstUnsentStream: Int
    var sendWindow = HTTP2FlowWindow()
    var receiveWindow: HTTP2ReceiveWindow
    /// The number of bytes that the server may still have sent on streams before it learned that they are gone.
    var lateBytes = 0
    /// The number of bytes beyond `lateBytes` on streams that are gone, without those that cost a token.
    var strayBytes = 0
    /// The stream that last got a part of the send window.
    var lastServedStream: Int32 = 0
    /// The number of streams that wait for a window.
    var waitingStreams = 0
    /// The measured round trip, or 0.
    var roundTripNanoseconds: UInt64 = 0

    /// The limit of the server on concurrent streams. `nil` before its SETTINGS.
    private var announcedStreamLimit: Int?
    var peerStreamLimit: Int { announcedStreamLimit ?? Self.assumedStreamLimit }
    var peerStreamWindowBytes = HTTP2FlowWindow.initialBytes
    var goAway: (lastStream: Int32, code: HTTP2ErrorCode, debug: String)?
    var isShuttingDown = false
    var pings: [UInt64] = []

    var events: [Event] = []
    var output = ByteBuffer()
    /// Memory for header blocks.
    var block = ByteBuffer()
    var pendingAcknowledgements = 0
    private var hasStarted = false
    private var hasTakenOutput = false

    /// Whether the machine ignores all further bytes and calls. `takeOutput` may still return a GOAWAY.
    package internal(set) var isClosed = false
    /// The fault of the server that closed the connection, if there was one.
    package internal(set) var failure: HTTP2ConnectionError?

    /// Creates the state of a connection that has no streams.
    ///
    /// - Parameters:
    ///   - limits: The limits for the server.
    ///   - firstStream: The number of the first stream, which must be odd. For tests. Default: 1.
    package init(limits: HTTP2Limits, firstStream: Int32 = 1) {
        precondition(firstStream > 0 && firstStream % 2 == 1, "a client's streams have odd numbers")
        self.limits = limits
        largestStreamWindowBytes = min(max(limits.streamWindowBytes, 1), HTTP2FlowWindow.maximumBytes)
        firstStreamWindowBytes = min(Self.usualStreamWindowBytes, largestStreamWindowBytes)
        parser = HTTP2FrameParser(limits: limits)
        floodGuard = HTTP2FloodGuard(limits: limits)
        nextStream = Int(firstStream)
        firstUnsentStream = Int(firstStream)
        // The protocol has no smaller window for a connection.
        let bytes = min(max(limits.connectionWindowBytes, HTTP2FlowWindow.initialBytes), HTTP2FlowWindow.maximumBytes)
        receiveWindow = HTTP2ReceiveWindow(byteCount: bytes, isShared: true)
    }

    // MARK: State

    /// The number of streams that are not gone. A stream is gone if both directions have ended, or if either side has
    /// reset it. For tests.
    package var streamCount: Int { streams.count }

    /// The number of streams that may be opened now. Any call may change it, and no event reports that.
    package var freeSlots: Int {
        max(streamLimit - streams.count, 0)
    }

    /// Whether the server has sent its settings.
    package var knowsStreamLimit: Bool { announcedStreamLimit != nil }

    /// Whether the server has announced the end of the connection without naming an error.
    package var hasGoneAway: Bool { goAway?.code == .noError }

    /// The number of streams that may be open at a time. 0 if no more may be opened.
    package var streamLimit: Int {
        guard hasStarted, !isClosed, !isDraining else { return 0 }
        let numbers = (Int(Int32.max) - nextStream) / 2 + 1
        return min(peerStreamLimit, max(limits.concurrentStreams, 0), streams.count + numbers)
    }

    /// Whether no stream will be opened any more. The connection can be closed once its last stream is gone.
    package var isDraining: Bool { goAway != nil || isShuttingDown || nextStream > Int(Int32.max) }

    package var hasOutput: Bool { output.readableBytes > 0 }

    /// The number of bytes to write.
    package var outputByteCount: Int { output.readableBytes }

    /// The number of bytes of a body that may be sent now on a stream: the smaller one of its window and the
    /// connection's.
    package func sendable(_ stream: Int32) -> Int {
        guard let index = index(of: stream), streams[index].phase != .requestEnded else { return 0 }
        return sendable(at: index)
    }

    /// Records the settings that the server has sent. Without a limit on streams, there is none.
    mutating func noteSettings(streamLimit: Int?) {
        announcedStreamLimit = streamLimit ?? announcedStreamLimit ?? .max
    }

    // MARK: Connection

    /// Begins the connection with the preface, SETTINGS, and a WINDOW_UPDATE that opens its window.
    package mutating func start() {
        precondition(!hasStarted, "a connection starts once")
        hasStarted = true
        writePreface()
    }

    /// Takes the bytes to write, in order. Returns `nil` if there are none.
    package mutating func takeOutput() -> ByteBuffer? {
        guard output.readableBytes > 0 else { return nil }
        let taken = output
        output = ByteBuffer()
        hasTakenOutput = true
        pendingAcknowledgements = 0
        firstUnsentStream = nextStream
        return taken
    }

    /// Sends a PING. Its answer is reported as `.pong` with the same token. Of more than 16 unanswered ones, the oldest
    /// is forgotten.
    package mutating func ping(_ token: UInt64) {
        guard !isClosed else { return }
        if pings.count >= Self.rememberedPings { pings.removeFirst() }
        pings.append(token)
        HTTP2FrameWriter.ping(token, into: &output)
    }

    /// Records a measured round trip, which decides whether receive windows grow.
    package mutating func noteRoundTrip(nanoseconds: UInt64) {
        roundTripNanoseconds = nanoseconds
    }

    /// Announces the end of the connection with a GOAWAY. Open streams continue.
    package mutating func shutDown() {
        guard hasStarted, !isClosed, !isShuttingDown else { return }
        isShuttingDown = true
        // The server has opened no streams, so the last one that was processed is 0.
        HTTP2FrameWriter.goAway(lastStream: 0, code: .noError, into: &output)
    }

    /// Handles the end of the connection, whatever its reason: all streams fail.
    ///
    /// - Parameters:
    ///   - reason: One sentence. Default: a sentence with the code of the server's GOAWAY, if it sent one.
    ///   - handle: Receives the events. It must not call the machine.
    package mutating func connectionClosed(reason: String? = nil, _ handle: (Event) -> Void) {
        guard !isClosed else { return }
        isClosed = true
        output = ByteBuffer()
        failStreams(.connectionClosed, code: goAway?.code ?? .noError, reason: reason ?? closingReason)
        passEvents(to: handle)
    }

    /// Closes the connection after a fault of the server.
    mutating func fail(_ error: HTTP2ConnectionError) {
        guard !isClosed else { return }
        isClosed = true
        failure = error
        failStreams(.connectionFailed, code: error.code, reason: error.reason)
        // Requests that wait in the output have failed as unprocessed, so they must not be sent.
        output = ByteBuffer()
        if !hasTakenOutput { writePreface() }
        HTTP2FrameWriter.goAway(lastStream: 0, code: error.code, debug: error.reason, into: &output)
    }

    private mutating func failStreams(_ cause: HTTP2StreamFailure.Cause, code: HTTP2ErrorCode, reason: String) {
        for stream in streams {
            guard stream.phase != .responseEnded else {
                events.append(.requestNotWanted(stream.id))
                continue
            }
            let isFinal = goAway.map { Self.isFinal($0.code) } ?? false
            let isUnsent = Int(stream.id) >= firstUnsentStream && !stream.hasResponse && !isFinal
            let failure = HTTP2StreamFailure(cause: cause, isUnprocessed: isUnsent, code: code, reason: reason)
            events.append(.failed(stream.id, failure))
        }
        streams = []
        waitingStreams = 0
        grownBytes = 0
    }

    private var closingReason: String {
        guard let goAway, goAway.code != .noError else {
            return "The server closed the connection before the response was complete."
        }
        return "The server closed the connection with \(Self.text(goAway.code, goAway.debug))."
    }

    /// Returns a code with the text that a GOAWAY has beside it.
    static func text(_ code: HTTP2ErrorCode, _ debug: String) -> String {
        debug.isEmpty ? code.description : "\(code.description) and the text \"\(debug)\""
    }

    private mutating func writePreface() {
        HTTP2FrameWriter.preface(into: &output)
        let settings = [
            HTTP2Setting(identifier: HTTP2Setting.enablePush, value: 0),
            HTTP2Setting(identifier: HTTP2Setting.initialWindowSize, value: UInt32(clamping: firstStreamWindowBytes)),
            HTTP2Setting(
                identifier: HTTP2Setting.maximumHeaderListSize,
                value: UInt32(clamping: limits.headerListBytes)
            ),
        ]
        HTTP2FrameWriter.settings(settings, into: &output)
        let increment = receiveWindow.byteCount - HTTP2FlowWindow.initialBytes
        if increment > 0 { HTTP2FrameWriter.windowUpdate(stream: 0, increment: increment, into: &output) }
    }

    // MARK: Streams

    /// Returns the place of a stream in `streams`, or `nil` if it is gone or was never opened.
    func index(of stream: Int32) -> Int? {
        var (low, high) = (0, streams.count)
        while low < high {
            let middle = (low + high) / 2
            if streams[middle].id < stream { low = middle + 1 } else { high = middle }
        }
        return low < streams.count && streams[low].id == stream ? low : nil
    }

    /// Removes a stream.
    ///
    /// - Parameters:
    ///   - index: Its place.
    ///   - mayContinue: Whether the server may send more on it, because it does not know yet that the stream is gone.
    mutating func removeStream(at index: Int, mayContinue: Bool) {
        let stream = streams.remove(at: index)
        if stream.waitsForWindow { waitingStreams -= 1 }
        // No more than the connection's window can be in transit.
        if mayContinue { lateBytes = min(lateBytes + stream.receiveWindow.availableBytes, receiveWindow.byteCount) }
        grownBytes -= stream.receiveWindow.grownBytes
    }

    /// Passes on the collected events.
    mutating func passEvents(to handle: (Event) -> Void) {
        guard !events.isEmpty else { return }
        for event in events { handle(event) }
        // A connection that is idle keeps little memory.
        events.removeAll(keepingCapacity: events.count <= 64)
    }
}

extension [HTTP2ConnectionStateMachine.Event] {
    /// Whether an event is a piece of the body of a stream.
    func hasBody(of stream: Int32, at index: Int) -> Bool {
        guard index < endIndex, case .body(stream, _) = self[index] else { return false }
        return true
    }
}
