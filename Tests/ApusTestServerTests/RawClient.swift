internal import NIOCore
internal import NIOPosix

/// A TCP client without a protocol, which shows each byte that a server sends.
struct RawClient: ~Copyable {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var received = ByteBuffer()

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    /// Connects to a port on loopback, passes the client to a closure and closes it.
    static func with<Result: Sendable>(
        port: Int,
        _ body: (inout RawClient) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var client = RawClient(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&client)
        }
    }

    func write(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    func write(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Closes the output and keeps the input open.
    func finish() {
        outbound.finish()
    }

    /// Reads `count` bytes, or fewer if the server ends its output earlier.
    mutating func read(_ count: Int) async throws -> [UInt8] {
        while received.readableBytes < count, let more = try await inbound.next(isolation: #isolation) {
            received.writeImmutableBuffer(more)
        }
        return received.readBytes(length: min(count, received.readableBytes)) ?? []
    }

    /// Reads `count` bytes as text.
    mutating func readText(_ count: Int) async throws -> String {
        String(decoding: try await read(count), as: UTF8.self)
    }

    /// Reads until the server ends its output.
    mutating func readToEnd() async throws -> [UInt8] {
        try await read(.max)
    }

    /// Reads until the server ends its output, and returns the text.
    mutating func readTextToEnd() async throws -> String {
        String(decoding: try await readToEnd(), as: UTF8.self)
    }
}
