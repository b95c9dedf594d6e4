internal import HTTPTypes
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

/// Servers that cause work without end. Each is stopped by a limit that the error names, and its memory is bounded.
@Suite struct HTTP2ConnectionFloodTests {
    typealias Kind = HTTP2Peer.Kind

    /// Passes frames until the connection closes, and expects that it does.
    private func flood(_ stage: inout HTTP2ConnectionStage, limit: String, _ frame: (Int) -> [UInt8]) {
        var count = 0
        while !stage.machine.isClosed, count < 20_000 {
            stage.receive(frame(count))
            count += 1
        }
        #expect(stage.machine.failure?.code == .enhanceYourCalm)
        #expect(stage.machine.failure?.limit == limit)
        #expect(stage.frames(Kind.goAway).map(\.code) == [.enhanceYourCalm])
        stage.close()
    }

    @Test func endsAfterManyPings() {
        var stage = HTTP2ConnectionStage()
        flood(&stage, limit: "pingFrames") { (index: Int) -> [UInt8] in HTTP2Peer.ping(UInt64(index)) }
    }

    @Test func endsAfterManySettings() throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<50 { try stage.upload() }
        flood(&stage, limit: "settingsFrames") { (index: Int) -> [UInt8] in
            HTTP2Peer.settings([(0x4, UInt32(index % 2)), (0x1, UInt32(index % 2))])
        }
    }

    @Test func endsAfterManyFramesWithoutContent() throws {
        for frame in [
            HTTP2Peer.frame(Kind.unknown), HTTP2Peer.frame(Kind.priority, stream: 9, [0, 0, 0, 0, 0]),
            HTTP2Peer.frame(Kind.settings, flags: 1), HTTP2Peer.pong(5), HTTP2Peer.data(1, []), HTTP2Peer.goAway(1),
        ] {
            var stage = HTTP2ConnectionStage()
            try stage.open()
            stage.receiveHead(1)
            flood(&stage, limit: "emptyFrames") { (_: Int) -> [UInt8] in frame }
        }
    }

    @Test func endsAfterManyWindowUpdates() throws {
        for stream: Int32 in [0, 1, 3] {
            var stage = HTTP2ConnectionStage()
            try stage.upload()
            let gone = try stage.open()
            stage.receiveHead(gone, endStream: true)
            flood(&stage, limit: "windowUpdates") { (_: Int) -> [UInt8] in HTTP2Peer.windowUpdate(stream, 1) }
        }
    }

    @Test func endsAfterManyHeadersForAGoneStream() throws {
        var stage = HTTP2ConnectionStage()
        try stage.open()
        stage.receiveHead(1, endStream: true)
        let head = HTTP2Peer.frame(Kind.headers, flags: 0x4, stream: 1, [0x88])
        flood(&stage, limit: "emptyFrames") { (_: Int) -> [UInt8] in head }
    }

    @Test func endsAfterManyBytesForAGoneStream() throws {
        var stage = HTTP2ConnectionStage()
        try stage.open()
        stage.receiveHead(1, endStream: true)
        let data = HTTP2Peer.data(1, [UInt8](repeating: 0, count: 1_000))
        flood(&stage, limit: "emptyFrames") { (_: Int) -> [UInt8] in data }
        #expect(stage.machine.streamCount == 0)
    }

    @Test func endsAfterManyContinuations() throws {
        var stage = HTTP2ConnectionStage()
        try stage.open()
        stage.receive(HTTP2Peer.frame(Kind.headers, stream: 1))
        flood(&stage, limit: "continuationFrames") { (_: Int) -> [UInt8] in
            HTTP2Peer.frame(Kind.continuation, stream: 1)
        }
    }

    /// CVE-2023-44487, seen from the client: the server resets each stream at once, and the client opens the next.
    @Test func survivesAServerThatResetsEachStream() throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<5_000 {
            let stream = try stage.open()
            stage.receive(HTTP2Peer.reset(stream, .refusedStream))
            #expect(stage.machine.streamCount == 0)
        }
        // One reset for each request is its right. Nothing is kept of them.
        #expect(!stage.machine.isClosed)
        #expect(stage.failed.count == 5_000)
        flood(&stage, limit: "resets") { (index: Int) -> [UInt8] in
            HTTP2Peer.reset(Int32(index % 5_000) * 2 + 1, .cancel)
        }
    }

    /// Each malformed response makes the client send a reset. Their number is that of the requests.
    @Test func sendsOneResetForEachMalformedResponse() throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<500 {
            let stream = try stage.open()
            for _ in 0..<3 { stage.receiveHead(stream, 101) }
        }
        #expect(stage.frames(Kind.reset).count == 500)
        #expect(stage.machine.streamCount == 0)
        stage.close()
    }

    @Test func boundsTheOutputThatIsNotTaken() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(settingsFrames: .max, pingFrames: .max))
        stage.takesOutput = false
        for index in 0..<500 {
            stage.receive(HTTP2Peer.ping(UInt64(index)))
            stage.receive(HTTP2Peer.settings())
        }
        #expect(!stage.machine.isClosed)
        #expect(stage.machine.output.readableBytes < 20_000)
        stage.receive(HTTP2Peer.ping(1))
        #expect(stage.machine.failure?.limit == "pendingAcknowledgements")
        #expect(stage.takeOutput().map(\.type) == [Kind.goAway])
        // A client that writes is not affected.
        var other = HTTP2ConnectionStage(limits: HTTP2Limits(pingFrames: .max))
        for index in 0..<3_000 { other.receive(HTTP2Peer.ping(UInt64(index))) }
        #expect(!other.machine.isClosed)
        #expect(other.frames(Kind.ping).count == 3_000)
    }

    @Test func allowsAQuietServerItsPings() {
        var stage = HTTP2ConnectionStage()
        for index in 0..<5_000 {
            stage.now += 30_000_000_000
            stage.receive(HTTP2Peer.ping(UInt64(index)))
        }
        #expect(!stage.machine.isClosed)
    }

    /// A server that opens the connection's window byte by byte wakes all waiting uploads each time.
    @Test func endsAfterManyWakesForOneByte() throws {
        var stage = HTTP2ConnectionStage(
            limits: HTTP2Limits(windowUpdates: 200, concurrentStreams: 200),
            settings: [(0x3, 200), (0x4, 1_000_000)]
        )
        for _ in 0..<200 {
            let stream = try stage.upload()
            stage.send(1_000, of: stream)
        }
        #expect(stage.machine.waitingStreams == 135)
        var count = 0
        while !stage.machine.isClosed, count < 1_000 {
            let before = stage.entries.count
            stage.receive(HTTP2Peer.windowUpdate(0, 1))
            for case .writable(let stream) in stage.entries[before...] { stage.send(1_000, of: stream) }
            count += 1
        }
        #expect(count > 50)
        #expect(!stage.machine.isClosed, "each sent frame returns more than its update takes")
        // With a thousand streams it does not.
        var larger = HTTP2ConnectionStage(
            limits: HTTP2Limits(windowUpdates: 200),
            settings: [(0x3, 1_000), (0x4, 1_000_000)]
        )
        for _ in 0..<1_000 {
            let stream = try larger.upload()
            larger.send(1_000, of: stream)
        }
        count = 0
        while !larger.machine.isClosed, count < 1_000 {
            let before = larger.entries.count
            larger.receive(HTTP2Peer.windowUpdate(0, 1))
            for case .writable(let stream) in larger.entries[before...] { larger.send(1_000, of: stream) }
            count += 1
        }
        #expect(larger.machine.failure?.limit == "windowUpdates")
        larger.close()
    }
}
