internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

/// Header blocks that CONTINUATION frames continue.
@Suite struct HTTP2HeaderBlockTests {
    typealias Frame = HTTP2TestFrame

    /// Returns a block of `continuations + 1` frames, each with `byteCount` bytes.
    private func block(continuations: Int, byteCount: Int, flags: UInt8 = 0) -> [UInt8] {
        let content = Frame.repeated(1, byteCount)
        let first = continuations == 0 ? flags | Frame.endHeaders : flags
        var bytes = Frame.bytes(Frame.Kind.headers, flags: first, stream: 1, content)
        for index in 0..<continuations {
            let last = index == continuations - 1 ? Frame.endHeaders : 0
            bytes += Frame.bytes(Frame.Kind.continuation, flags: last, stream: 1, content)
        }
        return bytes
    }

    private func expected(byteCount: Int, endStream: Bool = false) -> [HTTP2FrameTranscript.Entry] {
        let bytes = ByteBuffer(repeating: 1, count: byteCount)
        return [.frame(.headers(stream: 1, block: bytes, endStream: endStream))]
    }

    @Test func joinsFrames() {
        let plain = HTTP2FrameTranscript(afterSettings: block(continuations: 3, byteCount: 7))
        #expect(plain.entries == expected(byteCount: 28))
        let ending = HTTP2FrameTranscript(
            afterSettings: block(continuations: 2, byteCount: 7, flags: Frame.endStream)
        )
        #expect(ending.entries == expected(byteCount: 21, endStream: true))
        let empty = HTTP2FrameTranscript(afterSettings: block(continuations: 1, byteCount: 0))
        #expect(empty.entries == expected(byteCount: 0))
        // Each block starts empty.
        var three = block(continuations: 1, byteCount: 3)
        three += block(continuations: 0, byteCount: 2)
        three += block(continuations: 1, byteCount: 1)
        let blocks = [6, 2, 2].flatMap { expected(byteCount: $0) }
        #expect(HTTP2FrameTranscript(afterSettings: three).entries == blocks)
    }

    @Test func rejectsOtherFramesInsideABlock() {
        let start = Frame.bytes(Frame.Kind.headers, stream: 1, [1])
        let others: [[UInt8]] = [
            Frame.bytes(Frame.Kind.data, stream: 1),
            Frame.bytes(Frame.Kind.headers, flags: Frame.endHeaders, stream: 1, [1]),
            Frame.bytes(Frame.Kind.headers, flags: Frame.endHeaders, stream: 3, [1]),
            Frame.bytes(Frame.Kind.priority, stream: 1, Frame.repeated(0, 5)),
            Frame.bytes(Frame.Kind.reset, stream: 1, HTTP2Peer.big(8)), Frame.settingsFrame(),
            Frame.bytes(Frame.Kind.settings, flags: Frame.acknowledgement),
            Frame.bytes(Frame.Kind.pushPromise, flags: Frame.endHeaders, stream: 1, HTTP2Peer.big(2)),
            Frame.bytes(Frame.Kind.ping, Frame.repeated(0, 8)), Frame.bytes(Frame.Kind.goAway, Frame.repeated(0, 8)),
            Frame.bytes(Frame.Kind.windowUpdate, HTTP2Peer.big(1)),
            Frame.bytes(Frame.Kind.continuation, flags: Frame.endHeaders, stream: 3),
            Frame.bytes(Frame.Kind.continuation, flags: Frame.endHeaders), Frame.bytes(0x20, stream: 1),
        ]
        for other in others {
            let afterHeaders = HTTP2FrameTranscript(afterSettings: start + other)
            #expect(afterHeaders.entries.count == 1)
            #expect(afterHeaders.failure?.code == .protocolError)
            let continuation = Frame.bytes(Frame.Kind.continuation, stream: 1, [1])
            let afterContinuation = HTTP2FrameTranscript(afterSettings: start + continuation + other)
            #expect(afterContinuation.entries.count == 1)
            #expect(afterContinuation.failure?.code == .protocolError)
        }
    }

    @Test func rejectsContinuationWithoutABlock() {
        let continuation = Frame.bytes(Frame.Kind.continuation, flags: Frame.endHeaders, stream: 1, [1])
        #expect(HTTP2FrameTranscript(afterSettings: continuation).failure?.code == .protocolError)
        let complete = block(continuations: 0, byteCount: 1) + continuation
        #expect(HTTP2FrameTranscript(afterSettings: complete).failure?.code == .protocolError)
        let joined = block(continuations: 1, byteCount: 1) + continuation
        #expect(HTTP2FrameTranscript(afterSettings: joined).failure?.code == .protocolError)
        let promise = Frame.bytes(Frame.Kind.pushPromise, stream: 1, HTTP2Peer.big(2)) + continuation
        #expect(HTTP2FrameTranscript(afterSettings: promise).failure?.code == .protocolError)
    }

    // MARK: Limits

    @Test func limitsTheNumberOfFrames() {
        for count in [63, 64] {
            let transcript = HTTP2FrameTranscript(afterSettings: block(continuations: count, byteCount: 1))
            #expect(transcript.entries == expected(byteCount: count + 1))
        }
        let failure = HTTP2FrameTranscript(afterSettings: block(continuations: 65, byteCount: 1)).failure
        #expect(failure?.code == .enhanceYourCalm)
        #expect(failure?.limit == "continuationFrames")
        #expect(failure?.reason.contains("limit of 64") == true)
        let none = HTTP2Limits(continuationFrames: 0)
        let single = HTTP2FrameTranscript(afterSettings: block(continuations: 0, byteCount: 1), limits: none)
        #expect(single.entries == expected(byteCount: 1))
        let double = HTTP2FrameTranscript(afterSettings: block(continuations: 1, byteCount: 1), limits: none)
        #expect(double.failure?.limit == "continuationFrames")
    }

    /// The count begins anew with each block.
    @Test func countsEachBlockSeparately() {
        let limits = HTTP2Limits(headerBlockBytes: 6, continuationFrames: 2)
        let bytes = block(continuations: 2, byteCount: 2)
        let transcript = HTTP2FrameTranscript(afterSettings: bytes + bytes + bytes, limits: limits)
        #expect(transcript.entries == [6, 6, 6].flatMap { expected(byteCount: $0) })
    }

    @Test func limitsTheBytes() {
        // 131,072 bytes are 8 full frames.
        let full = HTTP2FrameTranscript(afterSettings: block(continuations: 7, byteCount: 16_384))
        #expect(full.entries == expected(byteCount: 131_072))
        var bytes = Frame.bytes(Frame.Kind.headers, stream: 1, Frame.repeated(1, 16_384))
        for _ in 0..<7 { bytes += Frame.bytes(Frame.Kind.continuation, stream: 1, Frame.repeated(1, 16_384)) }
        bytes += Frame.bytes(Frame.Kind.continuation, flags: Frame.endHeaders, stream: 1, [1])
        let failure = HTTP2FrameTranscript(afterSettings: bytes).failure
        #expect(failure?.code == .enhanceYourCalm)
        #expect(failure?.limit == "headerBlockBytes")
        #expect(failure?.reason.contains("limit of 131072 bytes") == true)
    }

    /// Padding and priority do not belong to the block.
    @Test func limitsTheBytesOfOneFrame() {
        let limits = HTTP2Limits(headerBlockBytes: 3)
        let flags = Frame.endHeaders | Frame.padded | Frame.prioritized
        let atLimit: [UInt8] = [2, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0]
        let above: [UInt8] = [1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0]
        let passing = Frame.bytes(Frame.Kind.headers, flags: flags, stream: 1, atLimit)
        #expect(HTTP2FrameTranscript(afterSettings: passing, limits: limits).entries == expected(byteCount: 3))
        let failing = Frame.bytes(Frame.Kind.headers, flags: flags, stream: 1, above)
        let failure = HTTP2FrameTranscript(afterSettings: failing, limits: limits).failure
        #expect(failure?.limit == "headerBlockBytes")
    }

    @Test func survivesLimitsThatAllowEverything() {
        let limits = HTTP2Limits(headerBlockBytes: .max, continuationFrames: .max)
        let transcript = HTTP2FrameTranscript(afterSettings: block(continuations: 300, byteCount: 10), limits: limits)
        #expect(transcript.entries == expected(byteCount: 3_010))
        // 1,024 full frames are 16 MiB.
        var parser = HTTP2FrameParser(limits: limits)
        var buffer = ByteBuffer(bytes: Frame.settingsFrame())
        buffer.writeBytes(Frame.bytes(Frame.Kind.headers, stream: 1))
        let full = Frame.bytes(Frame.Kind.continuation, stream: 1, Frame.repeated(1, 16_384))
        var error: HTTP2ConnectionError?
        var count = 0
        while error == nil, count < 1_100 {
            do throws(HTTP2ConnectionError) {
                while try parser.next(&buffer) != nil {}
            } catch let failure {
                error = failure
            }
            buffer.clear()
            buffer.writeBytes(full)
            count += 1
        }
        #expect(error?.limit == "headerBlockBytes")
        // The first turn has no full frame, and the last one is above the limit.
        #expect(count == 1_026)
    }

    @Test func survivesLimitsThatAllowNothing() {
        let limits = HTTP2Limits(headerBlockBytes: 0, continuationFrames: 0)
        let empty = HTTP2FrameTranscript(afterSettings: block(continuations: 0, byteCount: 0), limits: limits)
        #expect(empty.entries == expected(byteCount: 0))
        let one = HTTP2FrameTranscript(afterSettings: block(continuations: 0, byteCount: 1), limits: limits)
        #expect(one.failure?.limit == "headerBlockBytes")
    }
}
