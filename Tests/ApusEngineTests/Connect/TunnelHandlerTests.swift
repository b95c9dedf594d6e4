internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

@Suite struct TunnelHandlerTests {
    /// What a handler has told its stage.
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

    private let stage = Stage()
    private let channel = EmbeddedChannel()

    private func addHandler() throws -> TunnelHandler {
        let stage = stage
        let handler = TunnelHandler(receive: { stage.receive(&$0) }, end: { _ in stage.endCount += 1 })
        try channel.pipeline.syncOperations.addHandler(handler)
        return handler
    }

    @Test func passesTheBytesAfterTheTunnelOn() throws {
        _ = try addHandler()
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

    @Test func reportsTheEndOnce() throws {
        _ = try addHandler()
        try channel.writeInbound(ByteBuffer(string: "ab"))
        _ = try channel.finish()
        #expect(stage.endCount == 1)
    }

    @Test func reportsAnError() throws {
        _ = try addHandler()
        channel.pipeline.fireErrorCaught(ChannelError.eof)
        #expect(stage.endCount == 1)
        _ = try? channel.finish()
        #expect(stage.endCount == 1)
    }

    @Test func reportsNothingAfterItWasStopped() throws {
        let handler = try addHandler()
        handler.stop()
        try channel.writeInbound(ByteBuffer(string: "ab"))
        #expect(stage.texts == [])
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "ab"))
        _ = try channel.finish()
        #expect(stage.endCount == 0)
    }
}
