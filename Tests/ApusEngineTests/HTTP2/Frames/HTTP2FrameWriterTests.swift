internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

/// The parser reads each frame that the writer wrote.
@Suite struct HTTP2FrameWriterTests {
    /// Returns the bytes that `write` appended.
    private func written(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer()
        write(&buffer)
        return Array(buffer.readableBytesView)
    }

    /// Checks that the parser reads one frame from the bytes that `write` appended.
    private func check(_ frame: HTTP2Frame, _ write: (inout ByteBuffer) -> Void) {
        let transcript = HTTP2FrameTranscript(afterSettings: written(write))
        #expect(transcript.entries == [.frame(frame)])
        #expect(transcript.leftOver == 0)
    }

    @Test func writesThePreface() {
        let bytes = written { HTTP2FrameWriter.preface(into: &$0) }
        #expect(bytes == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        #expect(bytes.count == 24)
    }

    @Test func writesTheBytesOfTheRFC() {
        let settings = written { buffer in
            HTTP2FrameWriter.settings([HTTP2Setting(identifier: 0x2, value: 0)], into: &buffer)
        }
        #expect(settings == [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0])
        let data = written { buffer in
            HTTP2FrameWriter.dataHeader(stream: 0x1234_5679, length: 0xABCD, endStream: true, into: &buffer)
        }
        #expect(data == [0, 0xAB, 0xCD, 0, 1, 0x12, 0x34, 0x56, 0x79])
        let largest = written { buffer in
            HTTP2FrameWriter.dataHeader(stream: .max, length: 0xFF_FFFF, endStream: false, into: &buffer)
        }
        #expect(largest == [0xFF, 0xFF, 0xFF, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF])
    }

    @Test func writesSettings() {
        let settings = [
            HTTP2Setting(identifier: HTTP2Setting.headerTableSize, value: 4_096),
            HTTP2Setting(identifier: HTTP2Setting.enablePush, value: 0),
            HTTP2Setting(identifier: HTTP2Setting.maximumConcurrentStreams, value: 0),
            HTTP2Setting(identifier: HTTP2Setting.initialWindowSize, value: 1_048_576),
            HTTP2Setting(identifier: HTTP2Setting.maximumFrameSize, value: 16_384),
            HTTP2Setting(identifier: HTTP2Setting.maximumHeaderListSize, value: .max),
        ]
        #expect(settings.map(\.identifier) == [1, 2, 3, 4, 5, 6])
        check(.settings(settings)) { HTTP2FrameWriter.settings(settings, into: &$0) }
        check(.settings([])) { HTTP2FrameWriter.settings([], into: &$0) }
        check(.settingsAcknowledged) { HTTP2FrameWriter.settingsAcknowledgement(into: &$0) }
    }

    @Test func writesFramesOfTheConnection() {
        check(.ping(.max)) { HTTP2FrameWriter.ping(.max, into: &$0) }
        check(.pingAcknowledged(0x0102_0304_0506_0708)) { buffer in
            HTTP2FrameWriter.pingAcknowledgement(0x0102_0304_0506_0708, into: &buffer)
        }
        check(.goAway(lastStream: 0, .noError, debug: "")) { buffer in
            HTTP2FrameWriter.goAway(lastStream: 0, code: .noError, into: &buffer)
        }
        check(.goAway(lastStream: .max, .enhanceYourCalm, debug: "too fast")) { buffer in
            HTTP2FrameWriter.goAway(lastStream: .max, code: .enhanceYourCalm, debug: "too fast", into: &buffer)
        }
    }

    @Test func shortensTheTextOfGoAway() {
        let long = String(repeating: "x", count: 5_000)
        let bytes = written { HTTP2FrameWriter.goAway(lastStream: 0, code: .cancel, debug: long, into: &$0) }
        // 9 for the header, 8 for the stream and the code.
        #expect(bytes.count == 9 + 8 + 1_024)
        #expect(HTTP2FrameTranscript(afterSettings: bytes).failure == nil)
    }

    @Test func writesFramesOfAStream() {
        check(.reset(stream: 7, .cancel)) { HTTP2FrameWriter.reset(stream: 7, code: .cancel, into: &$0) }
        check(.windowUpdate(stream: 0, increment: 1)) { buffer in
            HTTP2FrameWriter.windowUpdate(stream: 0, increment: 1, into: &buffer)
        }
        check(.windowUpdate(stream: .max, increment: 0x7FFF_FFFF)) { buffer in
            HTTP2FrameWriter.windowUpdate(stream: .max, increment: 0x7FFF_FFFF, into: &buffer)
        }
    }

    @Test(arguments: [0, 1, 16_384], [false, true])
    func writesData(byteCount: Int, endStream: Bool) {
        let content = HTTP2TestFrame.repeated(0x61, byteCount)
        let bytes = written { buffer in
            HTTP2FrameWriter.dataHeader(stream: 3, length: byteCount, endStream: endStream, into: &buffer)
            buffer.writeBytes(content)
        }
        let expected = HTTP2FrameTranscript.Entry.data(
            stream: 3,
            content,
            flowControlled: byteCount,
            endStream: endStream
        )
        #expect(HTTP2FrameTranscript(afterSettings: bytes).entries == [expected])
    }

    @Test(arguments: [0, 1, 9, 10, 11, 20, 21, 100], [false, true])
    func splitsHeaderBlocks(byteCount: Int, endStream: Bool) {
        let block = ByteBuffer(bytes: (0..<byteCount).map { UInt8($0) })
        let bytes = written { buffer in
            HTTP2FrameWriter.headers(stream: 5, block: block, endStream: endStream, maximumFrame: 10, into: &buffer)
        }
        let frames = max(1, (byteCount + 9) / 10)
        #expect(bytes.count == byteCount + 9 * frames)
        let expected = HTTP2Frame.headers(stream: 5, block: block, endStream: endStream)
        #expect(HTTP2FrameTranscript(afterSettings: bytes).entries == [.frame(expected)])
    }

    @Test func writesOneFrameIfTheBlockFits() {
        let block = ByteBuffer(repeating: 1, count: 16_384)
        let bytes = written { buffer in
            HTTP2FrameWriter.headers(stream: 1, block: block, endStream: false, maximumFrame: 16_384, into: &buffer)
        }
        #expect(Array(bytes.prefix(9)) == [0, 0x40, 0, 1, 4, 0, 0, 0, 1])
        #expect(bytes.count == 16_393)
    }

    /// A header block may be larger than the largest frame of the protocol.
    @Test func splitsABlockAboveTheLargestFrame() {
        let block = ByteBuffer(repeating: 1, count: 0xFF_FFFF + 1)
        var buffer = ByteBuffer()
        HTTP2FrameWriter.headers(stream: 1, block: block, endStream: true, maximumFrame: .max, into: &buffer)
        #expect(buffer.readableBytes == 9 + 0xFF_FFFF + 9 + 1)
        let first = buffer.readBytes(length: 9)
        #expect(first == [0xFF, 0xFF, 0xFF, 1, 1, 0, 0, 0, 1])
        buffer.moveReaderIndex(forwardBy: 0xFF_FFFF)
        let second = buffer.readBytes(length: 10)
        #expect(second == [0, 0, 1, 9, 4, 0, 0, 0, 1, 1])
    }
}
