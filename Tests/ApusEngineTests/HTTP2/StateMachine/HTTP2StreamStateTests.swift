internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// Every frame in every state of a stream.
@Suite struct HTTP2StreamStateTests {
    enum State: CaseIterable {
        /// Never opened, with a client's number and with a server's.
        case idle, even
        case open, openWithHead
        case requestEnded, requestEndedWithHead
        case responseEnded
        /// Gone: both directions have ended, reset by the client, by the server, excluded by GOAWAY.
        case closed, cancelled, reset, excluded
    }

    enum Frame: CaseIterable {
        case data, dataEnd, dataEmpty
        case head, headEnd, trailers, informational, noStatus
        case resetCancel, resetRefused, resetNoError
        case update, updateZero, updateOverflow
        case priority, promise, unknown
    }

    /// Returns a connection with a stream in a state, and the number of the stream.
    private static func stage(in state: State) throws -> (stage: HTTP2ConnectionStage, stream: Int32) {
        var stage = HTTP2ConnectionStage()
        var stream: Int32 = 1
        switch state {
        case .idle: break
        case .even: stream = 2
        case .open, .openWithHead: try stage.upload()
        case .responseEnded:
            try stage.upload()
            stage.receiveHead(1, endStream: true)
        case .requestEnded, .requestEndedWithHead: try stage.open()
        case .closed:
            try stage.open()
            stage.receiveHead(1, endStream: true)
        case .cancelled:
            try stage.open()
            stage.cancel(1)
        case .reset:
            try stage.open()
            stage.receive(HTTP2Peer.reset(1, .cancel))
        case .excluded:
            try stage.open()
            stage.receive(HTTP2Peer.goAway(0))
        }
        if state == .openWithHead || state == .requestEndedWithHead { stage.receiveHead(1) }
        stage.forget()
        return (stage, stream)
    }

    private static func receive(_ frame: Frame, on stream: Int32, _ stage: inout HTTP2ConnectionStage) {
        let five = [UInt8](repeating: 1, count: 5)
        switch frame {
        case .data: stage.receive(HTTP2Peer.data(stream, five))
        case .dataEnd: stage.receive(HTTP2Peer.data(stream, five, endStream: true))
        case .dataEmpty: stage.receive(HTTP2Peer.data(stream, []))
        case .head: stage.receiveHead(stream)
        case .headEnd: stage.receiveHead(stream, endStream: true)
        case .trailers: stage.receive(stage.peer.lines(stream, [("x-a", "b")], endStream: true))
        case .informational: stage.receiveHead(stream, 103)
        case .noStatus: stage.receive(stage.peer.lines(stream, [], endStream: false))
        case .resetCancel: stage.receive(HTTP2Peer.reset(stream, .cancel))
        case .resetRefused: stage.receive(HTTP2Peer.reset(stream, .refusedStream))
        case .resetNoError: stage.receive(HTTP2Peer.reset(stream, .noError))
        case .update: stage.receive(HTTP2Peer.windowUpdate(stream, 1_000))
        case .updateZero: stage.receive(HTTP2Peer.windowUpdate(stream, 0))
        case .updateOverflow: stage.receive(HTTP2Peer.windowUpdate(stream, 0x7FFF_FFFF))
        case .priority: stage.receive(HTTP2Peer.frame(HTTP2Peer.Kind.priority, stream: stream, five))
        case .promise:
            stage.receive(HTTP2Peer.frame(HTTP2Peer.Kind.pushPromise, flags: 0x4, stream: stream, HTTP2Peer.big(2)))
        case .unknown: stage.receive(HTTP2Peer.frame(HTTP2Peer.Kind.unknown, stream: stream, five))
        }
    }

    /// Returns the events, and then the reaction on the wire, in words.
    private static func summary(_ stage: HTTP2ConnectionStage) -> String {
        var words: [String] = stage.entries.map { (entry: HTTP2ConnectionStage.Entry) -> String in
            switch entry {
            case .informational: "informational"
            case .head: "head"
            case .body: "body"
            case .end: "end"
            case .failed(_, let failure):
                "failed(\(name(failure.code)),\(failure.isUnprocessed ? "unprocessed" : "perhaps"))"
            case .writable: "writable"
            case .requestNotWanted: "unwanted"
            case .goneAway, .pong: "other"
            }
        }
        for frame in stage.sent {
            switch frame.type {
            case HTTP2Peer.Kind.reset: words.append("rst(\(name(frame.code)))")
            case HTTP2Peer.Kind.goAway: words.append("closed(\(name(frame.code)))")
            default: words.append("frame(\(frame.type))")
            }
        }
        return words.joined(separator: " ")
    }

    private static func name(_ code: HTTP2ErrorCode) -> String {
        String(code.description.prefix { (character: Character) -> Bool in character != " " })
    }

    private static let malformed = "failed(PROTOCOL_ERROR,perhaps) rst(PROTOCOL_ERROR)"
    private static let overflow = "failed(FLOW_CONTROL_ERROR,perhaps) rst(FLOW_CONTROL_ERROR)"

    private static func expected(_ frame: Frame, in state: State) -> String {
        if frame == .priority || frame == .unknown { return "" }
        switch state {
        case .idle, .even: return "closed(PROTOCOL_ERROR)"
        case .open, .requestEnded: return beforeHead(frame)
        case .openWithHead, .requestEndedWithHead: return afterHead(frame)
        case .responseEnded: return afterEnd(frame)
        case .closed, .cancelled, .reset, .excluded:
            return frame == .promise ? "closed(PROTOCOL_ERROR)" : ""
        }
    }

    private static func beforeHead(_ frame: Frame) -> String {
        switch frame {
        case .head: "head"
        case .headEnd: "head end"
        case .informational: "informational"
        case .resetRefused: "failed(REFUSED_STREAM,unprocessed)"
        default: inProgress(frame)
        }
    }

    private static func afterHead(_ frame: Frame) -> String {
        switch frame {
        case .data: "body"
        case .dataEnd: "body end"
        case .dataEmpty: ""
        case .trailers: "end"
        case .resetRefused: "failed(REFUSED_STREAM,perhaps)"
        default: inProgress(frame)
        }
    }

    private static func inProgress(_ frame: Frame) -> String {
        switch frame {
        case .resetCancel: "failed(CANCEL,perhaps)"
        case .resetNoError: "failed(NO_ERROR,perhaps)"
        case .update: ""
        case .updateOverflow: overflow
        case .promise: "failed(PROTOCOL_ERROR,perhaps) closed(PROTOCOL_ERROR)"
        default: malformed
        }
    }

    private static func afterEnd(_ frame: Frame) -> String {
        switch frame {
        case .resetCancel, .resetRefused, .resetNoError: "unwanted"
        case .update: ""
        case .updateZero: "unwanted rst(PROTOCOL_ERROR)"
        case .updateOverflow: "unwanted rst(FLOW_CONTROL_ERROR)"
        case .promise: "unwanted closed(PROTOCOL_ERROR)"
        default: "unwanted rst(STREAM_CLOSED)"
        }
    }

    @Test(arguments: State.allCases, Frame.allCases)
    func treatsTheFrame(state: State, frame: Frame) throws {
        let prepared = try Self.stage(in: state)
        var stage = prepared.stage
        Self.receive(frame, on: prepared.stream, &stage)
        #expect(Self.summary(stage) == Self.expected(frame, in: state))
        #expect(stage.machine.isClosed == (stage.machine.failure != nil))
        if !stage.machine.isClosed {
            try checkNextStream(&stage)
            #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        }
        stage.close()
    }

    /// The table of the header blocks is right, whichever block was not read.
    private func checkNextStream(_ stage: inout HTTP2ConnectionStage) throws {
        guard stage.machine.freeSlots > 0 else { return }
        let next = try stage.open()
        stage.receiveHead(next, 200, [("x-a", "b"), ("x-c", "d")])
        stage.receive(stage.peer.lines(next, [("x-a", "b"), ("x-c", "d")], endStream: true))
        #expect(stage.entries.last == .end(next, trailers: ["x-a: b", "x-c: d"]))
    }

    /// After a frame behind the end the stream is gone.
    @Test func resetsAStreamOnceAfterItsEnd() throws {
        let prepared = try Self.stage(in: .responseEnded)
        var stage = prepared.stage
        stage.receive(HTTP2Peer.data(prepared.stream, [1]))
        #expect(!stage.machine.isClosed)
        #expect(stage.machine.streamCount == 0)
        stage.receive(HTTP2Peer.data(prepared.stream, [1]))
        #expect(!stage.machine.isClosed)
        #expect(stage.frames(HTTP2Peer.Kind.reset).map(\.code) == [.streamClosed])
        stage.close()
    }

    /// The server can't know a stream whose head is still in the output.
    @Test(arguments: Frame.allCases)
    func rejectsTheFrameForAnUnsentStream(frame: Frame) throws {
        var stage = HTTP2ConnectionStage()
        let sent = try stage.open()
        stage.takesOutput = false
        let unsent = try stage.upload()
        Self.receive(frame, on: unsent, &stage)
        if frame == .priority || frame == .unknown {
            #expect(stage.entries.isEmpty)
            // Once the head is taken, the stream is like any other.
            stage.takeOutput()
            stage.receiveHead(unsent, endStream: true)
            #expect(stage.ended == [unsent])
        } else {
            #expect(stage.machine.failure?.code == .protocolError)
            #expect(stage.failure(sent)?.isUnprocessed == false)
            #expect(stage.failure(unsent)?.isUnprocessed == true)
            #expect(stage.failure(unsent)?.cause == .connectionFailed)
            #expect(stage.takeOutput().map(\.type) == [HTTP2Peer.Kind.goAway], "the request is not sent")
        }
        stage.close()
    }

    @Test func failsAllStreamsAfterAFrameForAnUnopenedOne() throws {
        var stage = HTTP2ConnectionStage()
        try stage.open()
        try stage.open()
        stage.receive(HTTP2Peer.reset(5, .cancel))
        #expect(stage.machine.failure?.code == .protocolError)
        #expect(stage.failed == [1, 3])
        stage.close()
    }
}
