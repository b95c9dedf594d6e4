internal import HTTPTypes
internal import NIOCore
internal import NIOEmbedded
internal import NIOHTTP1

/// The result of NIOHTTP1's decoder for a response.
struct NIOHTTP1Verdict {
    struct Head: Equatable {
        var code: UInt
        var minorVersion: Int
        var fields: [String]
        var isKeepAlive: Bool
    }

    var heads: [Head] = []
    var body: [UInt8] = []
    var trailers: [String]?
    var isComplete = false
    /// Whether the decoder found the end before the stream ended.
    var isCompleteBeforeClose = false
    var error: (any Error)?

    /// Feeds the bytes of one response in one read, then the end of the stream.
    init(of bytes: [UInt8], method: HTTPRequest.Method) {
        let channel = EmbeddedChannel()
        do {
            let decoder = HTTPResponseDecoder(
                leftOverBytesStrategy: .dropBytes,
                informationalResponseStrategy: .forward
            )
            try channel.pipeline.syncOperations.addHandlers([HTTPRequestEncoder(), ByteToMessageHandler(decoder)])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            let head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method.rawValue), uri: "/")
            try channel.writeOutbound(HTTPClientRequestPart.head(head))
            try channel.writeOutbound(HTTPClientRequestPart.end(nil))
            try channel.writeInbound(ByteBuffer(bytes: bytes))
        } catch {
            self.error = error
        }
        take(channel)
        isCompleteBeforeClose = isComplete
        do {
            _ = try channel.finish(acceptAlreadyClosed: true)
        } catch {
            if self.error == nil { self.error = error }
        }
        take(channel)
        // Bytes after the end are not part of the response.
        if isComplete { error = nil }
    }

    private mutating func take(_ channel: EmbeddedChannel) {
        while !isComplete, let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let head):
                heads.append(
                    Head(
                        code: head.status.code,
                        minorVersion: head.version.minor,
                        fields: head.headers.map { "\($0.name): \($0.value)" },
                        isKeepAlive: head.isKeepAlive
                    )
                )
            case .body(let buffer): body += Array(buffer.readableBytesView)
            case .end(let trailers):
                self.trailers = trailers.map { $0.map { "\($0.name): \($0.value)" } }
                isComplete = true
            }
        }
    }
}
