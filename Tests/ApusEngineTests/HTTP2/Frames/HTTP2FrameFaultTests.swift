internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

/// Frames that a server may not send end the connection with the code of the RFC.
@Suite struct HTTP2FrameFaultTests {
    typealias Frame = HTTP2TestFrame

    private func failure(_ bytes: [UInt8]) -> HTTP2ConnectionError? {
        let transcript = HTTP2FrameTranscript(afterSettings: bytes)
        #expect(transcript.entries.count <= 1)
        return transcript.failure
    }

    // MARK: The first frame

    @Test(
        arguments: [
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            HTTP2TestFrame.bytes(HTTP2TestFrame.Kind.settings, flags: HTTP2TestFrame.acknowledgement),
            HTTP2TestFrame.bytes(HTTP2TestFrame.Kind.ping, HTTP2TestFrame.repeated(0, 8)),
            HTTP2TestFrame.bytes(HTTP2TestFrame.Kind.windowUpdate, HTTP2Peer.big(1)),
            HTTP2TestFrame.bytes(HTTP2TestFrame.Kind.goAway, HTTP2TestFrame.repeated(0, 8)),
            HTTP2TestFrame.bytes(0x20), HTTP2TestFrame.repeated(0, 9), HTTP2TestFrame.repeated(0xFF, 9),
        ] as [[UInt8]]
    )
    func requiresSettingsFirst(bytes: [UInt8]) {
        let transcript = HTTP2FrameTranscript(of: bytes)
        #expect(transcript.entries.count == 1)
        #expect(transcript.failure?.code == .protocolError)
        #expect(transcript.failure?.reason.hasSuffix("is this an HTTP/2 server?") == true)
        #expect(transcript.failure?.limit == nil)
    }

    @Test func checksTheFirstSettingsAsAnyOther() {
        let onStream = HTTP2FrameTranscript(of: Frame.bytes(Frame.Kind.settings, stream: 1))
        #expect(onStream.failure?.code == .protocolError)
        let odd = HTTP2FrameTranscript(of: Frame.bytes(Frame.Kind.settings, Frame.repeated(0, 5)))
        #expect(odd.failure?.code == .frameSizeError)
        let large = HTTP2FrameTranscript(of: Frame.bytes(Frame.Kind.settings, length: 16_386))
        #expect(large.failure?.code == .frameSizeError)
    }

    @Test func waitsForNineBytes() {
        let transcript = HTTP2FrameTranscript(of: Array("HTTP/1.1".utf8))
        #expect(transcript.entries.isEmpty)
        #expect(transcript.leftOver == 8)
    }

    // MARK: Sizes

    /// Each type with the sizes that it may not have. The header alone is enough to reject it.
    @Test(
        arguments: [
            (0x2, 0, [0, 4, 6]), (0x3, 0, [0, 3, 5]), (0x4, 0, [1, 5, 7, 16_383]), (0x4, 1, [1, 6]),
            (0x6, 0, [0, 7, 9]), (0x6, 1, [0, 7, 9]), (0x7, 0, [0, 7]), (0x8, 0, [0, 3, 5]),
            (0x5, 0, [0, 3]), (0x5, 8, [0, 4]), (0x0, 8, [0]), (0x1, 8, [0]), (0x1, 0x20, [0, 4]),
            (0x1, 0x28, [0, 1, 5]),
        ] as [(UInt8, UInt8, [Int])]
    )
    func rejectsWrongSizes(type: UInt8, flags: UInt8, sizes: [Int]) {
        let isOfConnection = [Frame.Kind.settings, Frame.Kind.ping, Frame.Kind.goAway].contains(type)
        for size in sizes {
            let fault = failure(Frame.bytes(type, flags: flags, stream: isOfConnection ? 0 : 1, length: size))
            #expect(fault?.code == .frameSizeError, "size \(size)")
            #expect(fault?.reason.contains(" \(size) bytes") == true)
        }
    }

    @Test func acceptsTheLargestFrame() {
        let content = Frame.repeated(7, 16_384)
        let data = HTTP2FrameTranscript(afterSettings: Frame.bytes(Frame.Kind.data, stream: 1, content))
        #expect(data.entries == [.data(stream: 1, content, flowControlled: 16_384, endStream: false)])
        let headers = HTTP2FrameTranscript(
            afterSettings: Frame.bytes(Frame.Kind.headers, flags: Frame.endHeaders, stream: 1, content)
        )
        let expected = HTTP2Frame.headers(stream: 1, block: ByteBuffer(bytes: content), endStream: false)
        #expect(headers.entries == [.frame(expected)])
        // 2,730 settings are 16,380 bytes.
        let pairs = [(UInt16, UInt32)](repeating: (0xFF, 1), count: 2_730)
        let settings = HTTP2FrameTranscript(of: Frame.settingsFrame(pairs))
        let known = [HTTP2Setting](repeating: HTTP2Setting(identifier: 0xFF, value: 1), count: 2_730)
        #expect(settings.entries == [.frame(.settings(known))])
    }

    @Test(arguments: [0x0, 0x1, 0x4, 0x7, 0x9, 0xA, 0xFF] as [UInt8])
    func rejectsFramesThatAreTooLarge(type: UInt8) {
        for size in [16_385, 0xFF_FFFF] {
            let fault = failure(Frame.bytes(type, stream: 1, length: size))
            #expect(fault?.code == .frameSizeError)
            #expect(fault?.reason.contains("\(size) bytes") == true)
            #expect(fault?.reason.contains("16384") == true)
        }
    }

    // MARK: Streams

    @Test func rejectsFramesOnTheWrongStream() {
        let ofStream: [(UInt8, Int)] = [
            (Frame.Kind.data, 1), (Frame.Kind.headers, 1), (Frame.Kind.priority, 5), (Frame.Kind.reset, 4),
            (Frame.Kind.pushPromise, 4),
        ]
        for (type, size) in ofStream {
            #expect(failure(Frame.bytes(type, Frame.repeated(0, size)))?.code == .protocolError)
            // Only the reserved bit is set.
            #expect(failure(Frame.bytes(type, stream: 0x8000_0000, Frame.repeated(0, size)))?.code == .protocolError)
        }
        let ofConnection: [(UInt8, Int)] = [(Frame.Kind.settings, 6), (Frame.Kind.ping, 8), (Frame.Kind.goAway, 8)]
        for (type, size) in ofConnection {
            for stream: UInt32 in [1, 2, 0x7FFF_FFFF] {
                let fault = failure(Frame.bytes(type, stream: stream, Frame.repeated(0, size)))
                #expect(fault?.code == .protocolError)
            }
        }
    }

    // MARK: Padding

    @Test func readsPaddingUpToThePayload() {
        // Each payload has 7 bytes after the length of the padding.
        for padding: UInt8 in 0...7 {
            let payload: [UInt8] = [padding] + Frame.repeated(5, 7)
            let rest = Frame.repeated(5, 7 - Int(padding))
            let data = HTTP2FrameTranscript(
                afterSettings: Frame.bytes(Frame.Kind.data, flags: Frame.padded, stream: 1, payload)
            )
            #expect(data.entries == [.data(stream: 1, rest, flowControlled: 8, endStream: false)])
            let flags = Frame.padded | Frame.endHeaders
            let headers = HTTP2FrameTranscript(
                afterSettings: Frame.bytes(Frame.Kind.headers, flags: flags, stream: 1, payload)
            )
            let expected = HTTP2Frame.headers(stream: 1, block: ByteBuffer(bytes: rest), endStream: false)
            #expect(headers.entries == [.frame(expected)])
        }
    }

    /// The padding may not be as long as the payload, which includes the padding's length.
    @Test(arguments: [8, 9, 255] as [UInt8])
    func rejectsPaddingAsLongAsThePayload(padding: UInt8) {
        let payload: [UInt8] = [padding] + Frame.repeated(0, 7)
        for type in [Frame.Kind.data, Frame.Kind.headers, Frame.Kind.pushPromise] {
            let flags = Frame.padded | Frame.endHeaders
            let fault = failure(Frame.bytes(type, flags: flags, stream: 1, payload))
            #expect(fault?.code == .protocolError)
            #expect(fault?.reason.contains("padding") == true)
        }
    }

    /// No part of a DATA frame is returned before its padding is known to be valid.
    @Test func rejectsPaddingBeforeTheDataArrives() {
        let start = Frame.bytes(Frame.Kind.data, flags: Frame.padded, stream: 1, [100], length: 100)
        #expect(failure(start)?.code == .protocolError)
    }

    @Test func countsThePriorityAndThePromiseAgainstThePadding() {
        let flags = Frame.padded | Frame.prioritized | Frame.endHeaders
        // 5 bytes of priority and 2 others.
        let valid: [(UInt8, Int)] = [(0, 2), (1, 1), (2, 0)]
        for (padding, count) in valid {
            let payload: [UInt8] = [padding] + Frame.repeated(5, 7)
            let transcript = HTTP2FrameTranscript(
                afterSettings: Frame.bytes(Frame.Kind.headers, flags: flags, stream: 1, payload)
            )
            let block = ByteBuffer(repeating: 5, count: count)
            #expect(transcript.entries == [.frame(.headers(stream: 1, block: block, endStream: false))])
        }
        for padding: UInt8 in [3, 7] {
            let payload: [UInt8] = [padding] + Frame.repeated(5, 7)
            #expect(failure(Frame.bytes(Frame.Kind.headers, flags: flags, stream: 1, payload))?.code == .protocolError)
        }
        let promise = Frame.padded | Frame.endHeaders
        let whole = Frame.bytes(Frame.Kind.pushPromise, flags: promise, stream: 1, [3, 0, 0, 0, 2, 0, 0, 0])
        #expect(
            HTTP2FrameTranscript(afterSettings: whole).entries == [.frame(.pushPromise(stream: 1, promised: 2))]
        )
        let long = Frame.bytes(Frame.Kind.pushPromise, flags: promise, stream: 1, [4, 0, 0, 0, 2, 0, 0, 0])
        #expect(failure(long)?.code == .protocolError)
    }
}
