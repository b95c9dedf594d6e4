internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

@Suite struct HTTP2FrameParserTests {
    typealias Frame = HTTP2TestFrame

    private func frames(_ bytes: [UInt8]) -> [HTTP2FrameTranscript.Entry] {
        HTTP2FrameTranscript(afterSettings: bytes).entries
    }

    @Test func readsEachType() {
        let settings = [
            HTTP2Setting(identifier: 0x3, value: 100), HTTP2Setting(identifier: 0x4, value: 65_536),
            HTTP2Setting(identifier: 0x5, value: 16_384), HTTP2Setting(identifier: 0x2, value: 0),
            HTTP2Setting(identifier: 0xFFFF, value: .max),
        ]
        let expected: [HTTP2FrameTranscript.Entry] = [
            .frame(.settings(settings)),
            .frame(.settingsAcknowledged),
            .frame(.windowUpdate(stream: 0, increment: 1_000)),
            .frame(.headers(stream: 1, block: ByteBuffer(bytes: [1, 2, 3]), endStream: false)),
            .data(stream: 1, Array("helloabc".utf8), flowControlled: 15, endStream: false),
            .frame(.headers(stream: 3, block: ByteBuffer(bytes: [9, 8, 7, 6, 5, 4]), endStream: false)),
            .frame(.priority(stream: 5)),
            .frame(.unknown),
            .frame(.ping(0x0102_0304_0506_0708)),
            .frame(.pingAcknowledged(9)),
            .frame(.windowUpdate(stream: 3, increment: 7)),
            .data(stream: 1, Array("end".utf8), flowControlled: 3, endStream: true),
            .frame(.headers(stream: 3, block: ByteBuffer(bytes: [7]), endStream: true)),
            .frame(.reset(stream: 5, .refusedStream)),
            .frame(.pushPromise(stream: 5, promised: 2)),
            .frame(.goAway(lastStream: 5, .enhanceYourCalm, debug: "slowdown")),
        ]
        let transcript = HTTP2FrameTranscript(of: Frame.conversation)
        #expect(transcript.entries == expected)
        #expect(transcript.leftOver == 0)
    }

    @Test func returnsPartsOfDataAsTheyArrive() throws {
        // 4 bytes of data and 2 of padding.
        let header = Frame.bytes(Frame.Kind.data, flags: Frame.padded | Frame.endStream, stream: 1, length: 7)
        let pieces: [[UInt8]] = [Frame.settingsFrame(), header, [2], [10, 11], [], [12, 13, 0], [], [0], []]
        let expected: [HTTP2Frame?] = [
            .settings([]), nil, nil,
            .data(stream: 1, ByteBuffer(bytes: [10, 11]), flowControlled: 2, endStream: false), nil,
            .data(stream: 1, ByteBuffer(bytes: [12, 13]), flowControlled: 2, endStream: false), nil,
            .data(stream: 1, ByteBuffer(), flowControlled: 3, endStream: true), nil,
        ]
        var parser = HTTP2FrameParser(limits: HTTP2Limits())
        var buffer = ByteBuffer()
        var results: [HTTP2Frame?] = []
        for piece in pieces {
            buffer.writeBytes(piece)
            let frame = try parser.next(&buffer)
            results.append(frame)
        }
        #expect(results == expected)
        #expect(buffer.readableBytes == 0)
    }

    @Test func throwsTheSameErrorAgain() {
        let bytes = Frame.settingsFrame() + Frame.bytes(Frame.Kind.ping, [1]) + Frame.settingsFrame()
        var parser = HTTP2FrameParser(limits: HTTP2Limits())
        var buffer = ByteBuffer(bytes: bytes)
        var errors: [HTTP2ConnectionError] = []
        for _ in 0..<4 {
            do throws(HTTP2ConnectionError) {
                _ = try parser.next(&buffer)
            } catch {
                errors.append(error)
            }
        }
        #expect(errors.count == 3)
        #expect(errors.allSatisfy { $0.code == .frameSizeError && $0 == errors.first })
    }

    @Test func ignoresUnknownTypesAndFlags() {
        #expect(frames(Frame.bytes(0x0A, Frame.repeated(1, 16_384))) == [.frame(.unknown)])
        #expect(frames(Frame.bytes(0xFF, flags: 0xFF, stream: .max)) == [.frame(.unknown)])
        #expect(frames(Frame.bytes(Frame.Kind.ping, flags: 0xFE, Frame.repeated(0, 8))) == [.frame(.ping(0))])
        #expect(frames(Frame.bytes(Frame.Kind.settings, flags: 0xFE)) == [.frame(.settings([]))])
        #expect(frames(Frame.bytes(Frame.Kind.settings, flags: 0xFF)) == [.frame(.settingsAcknowledged)])
        #expect(
            frames(Frame.bytes(Frame.Kind.reset, flags: 0xFF, stream: 1, HTTP2Peer.big(0xFFFF_FFFE)))
                == [.frame(.reset(stream: 1, HTTP2ErrorCode(rawValue: 0xFFFF_FFFE)))]
        )
        // The padded flag has no meaning for CONTINUATION.
        let split =
            Frame.bytes(Frame.Kind.headers, stream: 1)
            + Frame.bytes(Frame.Kind.continuation, flags: 0xFF, stream: 1, [9])
        #expect(frames(split) == [.frame(.headers(stream: 1, block: ByteBuffer(bytes: [9]), endStream: false))])
        // All flags without a meaning, and END_HEADERS.
        #expect(
            frames(Frame.bytes(Frame.Kind.headers, flags: 0xD6, stream: 1, [9]))
                == [.frame(.headers(stream: 1, block: ByteBuffer(bytes: [9]), endStream: false))]
        )
        #expect(
            frames(Frame.bytes(Frame.Kind.data, flags: 0xF6, stream: 1, [9]))
                == [.data(stream: 1, [9], flowControlled: 1, endStream: false)]
        )
    }

    @Test func ignoresReservedBits() {
        #expect(
            frames(Frame.bytes(Frame.Kind.reset, stream: 0x8000_0003, HTTP2Peer.big(8)))
                == [.frame(.reset(stream: 3, .cancel))]
        )
        #expect(frames(Frame.bytes(Frame.Kind.ping, stream: 0x8000_0000, Frame.repeated(0, 8))) == [.frame(.ping(0))])
        #expect(
            frames(Frame.bytes(Frame.Kind.priority, stream: 0xFFFF_FFFF, Frame.repeated(0xFF, 5)))
                == [.frame(.priority(stream: .max))]
        )
        #expect(
            frames(Frame.goAwayFrame(0x8000_0001, 0, []))
                == [.frame(.goAway(lastStream: 1, .noError, debug: ""))]
        )
        #expect(
            frames(Frame.bytes(Frame.Kind.windowUpdate, HTTP2Peer.big(0xFFFF_FFFF)))
                == [.frame(.windowUpdate(stream: 0, increment: 0x7FFF_FFFF))]
        )
        #expect(
            frames(Frame.bytes(Frame.Kind.pushPromise, flags: Frame.endHeaders, stream: 1, HTTP2Peer.big(0x8000_0002)))
                == [.frame(.pushPromise(stream: 1, promised: 2))]
        )
        let split =
            Frame.bytes(Frame.Kind.headers, stream: 1)
            + Frame.bytes(Frame.Kind.continuation, flags: Frame.endHeaders, stream: 0x8000_0001, [9])
        #expect(frames(split) == [.frame(.headers(stream: 1, block: ByteBuffer(bytes: [9]), endStream: false))])
    }

    /// The state machine decides whether the stream or the connection fails.
    @Test func returnsAnIncrementOfZero() {
        #expect(
            frames(Frame.bytes(Frame.Kind.windowUpdate, HTTP2Peer.big(0))) == [
                .frame(.windowUpdate(stream: 0, increment: 0))
            ]
        )
        #expect(
            frames(Frame.bytes(Frame.Kind.windowUpdate, stream: 1, HTTP2Peer.big(0x8000_0000)))
                == [.frame(.windowUpdate(stream: 1, increment: 0))]
        )
    }

    @Test(
        arguments: [
            ("", ""), ("plain", "plain"), ("a\r\nb\u{0}c\u{1B}[31m\td\u{7F}", "abc[31md"),
            ("\u{85}x\u{9B}y\u{2028}z\u{2029}", "xyz"), ("\u{202E}gpj\u{200B}\u{FEFF}", "gpj"),
            ("Gr\u{FC}\u{DF}e \u{1F600}", "Gr\u{FC}\u{DF}e \u{1F600}"), ("a\u{FFFD}b", "ab"),
        ]
    )
    func cleansTheTextOfGoAway(sent: String, debug: String) {
        let bytes = Frame.goAwayFrame(1, 2, Array(sent.utf8))
        #expect(frames(bytes) == [.frame(.goAway(lastStream: 1, .internalError, debug: debug))])
    }

    @Test func keepsTwoHundredBytesOfTheTextOfGoAway() {
        for count in [199, 200, 201, 16_376] {
            let debug = String(repeating: "x", count: min(count, 200))
            let bytes = Frame.goAwayFrame(1, 2, Frame.repeated(0x78, count))
            #expect(frames(bytes) == [.frame(.goAway(lastStream: 1, .internalError, debug: debug))])
        }
        // The last character does not fit.
        let cut = Frame.goAwayFrame(1, 2, Frame.repeated(0x78, 199) + Array("\u{FC}".utf8))
        let rest = String(repeating: "x", count: 199)
        #expect(frames(cut) == [.frame(.goAway(lastStream: 1, .internalError, debug: rest))])
        let binary = Frame.goAwayFrame(1, 2, Frame.repeated(0xFF, 16_376))
        #expect(frames(binary) == [.frame(.goAway(lastStream: 1, .internalError, debug: ""))])
    }
}
