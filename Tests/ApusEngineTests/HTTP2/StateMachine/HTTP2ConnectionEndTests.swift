internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// The ends of streams that are not the regular one: GOAWAY, RST_STREAM, cancellation, and early responses.
@Suite struct HTTP2ConnectionEndTests {
    typealias Kind = HTTP2Peer.Kind

    // MARK: GOAWAY

    @Test func failsTheStreamsThatAreExcluded() throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<4 { try stage.open() }
        stage.receive(HTTP2Peer.goAway(3, .noError, "bye"))
        #expect(stage.entries.first == .goneAway(.noError, 3))
        #expect(stage.failed == [5, 7])
        #expect(stage.failure(5)?.isUnprocessed == true)
        #expect(stage.failure(5)?.cause == .goneAway)
        #expect(stage.failure(7)?.code == .noError)
        #expect(stage.failure(7)?.reason.contains("bye") == true)
        #expect(stage.machine.isDraining)
        #expect(stage.machine.freeSlots == 0)
        #expect(stage.machine.streamCount == 2)
        stage.receiveHead(1, endStream: true)
        stage.receiveHead(3, endStream: true)
        #expect(stage.ended == [1, 3])
        #expect(!stage.machine.isClosed)
        stage.close()
    }

    @Test func shutsDownInTwoSteps() throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<3 { try stage.open() }
        stage.receive(HTTP2Peer.goAway(.max))
        #expect(stage.failed.isEmpty)
        #expect(stage.machine.isDraining)
        stage.receive(HTTP2Peer.goAway(3))
        #expect(stage.failed == [5])
        stage.receive(HTTP2Peer.goAway(0, .enhanceYourCalm))
        #expect(stage.failed == [1, 3, 5])
        #expect(stage.failure(1)?.code == .enhanceYourCalm)
        #expect(stage.failure(1)?.isUnprocessed == false)
        #expect(stage.failure(5)?.isUnprocessed == true, "it was excluded by the GOAWAY before")
        stage.close()
    }

    /// Another connection would end with the same code, so that the excluded requests are not sent again.
    @Test(arguments: [.enhanceYourCalm, .inadequateSecurity, .http11Required] as [HTTP2ErrorCode])
    func leavesTheFateOpenAfterAFinalCode(code: HTTP2ErrorCode) throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<3 { try stage.open() }
        stage.receive(HTTP2Peer.goAway(1, code, "no"))
        #expect(stage.failed == [3, 5])
        for stream: Int32 in [3, 5] {
            #expect(stage.failure(stream)?.isUnprocessed == false)
            #expect(stage.failure(stream)?.cause == .goneAway)
            #expect(stage.failure(stream)?.code == code)
        }
        stage.receiveHead(1, endStream: true)
        #expect(stage.ended == [1])
        stage.close()
    }

    @Test(arguments: [.noError, .protocolError, .internalError, .cancel, .init(rawValue: 0xE)] as [HTTP2ErrorCode])
    func reportsExcludedRequestsAsUnprocessedAfterAnyOtherCode(code: HTTP2ErrorCode) throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<2 { try stage.open() }
        stage.receive(HTTP2Peer.goAway(1, code))
        #expect(stage.failed == [3])
        #expect(stage.failure(3)?.isUnprocessed == true)
        #expect(stage.failure(3)?.code == code)
        stage.close()
    }

    @Test func ignoresALargerLastStream() throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<3 { try stage.open() }
        stage.receive(HTTP2Peer.goAway(3))
        let count = stage.entries.count
        stage.receive(HTTP2Peer.goAway(5))
        stage.receive(HTTP2Peer.goAway(.max))
        #expect(stage.entries.count == count)
        #expect(stage.failed == [5])
        stage.receive(HTTP2Peer.goAway(1))
        #expect(stage.failed == [3, 5])
        stage.receive(HTTP2Peer.goAway(3, .internalError))
        #expect(stage.entries.last == .goneAway(.internalError, 1))
        stage.close()
    }

    /// The server excludes all streams, and responds to them nevertheless.
    @Test func dropsResponsesToExcludedStreams() throws {
        var stage = HTTP2ConnectionStage()
        try stage.open()
        let begun = try stage.open()
        stage.receiveHead(begun)
        stage.receiveData(begun, 1_000)
        stage.receive(HTTP2Peer.goAway(0))
        #expect(stage.failure(1)?.isUnprocessed == true)
        #expect(stage.failure(begun)?.isUnprocessed == false, "it has responded, so it lies about one of the two")
        stage.receiveHead(1)
        stage.receiveData(1, 100_000)
        stage.receive(stage.peer.lines(1, [("x-a", "b")], endStream: true))
        stage.receiveData(begun, 100_000, endStream: true)
        #expect(!stage.machine.isClosed)
        #expect(stage.body(1).isEmpty)
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        stage.close()
    }

    @Test func keepsACompleteResponseOfAnExcludedStream() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        stage.receiveHead(stream, endStream: true)
        stage.receive(HTTP2Peer.goAway(0))
        #expect(stage.entries.last == .requestNotWanted(stream))
        #expect(stage.send(5, of: stream) == 5)
        stage.close()
    }

    @Test func namesTheCodeOfAnEarlierGoAwayWhenTheConnectionCloses() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.open()
        stage.receive(HTTP2Peer.goAway(stream, .enhanceYourCalm, "too_many_pings"))
        stage.close()
        #expect(stage.failure(stream)?.code == .enhanceYourCalm)
        #expect(stage.failure(stream)?.isUnprocessed == false)
        #expect(stage.failure(stream)?.reason.contains("too_many_pings") == true)
    }

    // MARK: Early responses

    @Test func stopsARequestThatIsNotWanted() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        #expect(stage.send(100_000, of: stream) == 100_000 - 65_535)
        stage.receiveHead(stream, 413, endStream: true)
        stage.receive(HTTP2Peer.reset(stream, .noError))
        #expect(
            stage.entries == [
                .head(stream, 413, endStream: true), .end(stream, trailers: nil), .requestNotWanted(stream),
            ]
        )
        #expect(stage.send(10, of: stream) == 10)
        stage.receive(HTTP2Peer.windowUpdate(stream, 100))
        stage.receive(HTTP2Peer.windowUpdate(0, 100))
        #expect(stage.entries.last == .requestNotWanted(stream))
        #expect(stage.frames(Kind.reset).isEmpty)
        stage.close()
    }

    @Test func finishesARequestAfterItsResponse() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        stage.receiveHead(stream)
        stage.receiveData(stream, 10, endStream: true)
        #expect(stage.ended == [stream])
        #expect(stage.machine.streamCount == 1)
        #expect(stage.send(100_000, of: stream) == 100_000 - 65_535)
        stage.receive(HTTP2Peer.windowUpdate(0, 50_000))
        stage.receive(HTTP2Peer.windowUpdate(stream, 50_000))
        #expect(stage.entries.last == .writable(stream))
        #expect(stage.send(100_000 - 65_535, of: stream, endStream: true) == 0)
        #expect(stage.machine.streamCount == 0)
        stage.consumed(10, of: stream)
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        stage.close()
    }

    @Test func cancelsARequestAfterItsResponse() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        stage.receiveHead(stream)
        stage.receiveData(stream, 10, endStream: true)
        stage.cancel(stream)
        #expect(stage.frames(Kind.reset).map(\.code) == [.cancel])
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(stage.machine.streamCount == 0)
        #expect(stage.entries.last == .end(stream, trailers: nil))
        stage.close()
    }

    // MARK: Cancellation with bytes on the wire

    @Test func givesTheWindowBackOnce() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.open()
        stage.receiveHead(stream)
        stage.receiveData(stream, 300_000)
        #expect(stage.machine.receiveWindow.owedBytes == 300_000)
        stage.consumed(100_000, of: stream)
        #expect(stage.streamWindow(stream)?.unconsumedBytes == 200_000)
        #expect(stage.streamWindow(stream)?.owedBytes == 100_000)
        #expect(stage.machine.receiveWindow.owedBytes == 300_000)
        stage.cancel(stream)
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(stage.machine.receiveWindow.owedBytes == 300_000)
        // These were sent before the server received RST_STREAM.
        stage.receiveData(stream, 400_000)
        stage.receive(stage.peer.lines(stream, [("x-a", "b")], endStream: true))
        stage.consumed(200_000, of: stream)
        stage.cancel(stream)
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(stage.machine.receiveWindow.owedBytes == 700_000)
        #expect(stage.machine.receiveWindow.availableBytes == 64 * 1024 * 1024 - 700_000)
        #expect(stage.frames(Kind.windowUpdate).isEmpty)
        #expect(stage.frames(Kind.reset).count == 1)
        // The header table has the line of the trailers.
        let next = try stage.open()
        stage.receive(stage.peer.lines(next, [(":status", "200"), ("x-a", "b")], endStream: true))
        #expect(stage.entries.last == .end(next, trailers: nil))
        stage.close()
    }

    @Test func toleratesTheBytesThatWereSentAlready() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(emptyFrames: 1))
        let stream = try stage.open()
        stage.receiveHead(stream)
        stage.receiveData(stream, 48_576)
        stage.cancel(stream)
        // The window of 1 MiB had one million bytes left.
        stage.receiveData(stream, 1_000_000)
        #expect(!stage.machine.isClosed)
        #expect(stage.machine.floodGuard.tokens(.empty) == 1)
        stage.receiveData(stream, 2_047)
        #expect(!stage.machine.isClosed)
        stage.receiveData(stream, 1)
        #expect(stage.machine.failure?.limit == "emptyFrames")
        stage.close()
    }

    @Test func cancelsAWaitingUpload() throws {
        var stage = HTTP2ConnectionStage(settings: [(0x4, 0)])
        let stream = try stage.upload()
        #expect(stage.send(10, of: stream) == 10)
        stage.cancel(stream)
        stage.receive(HTTP2Peer.windowUpdate(stream, 10))
        stage.receive(HTTP2Peer.settings([(0x4, 100)]))
        #expect(stage.entries.isEmpty)
        #expect(stage.machine.waitingStreams == 0)
        stage.cancel(stream)
        #expect(stage.frames(Kind.reset).count == 1)
        stage.close()
    }

    @Test func givesBackTheBytesOfFailedStreams() throws {
        var stage = HTTP2ConnectionStage()
        for _ in 0..<3 {
            let stream = try stage.open()
            stage.receiveHead(stream)
            stage.receiveData(stream, 50_000)
        }
        stage.receive(HTTP2Peer.reset(1, .internalError))
        stage.receive(HTTP2Peer.windowUpdate(3, 0))
        stage.receive(HTTP2Peer.goAway(0))
        #expect(stage.failed == [1, 3, 5])
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(stage.machine.receiveWindow.owedBytes == 150_000)
        for stream: Int32 in [1, 3, 5] { stage.consumed(50_000, of: stream) }
        #expect(stage.machine.receiveWindow.owedBytes == 150_000)
        stage.close()
    }

    /// The readers of an ended and of an open stream pause, with almost a whole window of the connection each.
    @Test func holdsUpNoOtherStreamWhileReadersPause() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(connectionWindowBytes: 65_535))
        let ended = try stage.open()
        let paused = try stage.open()
        let other = try stage.open()
        for stream in [ended, paused, other] { stage.receiveHead(stream) }
        stage.receiveData(ended, 60_000, endStream: true)
        stage.receiveData(paused, 60_000)
        for _ in 0..<20 {
            stage.receiveData(other, 10_000)
            stage.consumed(10_000, of: other)
            #expect(stage.machine.receiveWindow.availableBytes > 32_767)
        }
        #expect(stage.streamWindow(paused)?.unconsumedBytes == 60_000)
        let window = stage.machine.receiveWindow
        #expect(window.unconsumedBytes == 0)
        #expect(stage.increments(0) + window.owedBytes == 320_000)
        // The readers go on. Only the window of the open stream opens.
        for count in [20_000, -5, 40_000, 40_000] { stage.consumed(count, of: ended) }
        stage.cancel(ended)
        stage.consumed(60_000, of: paused)
        #expect(stage.machine.receiveWindow == window)
        #expect(stage.streamWindow(ended) == nil)
        #expect(stage.streamWindow(paused)?.unconsumedBytes == 0)
        #expect(stage.streamWindow(paused)?.owedBytes == 60_000)
        #expect(stage.increments(ended) == 0)
        #expect(stage.frames(Kind.reset).isEmpty)
        for stream in [paused, other] { stage.receiveData(stream, 1, endStream: true) }
        #expect(stage.ended == [ended, paused, other])
        stage.close()
    }
}
