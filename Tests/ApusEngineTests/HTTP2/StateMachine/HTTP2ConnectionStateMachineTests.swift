internal import HTTPTypes
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct HTTP2ConnectionStateMachineTests {
    typealias Kind = HTTP2Peer.Kind

    // MARK: Start and settings

    @Test func beginsWithThePrefaceAndItsWindows() throws {
        var machine = HTTP2ConnectionStateMachine(limits: HTTP2Limits(headerListBytes: 5_000))
        #expect(machine.freeSlots == 0)
        #expect(!machine.hasOutput)
        machine.start()
        #expect(machine.hasOutput)
        #expect(machine.freeSlots == 100)
        let output = machine.takeOutput()
        let bytes = Array(try #require(output).readableBytesView)
        #expect(bytes.starts(with: HTTP2SentFrame.preface))
        let frames = try #require(HTTP2SentFrame.all(in: bytes))
        let payload: [UInt8] = [0, 2, 0, 0, 0, 0, 0, 4, 0, 16, 0, 0, 0, 6, 0, 0, 0x13, 0x88]
        #expect(
            frames == [
                HTTP2SentFrame(type: Kind.settings, flags: 0, stream: 0, payload: payload),
                HTTP2SentFrame(
                    type: Kind.windowUpdate,
                    flags: 0,
                    stream: 0,
                    payload: HTTP2Peer.big(UInt32(64 * 1024 * 1024 - 65_535))
                ),
            ]
        )
        #expect(machine.takeOutput() == nil)
    }

    @Test func announcesNoMoreThanTheLimits() {
        var stage = HTTP2ConnectionStage(
            limits: HTTP2Limits(streamWindowBytes: 1_000, connectionWindowBytes: 10),
            settings: nil
        )
        stage.takeOutput()
        #expect(stage.frames(Kind.settings).first?.payload[6..<12] == [0, 4, 0, 0, 0x03, 0xE8])
        #expect(stage.frames(Kind.windowUpdate).isEmpty, "a connection's window can't be below 65,535")
    }

    @Test func acknowledgesSettings() {
        var stage = HTTP2ConnectionStage()
        stage.receive(HTTP2Peer.settings([(0x3, 7), (0x6, 100), (0x5, 16_777_215), (0xABCD, .max)]))
        #expect(stage.sent == [HTTP2SentFrame(type: Kind.settings, flags: 1, stream: 0, payload: [])])
        #expect(stage.entries.isEmpty)
        #expect(stage.machine.freeSlots == 7)
        stage.receive(HTTP2Peer.frame(Kind.settings, flags: 1))
        #expect(!stage.machine.isClosed)
    }

    @Test func requiresSettingsFirst() {
        var stage = HTTP2ConnectionStage(settings: nil)
        stage.receive(HTTP2Peer.ping(1))
        #expect(stage.machine.failure?.code == .protocolError)
        var other = HTTP2ConnectionStage(settings: nil)
        other.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        #expect(other.machine.isClosed)
    }

    @Test func obeysTheHeaderTableSize() throws {
        var stage = HTTP2ConnectionStage(settings: [(0x1, 0)])
        try stage.open()
        #expect(stage.frames(Kind.headers).first?.payload.first == 0x20, "the block begins with a size update")
    }

    // MARK: Exchanges

    @Test func carriesAGet() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.open(path: "/a?b")
        #expect(stream == 1)
        #expect(stage.sent.count == 1)
        #expect(stage.sent.first?.flags == 0x5)
        #expect(stage.machine.streamCount == 1)
        #expect(stage.machine.freeSlots == 999)
        stage.receiveHead(1, 103, [("link", "</a>")])
        stage.receiveHead(1, 200, [("content-length", "5")])
        stage.receive(HTTP2Peer.data(1, Array("hel".utf8)))
        stage.receive(HTTP2Peer.data(1, Array("lo".utf8), endStream: true))
        #expect(
            stage.entries == [
                .informational(1, 103), .head(1, 200, endStream: false), .body(1, Array("hello".utf8)),
                .end(1, trailers: nil),
            ]
        )
        #expect(stage.machine.streamCount == 0)
        #expect(stage.machine.freeSlots == 1_000)
        #expect(try stage.open() == 3)
        stage.receiveHead(3, 204, endStream: true)
        #expect(stage.entries.suffix(2) == [.head(3, 204, endStream: true), .end(3, trailers: nil)])
        stage.close()
    }

    @Test func sendsTheRequest() throws {
        var stage = HTTP2ConnectionStage()
        try stage.open(path: "/a?b", fields: [.accept: "text/plain"])
        let frame = try #require(stage.frames(Kind.headers).first)
        var decoder = HPACKDecoder()
        var values: [String] = []
        try decoder.decode(ByteBuffer(bytes: frame.payload)) { (line: HPACKHeader) -> Bool in
            values.append(line.value)
            return true
        }
        #expect(values == ["GET", "https", "example.org", "/a?b", "text/plain"])
    }

    @Test func carriesABodyAndTrailersInBothDirections() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        #expect(stage.frames(Kind.headers).first?.endsStream == false)
        #expect(stage.machine.sendable(stream) == 65_535)
        #expect(stage.send(5, of: stream) == 0)
        let digest = try #require(HTTPField.Name("x-digest"))
        try stage.endRequest(of: stream, trailers: [digest: "abc"])
        #expect(stage.sent.map(\.type) == [Kind.headers, Kind.data, Kind.headers])
        #expect(stage.sent.map(\.endsStream) == [false, false, true])
        #expect(stage.machine.sendable(stream) == 0)
        stage.receiveHead(stream)
        stage.receive(HTTP2Peer.data(stream, [1, 2]))
        stage.receive(stage.peer.lines(stream, [("x-a", "b"), ("x-c", "d")], endStream: true))
        #expect(stage.entries.last == .end(stream, trailers: ["x-a: b", "x-c: d"]))
        #expect(stage.machine.streamCount == 0)
        stage.close()
    }

    /// Header blocks do not use the windows.
    @Test func splitsLargeTrailersAfterAWindowThatIsUsedUp() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        stage.send(65_535, of: stream)
        #expect(stage.machine.sendable(stream) == 0)
        stage.forget()
        let name = try #require(HTTPField.Name("x-large"))
        try stage.endRequest(of: stream, trailers: [name: String(repeating: "~", count: 40_000)])
        #expect(stage.sent.first?.type == Kind.headers)
        #expect(stage.sent.first?.endsStream == true)
        #expect(stage.sent.count > 1)
        #expect(Set(stage.sent.dropFirst().map(\.type)) == [Kind.continuation])
        #expect(stage.sent.last?.flags == 0x4)
        stage.close()
    }

    @Test func endsARequestOnce() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        try stage.endRequest(of: stream)
        try stage.endRequest(of: stream)
        #expect(stage.send(3, of: stream, endStream: true) == 3)
        #expect(stage.frames(Kind.data).count == 1)
        #expect(stage.frames(Kind.data).first?.endsStream == true)
        try stage.endRequest(of: 99)
        #expect(stage.send(3, of: 99) == 3)
        stage.close()
    }

    @Test func endsWithTheLastByteOfAChunk() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.open(.post, .length(40_000))
        #expect(stage.send(40_000, of: stream, endStream: true) == 0)
        let frames = stage.frames(Kind.data)
        #expect(frames.map(\.payload.count) == [16_384, 16_384, 7_232])
        #expect(frames.map(\.endsStream) == [false, false, true])
        let empty = try stage.upload()
        #expect(stage.send(0, of: empty) == 0)
        #expect(stage.frames(Kind.data, on: empty).isEmpty)
        #expect(stage.send(0, of: empty, endStream: true) == 0)
        #expect(stage.frames(Kind.data, on: empty).map(\.endsStream) == [true])
        stage.close()
    }

    @Test func keepsATunnelOpen() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.open(.connect)
        #expect(stage.frames(Kind.headers).first?.endsStream == false)
        stage.receiveHead(stream)
        #expect(stage.send(3, of: stream) == 0)
        stage.receive(HTTP2Peer.data(stream, [1]))
        #expect(stage.body(stream) == [1])
        stage.cancel(stream)
        stage.close()
    }

    @Test func splitsALargeHead() throws {
        var stage = HTTP2ConnectionStage()
        let name = try #require(HTTPField.Name("x-large"))
        try stage.open(fields: [name: String(repeating: "~", count: 40_000)])
        #expect(stage.sent.first?.type == Kind.headers)
        #expect(stage.sent.count > 1)
        #expect(Set(stage.sent.dropFirst().map(\.type)) == [Kind.continuation])
        #expect(stage.sent.first?.endsStream == true)
        #expect(stage.sent.last?.flags == 0x4)
    }

    @Test func changesNothingIfARequestIsInvalid() throws {
        var stage = HTTP2ConnectionStage()
        #expect(throws: RequestEncodeError.self) { try stage.open(path: "no slash") }
        #expect(stage.machine.streamCount == 0)
        #expect(stage.machine.freeSlots == 1_000)
        #expect(stage.sent.isEmpty)
        let stream = try stage.upload()
        #expect(stream == 1)
        let name = try #require(HTTPField.Name("content-length"))
        #expect(throws: RequestEncodeError.self) { try stage.endRequest(of: stream, trailers: [name: "1"]) }
        #expect(stage.sent.count == 1)
        try stage.endRequest(of: stream)
        #expect(stage.frames(Kind.data).count == 1)
        stage.close()
    }

    // MARK: Slots

    @Test func countsStreamsUntilBothDirectionsHaveEnded() throws {
        var stage = HTTP2ConnectionStage(settings: [(0x3, 2)])
        #expect(stage.machine.freeSlots == 2)
        let first = try stage.upload()
        let second = try stage.open()
        #expect(stage.machine.freeSlots == 0)
        stage.receiveHead(first, endStream: true)
        #expect(stage.machine.freeSlots == 0)
        try stage.endRequest(of: first)
        #expect(stage.machine.freeSlots == 1)
        stage.cancel(second)
        #expect(stage.machine.freeSlots == 2)
        stage.close()
    }

    @Test func usesTheSmallerLimit() {
        let limits = HTTP2Limits(concurrentStreams: 10)
        #expect(HTTP2ConnectionStage(limits: limits, settings: nil).machine.freeSlots == 10)
        #expect(HTTP2ConnectionStage(limits: limits, settings: [(0x3, 11)]).machine.freeSlots == 10)
        #expect(HTTP2ConnectionStage(limits: limits, settings: [(0x3, 9)]).machine.freeSlots == 9)
        #expect(HTTP2ConnectionStage(limits: limits, settings: [(0x3, .max)]).machine.freeSlots == 10)
        #expect(HTTP2ConnectionStage(limits: HTTP2Limits(concurrentStreams: .min)).machine.freeSlots == 0)
        let all = HTTP2ConnectionStage(limits: HTTP2Limits(concurrentStreams: .max), settings: [(0x3, .max)])
        #expect(all.machine.freeSlots == 1 << 30)
    }

    @Test(arguments: [0, 1, 2] as [UInt32])
    func survivesALimitBelowTheOpenStreams(limit: UInt32) throws {
        var stage = HTTP2ConnectionStage()
        let streams = try (0..<3).map { (_: Int) throws -> Int32 in try stage.open() }
        stage.receive(HTTP2Peer.settings([(0x3, limit)]))
        #expect(stage.entries.isEmpty)
        #expect(stage.machine.freeSlots == 0)
        for stream in streams { stage.receiveHead(stream, endStream: true) }
        #expect(stage.machine.freeSlots == Int(limit))
        #expect(stage.ended == Set(streams))
        stage.receive(HTTP2Peer.settings([(0x3, 5)]))
        #expect(stage.machine.freeSlots == 5)
        stage.close()
    }

    @Test func usesUpItsNumbers() throws {
        var stage = HTTP2ConnectionStage(firstStream: Int32.max - 2)
        #expect(stage.machine.freeSlots == 2)
        #expect(try stage.open() == Int32.max - 2)
        #expect(stage.machine.freeSlots == 1)
        #expect(!stage.machine.isDraining)
        let last = try stage.upload()
        #expect(last == Int32.max)
        #expect(stage.machine.freeSlots == 0)
        #expect(stage.machine.isDraining)
        stage.receiveHead(Int32.max - 2, endStream: true)
        try stage.endRequest(of: last)
        #expect(stage.machine.freeSlots == 0)
        #expect(stage.machine.streamCount == 1)
        #expect(!stage.machine.isClosed)
        stage.close()
    }

    // MARK: Pings and closing

    @Test func answersAndSendsPings() {
        var stage = HTTP2ConnectionStage()
        stage.receive(HTTP2Peer.ping(0x0102_0304_0506_0708))
        #expect(
            stage.sent == [HTTP2SentFrame(type: Kind.ping, flags: 1, stream: 0, payload: [1, 2, 3, 4, 5, 6, 7, 8])]
        )
        stage.machine.ping(9)
        stage.receive(HTTP2Peer.pong(8))
        #expect(stage.entries.isEmpty, "an answer to a PING that was not sent")
        stage.receive(HTTP2Peer.pong(9))
        stage.receive(HTTP2Peer.pong(9))
        #expect(stage.entries == [.pong(9)])
        for token: UInt64 in 100..<200 { stage.machine.ping(token) }
        for token: UInt64 in 100..<200 { stage.receive(HTTP2Peer.pong(token)) }
        #expect(stage.entries.count == 17, "16 are remembered")
    }

    @Test func shutsDownOnce() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.open()
        stage.machine.shutDown()
        stage.machine.shutDown()
        stage.takeOutput()
        #expect(stage.frames(Kind.goAway).map(\.payload) == [[0, 0, 0, 0, 0, 0, 0, 0]])
        #expect(stage.machine.isDraining)
        #expect(stage.machine.freeSlots == 0)
        stage.receiveHead(stream, endStream: true)
        #expect(stage.ended == [stream])
        #expect(!stage.machine.isClosed)
        stage.close()
        #expect(stage.machine.isClosed)
        #expect(stage.machine.failure == nil)
    }

    @Test func failsItsStreamsWithTheConnection() throws {
        var stage = HTTP2ConnectionStage()
        let complete = try stage.upload()
        stage.receiveHead(complete, endStream: true)
        let sent = try stage.open()
        stage.takesOutput = false
        let unsent = try stage.open()
        stage.forgetEvents()
        stage.close()
        #expect(stage.failure(sent)?.isUnprocessed == false)
        #expect(stage.failure(unsent)?.isUnprocessed == true)
        #expect(stage.failure(unsent)?.cause == .connectionClosed)
        #expect(stage.unwanted == [complete])
        #expect(!stage.machine.hasOutput)
        #expect(stage.machine.streamCount == 0)
        #expect(stage.machine.freeSlots == 0)
        stage.close()
        stage.receiveHead(sent)
        stage.machine.ping(1)
        stage.machine.shutDown()
        stage.machine.cancel(sent)
        stage.consumed(5, of: sent)
        #expect(!stage.machine.hasOutput)
    }

    /// A response contradicts that a request is unsent.
    @Test(arguments: [false, true])
    func treatsARequestWithAResponseAsSent(closes: Bool) throws {
        var stage = HTTP2ConnectionStage()
        stage.takesOutput = false
        let unsent = try stage.open()
        let answered = try stage.open()
        // The machine accepts no frame for such a stream, so the test sets the state.
        stage.machine.streams[1].hasResponse = true
        if closes { stage.close() } else { stage.receive(HTTP2Peer.windowUpdate(0, 0)) }
        #expect(stage.machine.isClosed)
        #expect(stage.failure(unsent)?.isUnprocessed == true)
        #expect(stage.failure(answered)?.isUnprocessed == false)
        stage.checkEnds()
    }

    @Test func sendsNoUnsentRequestAfterAFault() throws {
        var stage = HTTP2ConnectionStage()
        let sent = try stage.upload()
        stage.takesOutput = false
        let unsent = try stage.open()
        stage.send(100, of: sent)
        stage.receive(HTTP2Peer.frame(Kind.pushPromise, flags: 0x4, stream: sent, HTTP2Peer.big(2)))
        #expect(stage.failure(sent)?.isUnprocessed == false)
        #expect(stage.failure(unsent)?.isUnprocessed == true)
        #expect(stage.failure(unsent)?.cause == .connectionFailed)
        stage.takeOutput()
        let goAway = try #require(stage.sent.last)
        #expect(stage.sent.filter { (frame: HTTP2SentFrame) -> Bool in frame.type != Kind.headers } == [goAway])
        #expect(goAway.type == Kind.goAway)
        #expect(goAway.number == 0)
        #expect(goAway.code == .protocolError)
        stage.checkEnds()
    }

    @Test func writesThePrefaceEvenIfItFailsAtOnce() throws {
        var machine = HTTP2ConnectionStateMachine(limits: HTTP2Limits())
        machine.start()
        var bytes = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")
        machine.receive(&bytes, at: 0) { (_: HTTP2ConnectionStateMachine.Event) in }
        #expect(machine.isClosed)
        #expect(bytes.readableBytes == 0)
        let written = machine.takeOutput()
        let output = Array(try #require(written).readableBytesView)
        #expect(output.starts(with: HTTP2SentFrame.preface))
        #expect(HTTP2SentFrame.all(in: output)?.map(\.type) == [Kind.settings, Kind.windowUpdate, Kind.goAway])
    }
}
