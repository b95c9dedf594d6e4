internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

@Suite struct TunnelHandlerTests {
    /// The notices of a handler to its stage.
    private final class Stage {
        var texts: [String] = []
        var endCount = 0

        /// Opens the tunnel after the byte `!`.
        func receive(_ buffer: inout ByteBuffer) -> Bool {
            texts.append(String(buffer: buffer))
            while let byte = buffer.readInteger(as: UInt8.self) {
                if byte == UInt8(ascii: "!") { return true }
            }
            return false
        }
    }

    /// Runs a test with a handler in a channel, all on this thread.
    private func withHandler(_ body: (TunnelHandler, EmbeddedChannel, Stage) throws -> Void) throws {
        let (stage, channel) = (Stage(), EmbeddedChannel())
        let handler = TunnelHandler(receive: { stage.receive(&$0) }, end: { _ in stage.endCount += 1 })
        try channel.pipeline.syncOperations.addHandler(handler)
        try body(handler, channel, stage)
    }

    @Test func passesTheBytesAfterTheTunnelOn() throws {
        try withHandler { _, channel, stage in
            try channel.writeInbound(ByteBuffer(string: "ab"))
            #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
            try channel.writeInbound(ByteBuffer(string: "c!origin"))
            #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "origin"))
            #expect(stage.texts == ["ab", "c!origin"])
            #expect(throws: ChannelPipelineError.self) {
                _ = try channel.pipeline.syncOperations.handler(type: TunnelHandler.self)
            }
            try channel.writeInbound(ByteBuffer(string: "more"))
            #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "more"))
            #expect(stage.endCount == 0)
            _ = try channel.finish()
            #expect(stage.endCount == 0)
        }
    }

    @Test func reportsTheEndOnce() throws {
        try withHandler { _, channel, stage in
            try channel.writeInbound(ByteBuffer(string: "ab"))
            _ = try channel.finish()
            #expect(stage.endCount == 1)
        }
    }

    @Test func reportsAnError() throws {
        try withHandler { _, channel, stage in
            channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
            #expect(stage.endCount == 1)
            _ = try? channel.finish()
            #expect(stage.endCount == 1)
        }
    }

    @Test func reportsNothingAfterItWasStopped() throws {
        try withHandler { handler, channel, stage in
            handler.stop()
            try channel.writeInbound(ByteBuffer(string: "ab"))
            #expect(stage.texts == [])
            #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "ab"))
            _ = try channel.finish()
            #expect(stage.endCount == 0)
        }
    }
}
