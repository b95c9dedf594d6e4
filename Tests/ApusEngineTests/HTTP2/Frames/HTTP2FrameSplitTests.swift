internal import ApusEngine
internal import Testing

/// The verdict and the frames do not depend on how reads divide the bytes.
@Suite struct HTTP2FrameSplitTests {
    typealias Frame = HTTP2TestFrame

    /// Sequences of frames, most of which end with an error or inside a frame.
    static let samples: [[UInt8]] = [
        Frame.conversation,
        joined([Frame.conversation, Frame.bytes(Frame.Kind.ping, [1])]),
        afterSettings(Frame.bytes(Frame.Kind.data, flags: Frame.padded, stream: 1, [9, 1, 2, 3, 4])),
        afterSettings(Frame.bytes(Frame.Kind.data, flags: Frame.padded, stream: 1, [4, 1, 2, 3, 4, 5], length: 20)),
        afterSettings(Frame.bytes(Frame.Kind.data, flags: Frame.padded, stream: 1, [2, 1, 0], length: 4)),
        afterSettings(Frame.bytes(Frame.Kind.data, flags: Frame.padded, stream: 1, length: 4)),
        afterSettings(Frame.bytes(Frame.Kind.headers, flags: Frame.padded, stream: 1, [9, 1, 2, 3, 4])),
        joined([
            Frame.settingsFrame(), Frame.bytes(Frame.Kind.headers, stream: 1, [1]),
            Frame.bytes(Frame.Kind.data, stream: 1),
        ]),
        afterSettings(Frame.bytes(Frame.Kind.settings, [0, 2, 0, 0, 0, 1])),
        afterSettings(Frame.bytes(Frame.Kind.goAway, Frame.repeated(0, 20), length: 30)),
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
    ]

    private static func joined(_ frames: [[UInt8]]) -> [UInt8] { frames.flatMap { $0 } }

    private static func afterSettings(_ bytes: [UInt8]) -> [UInt8] { Frame.settingsFrame() + bytes }

    @Test(arguments: samples)
    func givesTheSameResultForEveryCut(bytes: [UInt8]) {
        let complete = HTTP2FrameTranscript(of: bytes)
        #expect(!complete.entries.isEmpty)
        for cut in 1..<bytes.count {
            #expect(HTTP2FrameTranscript(of: bytes, cuts: [cut]) == complete, "cut at \(cut)")
        }
        #expect(HTTP2FrameTranscript(of: bytes, cuts: Array(1..<bytes.count)) == complete)
    }

    @Test func reportsTheSameLimitForEveryCut() {
        let bytes = Frame.conversation
        for limits in [HTTP2Limits(headerBlockBytes: 5), HTTP2Limits(continuationFrames: 2)] {
            let complete = HTTP2FrameTranscript(of: bytes, limits: limits)
            #expect(complete.failure?.limit != nil)
            for cut in 1..<bytes.count {
                #expect(HTTP2FrameTranscript(of: bytes, cuts: [cut], limits: limits) == complete, "cut at \(cut)")
            }
        }
    }

    /// All frames in front of the one that is incomplete are returned.
    @Test func returnsCompleteFramesOfEveryPrefix() {
        let bytes = Frame.conversation
        let complete = HTTP2FrameTranscript(of: bytes)
        for count in 0..<bytes.count {
            let transcript = HTTP2FrameTranscript(of: Array(bytes.prefix(count)))
            #expect(transcript.failure == nil)
            #expect(transcript.entries.count <= complete.entries.count)
        }
    }

    /// A frame other than DATA stays in the caller's buffer until it is complete, and none is larger than 16 KiB.
    @Test(arguments: [0x1, 0x7, 0x9, 0x20] as [UInt8])
    func holdsAtMostOneFrame(type: UInt8) {
        var bytes = Frame.settingsFrame()
        if type == Frame.Kind.continuation { bytes += Frame.bytes(Frame.Kind.headers, stream: 1) }
        let stream: UInt32 = type == Frame.Kind.goAway ? 0 : 1
        for _ in 0..<3 {
            let flags = type == Frame.Kind.headers ? Frame.endHeaders : 0
            bytes += Frame.bytes(type, flags: flags, stream: stream, Frame.repeated(0, 16_384))
        }
        let cuts = Array(stride(from: 1_000, to: bytes.count, by: 1_000))
        let transcript = HTTP2FrameTranscript(of: bytes, cuts: cuts)
        #expect(transcript.failure == nil)
        #expect(transcript.leftOver == 0)
        #expect(transcript.mostHeld > 15_000)
        #expect(transcript.mostHeld < 16_384 + 9)
    }

    /// Of a DATA frame, only padding waits for the rest.
    @Test func holdsNoData() {
        var payload: [UInt8] = [255]
        payload += Frame.repeated(1, 16_000)
        payload += Frame.repeated(0, 255)
        let bytes = Frame.settingsFrame() + Frame.bytes(Frame.Kind.data, flags: Frame.padded, stream: 1, payload)
        let transcript = HTTP2FrameTranscript(of: bytes, cuts: Array(1..<bytes.count))
        #expect(transcript.mostHeld == 254)
        let data = HTTP2FrameTranscript.Entry.data(
            stream: 1,
            Frame.repeated(1, 16_000),
            flowControlled: 16_256,
            endStream: false
        )
        #expect(transcript.entries == [.frame(.settings([])), data])
    }
}
