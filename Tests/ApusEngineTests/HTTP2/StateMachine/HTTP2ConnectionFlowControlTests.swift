internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

@Suite struct HTTP2ConnectionFlowControlTests {
    typealias Kind = HTTP2Peer.Kind

    // MARK: The server's windows

    @Test func sendsAsMuchAsBothWindowsAllow() throws {
        var stage = HTTP2ConnectionStage(settings: [(0x4, 40_000)])
        let first = try stage.upload()
        let second = try stage.upload()
        #expect(stage.send(50_000, of: first) == 10_000)
        #expect(stage.machine.sendable(first) == 0)
        #expect(stage.machine.sendable(second) == 25_535)
        #expect(stage.send(50_000, of: second, endStream: true) == 50_000 - 25_535)
        #expect(Set(stage.frames(Kind.data, on: second).map(\.endsStream)) == [false])
        stage.receive(HTTP2Peer.windowUpdate(first, 1_000_000))
        #expect(stage.entries.isEmpty, "the connection's window is closed")
        stage.receive(HTTP2Peer.windowUpdate(0, 1_000))
        #expect(stage.entries == [.writable(first), .writable(second)])
        #expect(stage.machine.sendable(first) == 1_000)
        #expect(stage.machine.sendable(second) == 1_000)
        stage.close()
    }

    @Test func reportsAStreamOnce() throws {
        var stage = HTTP2ConnectionStage(settings: [(0x4, 0)])
        let stream = try stage.upload()
        stage.receive(HTTP2Peer.windowUpdate(stream, 1))
        #expect(stage.entries.isEmpty, "nothing waits yet")
        #expect(stage.send(2, of: stream) == 1)
        stage.receive(HTTP2Peer.windowUpdate(stream, 1))
        stage.receive(HTTP2Peer.windowUpdate(stream, 1))
        #expect(stage.entries == [.writable(stream)])
        #expect(stage.send(2, of: stream) == 0)
        stage.receive(HTTP2Peer.windowUpdate(stream, 1))
        #expect(stage.entries == [.writable(stream)])
        stage.close()
    }

    @Test func survivesANegativeWindow() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        #expect(stage.send(60_000, of: stream) == 0)
        stage.receive(HTTP2Peer.settings([(0x4, 10_000)]))
        #expect(stage.machine.streams.first?.sendWindow.availableBytes == -50_000)
        #expect(stage.machine.sendable(stream) == 0)
        #expect(stage.send(10, of: stream) == 10)
        stage.receive(HTTP2Peer.windowUpdate(stream, 50_000))
        #expect(stage.entries.isEmpty)
        stage.receive(HTTP2Peer.windowUpdate(stream, 1))
        #expect(stage.entries == [.writable(stream)])
        #expect(stage.send(10, of: stream) == 9)
        stage.receive(HTTP2Peer.settings([(0x4, 0)]))
        stage.receive(HTTP2Peer.settings([(0x4, 10_009)]))
        #expect(stage.entries == [.writable(stream), .writable(stream)])
        #expect(stage.send(9, of: stream, endStream: true) == 0)
        #expect(stage.sentBytes(stream) == 60_010)
        stage.close()
    }

    /// A window that never opens stops only the body. The response arrives, and the request can be cancelled.
    @Test func survivesAWindowThatNeverOpens() throws {
        var stage = HTTP2ConnectionStage(settings: [(0x4, 0)])
        let stream = try stage.upload()
        for _ in 0..<100 { #expect(stage.send(1_000, of: stream, endStream: true) == 1_000) }
        #expect(stage.frames(Kind.data).isEmpty)
        #expect(!stage.machine.hasOutput)
        stage.receiveHead(stream)
        stage.receiveData(stream, 10, endStream: true)
        #expect(stage.ended == [stream])
        #expect(stage.machine.streamCount == 1)
        stage.cancel(stream)
        #expect(stage.machine.streamCount == 0)
        let empty = try stage.upload()
        try stage.endRequest(of: empty)
        #expect(stage.frames(Kind.data).map(\.payload.count) == [0], "the end needs no window")
        stage.close()
    }

    @Test func rejectsWindowsThatAreTooLarge() throws {
        var stage = HTTP2ConnectionStage()
        let full = try stage.upload()
        stage.receive(HTTP2Peer.windowUpdate(full, 0x7FFF_FFFF - 65_535))
        #expect(stage.entries.isEmpty)
        stage.receive(HTTP2Peer.windowUpdate(full, 1))
        #expect(stage.failure(full)?.code == .flowControlError)
        #expect(!stage.machine.isClosed)
        stage.receive(HTTP2Peer.windowUpdate(0, 0x7FFF_FFFF - 65_535))
        #expect(!stage.machine.isClosed)
        stage.receive(HTTP2Peer.windowUpdate(0, 1))
        #expect(stage.machine.failure?.code == .flowControlError)
        stage.close()
    }

    @Test(arguments: [[65_536], [65_536, 0], [0, 65_536, 5]] as [[UInt32]])
    func rejectsSettingsThatMakeAWindowTooLarge(values: [UInt32]) throws {
        var stage = HTTP2ConnectionStage()
        let full = try stage.upload()
        stage.receive(HTTP2Peer.windowUpdate(full, 0x7FFF_FFFF - 65_535))
        let settings = values.map { (value: UInt32) -> (UInt16, UInt32) in (0x4, value) }
        stage.receive(HTTP2Peer.settings(settings))
        #expect(stage.machine.failure?.code == .flowControlError)
        stage.close()
    }

    @Test func takesTheLastOfSeveralValues() throws {
        var stage = HTTP2ConnectionStage()
        let stream = try stage.upload()
        stage.receive(HTTP2Peer.settings([(0x4, 0x7FFF_FFFF), (0x4, 0), (0x4, 70)]))
        #expect(stage.machine.sendable(stream) == 70)
        let next = try stage.upload()
        #expect(stage.machine.sendable(next) == 70)
        stage.close()
    }

    @Test func rejectsAnIncrementOfZeroForTheConnection() throws {
        var stage = HTTP2ConnectionStage()
        try stage.open()
        stage.receive(HTTP2Peer.windowUpdate(0, 0))
        #expect(stage.machine.failure?.code == .protocolError)
        stage.close()
    }

    /// Three uploads share a window that opens for one frame at a time.
    @Test func servesUploadsInTurn() throws {
        var stage = HTTP2ConnectionStage(settings: [(0x4, 10_000_000)])
        var rest: [Int32: Int] = [:]
        for _ in 0..<3 {
            let stream = try stage.upload()
            rest[stream] = stage.send(1_000_000, of: stream)
        }
        stage.forget()
        for _ in 0..<30 {
            let before = stage.entries.count
            stage.receive(HTTP2Peer.windowUpdate(0, 10_000))
            for case .writable(let stream) in stage.entries[before...] {
                rest[stream] = stage.send(rest[stream] ?? 0, of: stream)
            }
        }
        for stream: Int32 in [1, 3, 5] { #expect(stage.sentBytes(stream) == 100_000) }
        stage.close()
    }

    // MARK: The client's windows

    @Test func opensTheWindowsInHalves() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(streamWindowBytes: 20_000, connectionWindowBytes: 80_000))
        let stream = try stage.open()
        stage.receiveHead(stream)
        stage.receiveData(stream, 15_000)
        stage.consumed(9_999, of: stream)
        #expect(stage.frames(Kind.windowUpdate).isEmpty)
        stage.consumed(1, of: stream)
        #expect(stage.increments(stream) == 10_000)
        stage.consumed(5_000, of: stream)
        for _ in 0..<3 {
            stage.receiveData(stream, 15_000)
            stage.consumed(15_000, of: stream)
        }
        #expect(stage.increments(stream) == 60_000)
        #expect(stage.increments(0) == 45_000)
        #expect(stage.frames(Kind.windowUpdate, on: 0).count == 1)
        stage.close()
    }

    @Test func rejectsMoreThanTheStreamsWindow() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(streamWindowBytes: 10_000))
        let stream = try stage.open()
        let other = try stage.open()
        stage.receiveHead(stream)
        stage.receiveHead(other)
        stage.receiveData(stream, 10_000)
        #expect(stage.entries.count == 3)
        stage.receiveData(stream, 1)
        #expect(stage.failure(stream)?.code == .flowControlError)
        #expect(stage.frames(Kind.reset).map(\.code) == [.flowControlError])
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(!stage.machine.isClosed)
        stage.receiveData(other, 1, endStream: true)
        #expect(stage.ended == [other])
        stage.close()
    }

    /// Two frames in one read, after whose first nothing is given back yet.
    ///
    /// The test sets a window that is smaller than the protocol's smallest one. Of a window of 65,535 bytes, more than
    /// half is always left, and a frame has at most 16,384.
    @Test(arguments: [(6, true), (7, false)])
    func rejectsMoreThanTheConnectionsWindow(count: Int, isAccepted: Bool) throws {
        var stage = HTTP2ConnectionStage()
        stage.machine.receiveWindow = HTTP2ReceiveWindow(byteCount: 10)
        let first = try stage.open()
        let second = try stage.open()
        stage.receiveHead(first)
        stage.receiveHead(second)
        var bytes: [UInt8] = HTTP2Peer.data(first, [UInt8](repeating: 1, count: 4))
        bytes += HTTP2Peer.data(second, [UInt8](repeating: 2, count: count))
        stage.receive(bytes)
        if isAccepted {
            #expect(stage.machine.failure == nil)
            #expect(stage.body(second).count == count)
            #expect(stage.increments(0) == 10)
        } else {
            #expect(stage.machine.failure?.code == .flowControlError)
            #expect(stage.failed == [first, second])
            #expect(stage.body(second).isEmpty)
        }
        stage.close()
    }

    /// The WINDOW_UPDATE of the connection is due at half of its window, before a byte is consumed.
    @Test func givesTheConnectionsWindowBackAsBytesArrive() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(connectionWindowBytes: 65_535))
        let stream = try stage.open()
        stage.receiveHead(stream)
        stage.receiveData(stream, 32_766)
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(stage.machine.receiveWindow.availableBytes == 32_769)
        #expect(stage.frames(Kind.windowUpdate).isEmpty)
        stage.receiveData(stream, 1)
        #expect(stage.frames(Kind.windowUpdate).map(\.stream) == [0])
        #expect(stage.increments(0) == 32_767)
        let window = stage.machine.receiveWindow
        #expect(window.availableBytes == 65_535)
        stage.consumed(32_767, of: stream)
        #expect(stage.machine.receiveWindow == window)
        #expect(stage.streamWindow(stream)?.owedBytes == 32_767)
        stage.close()
    }

    @Test func countsPaddingAndGivesItBack() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(streamWindowBytes: 1_000))
        let stream = try stage.open()
        stage.receiveHead(stream)
        for _ in 0..<20 { stage.receive(HTTP2Peer.data(stream, [7], padding: 99)) }
        // 100 of each 101 bytes are the padding and its length.
        #expect(stage.body(stream) == [UInt8](repeating: 7, count: 20))
        #expect(stage.streamWindow(stream)?.unconsumedBytes == 20)
        #expect(stage.increments(stream) == 2_000)
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(stage.machine.receiveWindow.owedBytes == 2_020)
        stage.consumed(15, of: stream)
        #expect(stage.streamWindow(stream)?.unconsumedBytes == 5)
        stage.receive(HTTP2Peer.data(stream, [], padding: 255, endStream: true))
        #expect(stage.entries.last == .end(stream, trailers: nil))
        stage.consumed(5, of: stream)
        #expect(stage.increments(stream) == 2_000)
        #expect(stage.machine.receiveWindow.unconsumedBytes == 0)
        #expect(stage.machine.receiveWindow.owedBytes == 2_276)
        stage.close()
    }

    /// A stream without a reader fills its window. The others go on.
    @Test func isNotHeldUpByUnreadStreams() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(connectionWindowBytes: 2 << 20))
        let slow = try stage.open()
        let fast = try stage.open()
        stage.receiveHead(slow)
        stage.receiveHead(fast)
        stage.receiveData(slow, 1 << 20)
        for _ in 0..<1_000 {
            stage.receiveData(fast, 16_384)
            stage.consumed(16_384, of: fast)
        }
        #expect(!stage.machine.isClosed)
        #expect(stage.streamWindow(slow)?.availableBytes == 0)
        #expect(stage.machine.receiveWindow.availableBytes > 1 << 20)
        stage.close()
    }

    // MARK: Announced bodies

    /// The window of a long body is opened at once, as far as the round trip needs it.
    @Test(
        arguments: [
            (0, 1_073_741_824, 1_048_576), (4, 1_073_741_824, 1_048_576), (20, 1_073_741_824, 5_242_880),
            (20, 3_145_728, 3_145_728), (20, 1_048_576, 1_048_576), (5_000, 1_099_511_627_776, 16_777_216),
        ] as [(UInt64, Int64, Int)]
    )
    func opensTheWindowOfAnAnnouncedBody(milliseconds: UInt64, byteCount: Int64, window: Int) throws {
        var stage = HTTP2ConnectionStage()
        stage.machine.noteRoundTrip(nanoseconds: milliseconds * 1_000_000)
        let stream = try stage.open()
        stage.receiveHead(stream)
        stage.machine.expectBody(of: byteCount, on: stream, at: 0)
        stage.machine.expectBody(of: byteCount, on: 99, at: 0)
        #expect(stage.streamWindow(stream)?.byteCount == window)
        #expect(stage.machine.grownBytes == window - (1 << 20))
        stage.receiveData(stream, window)
        #expect(!stage.machine.isClosed)
        stage.close()
    }

    /// Each window grows by at most a quarter of the bytes that remain for all windows.
    @Test func sharesTheLimitAmongAnnouncedBodies() throws {
        let limits = HTTP2Limits(streamWindowBytes: 8 << 20, connectionWindowBytes: 10 << 20)
        var stage = HTTP2ConnectionStage(limits: limits)
        stage.machine.noteRoundTrip(nanoseconds: 1_000_000_000)
        let windows = try (0..<3).map { (_: Int) throws -> Int? in
            let stream = try stage.open()
            stage.receiveHead(stream)
            stage.machine.expectBody(of: 1 << 30, on: stream, at: 0)
            return stage.streamWindow(stream)?.byteCount
        }
        #expect(windows == [3_670_016, 3_014_656, 2_523_136])
        #expect(stage.machine.grownBytes == 6_062_080)
        stage.close()
    }

    /// The readers of four streams with grown windows pause, with twice as many bytes as the connection's window has.
    @Test func isNotHeldUpByGrownWindows() throws {
        let limits = HTTP2Limits(streamWindowBytes: 2 << 20, connectionWindowBytes: 4 << 20)
        var stage = HTTP2ConnectionStage(limits: limits)
        stage.machine.noteRoundTrip(nanoseconds: 1_000)
        let paused = try (0..<4).map { (_: Int) throws -> Int32 in try stage.open() }
        let fifth = try stage.open()
        for stream in paused + [fifth] {
            stage.receiveHead(stream)
            grow(stream, in: &stage)
        }
        for stream in paused {
            stage.receiveData(stream, 2 << 20)
            #expect(stage.streamWindow(stream)?.unconsumedBytes == 2 << 20)
            #expect(stage.streamWindow(stream)?.availableBytes == 0)
        }
        #expect(stage.machine.grownBytes == 4 << 20)
        #expect(stage.streamWindow(fifth)?.byteCount == 1 << 20, "the other windows have grown by all that is allowed")
        for _ in 0..<300 {
            stage.receiveData(fifth, 16_384)
            stage.consumed(16_384, of: fifth)
        }
        #expect(stage.machine.receiveWindow.availableBytes > 2 << 20)
        stage.receiveData(fifth, 1, endStream: true)
        #expect(stage.ended == [fifth])
        #expect(stage.failed.isEmpty)
        stage.close()
    }

    // MARK: Growing windows

    /// Receives and consumes the whole window of a stream twice at the same time, so that it doubles if it may.
    private func grow(_ stream: Int32, in stage: inout HTTP2ConnectionStage) {
        for _ in 0..<2 {
            let count = stage.streamWindow(stream)?.byteCount ?? 0
            stage.receiveData(stream, count)
            stage.consumed(count, of: stream)
        }
    }

    /// The windows of streams share the bytes by which they grow. A stream that ends returns its part.
    @Test func growsAllWindowsTogetherByTheConnectionsWindow() throws {
        let limits = HTTP2Limits(streamWindowBytes: 4 << 20, connectionWindowBytes: 5 << 19)
        var stage = HTTP2ConnectionStage(limits: limits)
        stage.machine.noteRoundTrip(nanoseconds: 1_000)
        let first = try stage.open()
        let second = try stage.upload()
        let third = try stage.open()
        for stream in [first, second, third] {
            stage.receiveHead(stream)
            grow(stream, in: &stage)
        }
        #expect(stage.streamWindow(first)?.byteCount == 2 << 20)
        #expect(stage.streamWindow(second)?.byteCount == 2 << 20)
        #expect(stage.streamWindow(third)?.byteCount == 3 << 19, "only half a MiB was left")
        #expect(stage.streamWindow(third)?.grownBytes == 1 << 19)
        #expect(stage.increments(third) == 5 << 19, "two windows of 1 MiB were consumed")
        #expect(stage.machine.grownBytes == 5 << 19)
        grow(first, in: &stage)
        #expect(stage.streamWindow(first)?.byteCount == 2 << 20, "nothing is left")
        stage.cancel(first)
        #expect(stage.machine.grownBytes == 3 << 19)
        grow(second, in: &stage)
        #expect(stage.streamWindow(second)?.byteCount == 3 << 20, "the cancelled stream has returned 1 MiB")
        #expect(stage.machine.grownBytes == 5 << 19)
        // The response ends before its request, and returns its part once.
        stage.receiveData(second, 1, endStream: true)
        #expect(stage.machine.grownBytes == 1 << 19)
        try stage.endRequest(of: second)
        #expect(stage.machine.grownBytes == 1 << 19)
        stage.receive(HTTP2Peer.reset(third, .cancel))
        #expect(stage.machine.grownBytes == 0)
        #expect(stage.machine.failure == nil)
        stage.close()
    }

    @Test func growsTheWindowOfAFastStream() throws {
        var stage = HTTP2ConnectionStage(limits: HTTP2Limits(streamWindowBytes: 3 << 20))
        let stream = try stage.open()
        stage.receiveHead(stream)
        stage.machine.noteRoundTrip(nanoseconds: 1_000)
        for _ in 0..<6 {
            stage.now += 100
            stage.receiveData(stream, 1 << 20)
            stage.consumed(1 << 20, of: stream)
        }
        #expect(stage.machine.streams.first?.receiveWindow.byteCount == 3 << 20)
        #expect(stage.increments(stream) == (6 << 20) + (2 << 20))
        stage.close()
    }

    @Test func keepsTheWindowOfASlowStream() throws {
        let cases: [(roundTrip: UInt64, step: UInt64)] = [(0, 0), (1_000, 2_000), (.max, 0)]
        for (roundTrip, step) in cases {
            var stage = HTTP2ConnectionStage(limits: HTTP2Limits(streamWindowBytes: 3 << 20))
            let stream = try stage.open()
            stage.receiveHead(stream)
            stage.machine.noteRoundTrip(nanoseconds: roundTrip)
            for _ in 0..<3 {
                stage.now += step
                stage.receiveData(stream, 1 << 20)
                stage.consumed(1 << 20, of: stream)
            }
            let grown = stage.machine.streams.first?.receiveWindow.byteCount ?? 0
            #expect((grown > (1 << 20)) == (roundTrip == UInt64.max))
            stage.close()
        }
    }
}
