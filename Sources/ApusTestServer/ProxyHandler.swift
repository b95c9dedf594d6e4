internal import NIOCore
internal import NIOPosix

/// One connection of a ``TestProxy``.
///
///     head → connecting → relaying (CONNECT), or body → head (without a tunnel)
///     method → (authentication →) request → connecting → relaying (SOCKS)
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case head
        case body(remaining: Int)
        case method
        case authentication
        case request
        case connecting
        case relaying
        case over
    }

    /// What follows a connection to the origin.
    private enum Plan {
        /// An answer of the proxy, and then the bytes of both sides.
        case tunnel(TestProxy.Stage, [UInt8])
        /// These bytes for the origin, and then a body.
        case forward([UInt8], BodyFraming)
    }

    private let options: TestProxy.Options
    private let connection: Int
    private let log: ProxyLog
    private var phase: Phase
    private var reader = HeadReader()
    private var unread = ByteBuffer()
    private var upstream: (channel: any Channel, port: Int)?

    init(_ options: TestProxy.Options, connection: Int, log: ProxyLog) {
        self.options = options
        self.connection = connection
        self.log = log
        self.phase = options.speaksSOCKS ? .method : .head
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = unwrapInboundIn(data)
        unread.writeBuffer(&incoming)
        while proceed(context) {}
    }

    func channelInactive(context: ChannelHandlerContext) {
        phase = .over
        upstream?.channel.close(promise: nil)
        upstream = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Takes one step. Returns whether another one may follow.
    private func proceed(_ context: ChannelHandlerContext) -> Bool {
        switch phase {
        case .head:
            switch reader.next(&unread) {
            case .needsMore: return false
            case .head(let bytes): readHead(bytes, context)
            case .tooLarge:
                phase = .over
                context.close(promise: nil)
            }
            return true
        case .body(let remaining):
            let count = min(remaining, unread.readableBytes)
            if let slice = unread.readSlice(length: count), count > 0 {
                upstream?.channel.writeAndFlush(slice, promise: nil)
            }
            phase = remaining == count ? .head : .body(remaining: remaining - count)
            return remaining == count
        case .method: return readMethod(context)
        case .authentication: return readAuthentication(context)
        case .request: return readRequest(context)
        case .relaying:
            if unread.readableBytes > 0 { upstream?.channel.writeAndFlush(unread, promise: nil) }
            unread = ByteBuffer()
            return false
        case .connecting, .over:
            return false
        }
    }

    // MARK: HTTP

    private func readHead(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        let head = RequestHead(bytes)
        var fields: [(name: String, value: String)] = []
        _ = FieldLines.visit(bytes, from: RequestHead.endOfRequestLine(in: bytes)) { name, value in
            fields.append((String(latin1: bytes[name]), String(latin1: bytes[value])))
        }
        let request = TestProxy.Request(
            connection: connection,
            method: head.method,
            target: head.target,
            fields: fields
        )
        log.add(request)
        let challenges = options.challenges(request)
        guard challenges.isEmpty else { return challenge(challenges, closes: head.hasBody, context) }
        let authority =
            head.method == "CONNECT"
            ? head.target[...] : head.target.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
        let port = authority.split(separator: ":").last.flatMap { Int($0) } ?? 80
        guard head.method == "CONNECT" else {
            let path = head.target.dropFirst("http://".count + authority.count)
            var lines = ["\(head.method) \(path) HTTP/1.1"]
            for field in fields where !field.name.lowercased().hasPrefix("proxy-") {
                lines.append("\(field.name): \(field.value)")
            }
            let rewritten = [UInt8](latin1: lines.joined(separator: "\r\n") + "\r\n\r\n")
            return connect(to: port, for: .forward(rewritten, head.framing), context)
        }
        connect(to: port, for: .tunnel(.tunnel, Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)), context)
    }

    private func challenge(_ challenges: [String], closes: Bool, _ context: ChannelHandlerContext) {
        var lines = ["HTTP/1.1 407 Proxy Authentication Required", "Content-Length: 6"]
        lines += challenges.map { "Proxy-Authenticate: \($0)" }
        let closes = closes || options.closesAfterChallenge
        if closes { lines.append("Connection: close") }
        let bytes = [UInt8](latin1: lines.joined(separator: "\r\n") + "\r\n\r\ndenied")
        guard answer(.challenge, bytes, context), closes else { return }
        phase = .over
        context.close(promise: nil)
    }

    // MARK: SOCKS

    private func readMethod(_ context: ChannelHandlerContext) -> Bool {
        guard let count = byte(1), unread.readableBytes >= 2 + Int(count) else { return false }
        let bytes = unread.readBytes(length: 2 + Int(count)) ?? []
        let wanted: UInt8 = options.user == nil ? 0 : 2
        let isOffered = bytes.dropFirst(2).contains(wanted)
        phase = !isOffered ? .over : wanted == 0 ? .request : .authentication
        return answer(.method, [5, isOffered ? wanted : 0xFF], context)
    }

    private func readAuthentication(_ context: ChannelHandlerContext) -> Bool {
        guard let userCount = byte(1).map({ Int($0) }), let passwordCount = byte(2 + userCount).map({ Int($0) }),
            unread.readableBytes >= 3 + userCount + passwordCount
        else { return false }
        let bytes = unread.readBytes(length: 3 + userCount + passwordCount) ?? []
        let user = String(latin1: bytes[2..<2 + userCount])
        let password = String(latin1: bytes[(3 + userCount)...])
        let isAccepted = options.user.map { $0.name == user && $0.password == password } ?? true
        phase = isAccepted ? .request : .over
        return answer(.authentication, [1, isAccepted ? 0 : 1], context)
    }

    private func readRequest(_ context: ChannelHandlerContext) -> Bool {
        guard let kind = byte(3), let first = byte(4) else { return false }
        let hostStart = kind == 3 ? 5 : 4
        let hostCount = kind == 3 ? Int(first) : kind == 1 ? 4 : 16
        guard unread.readableBytes >= hostStart + hostCount + 2 else { return false }
        let bytes = unread.readBytes(length: hostStart + hostCount + 2) ?? []
        let hostBytes = bytes[hostStart..<hostStart + hostCount]
        let host = kind == 3 ? String(latin1: hostBytes) : hostBytes.map { String($0) }.joined(separator: ".")
        let port = Int(bytes[bytes.count - 2]) << 8 | Int(bytes[bytes.count - 1])
        log.add(TestProxy.Request(connection: connection, method: "SOCKS", target: "\(host):\(port)", fields: []))
        connect(to: port, for: .tunnel(.reply, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), context)
        return true
    }

    private func byte(_ offset: Int) -> UInt8? {
        guard unread.readableBytes > offset else { return nil }
        return unread.getInteger(at: unread.readerIndex + offset)
    }

    // MARK: The origin

    private func connect(to port: Int, for plan: Plan, _ context: ChannelHandlerContext) {
        if case .forward(let bytes, let framing) = plan, let upstream, upstream.port == port {
            return forward(bytes, framing, to: upstream.channel)
        }
        phase = .connecting
        let client = context.channel
        let bound = NIOLoopBound((self, context, plan), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RelayHandler(to: client))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                let (handler, context, plan) = bound.value
                handler.connected(result, port, plan, context)
            }
    }

    private func connected(
        _ result: Result<any Channel, any Error>,
        _ port: Int,
        _ plan: Plan,
        _ context: ChannelHandlerContext
    ) {
        guard case .connecting = phase, case .success(let channel) = result else {
            if case .success(let channel) = result { channel.close(promise: nil) }
            return refuse(plan, context)
        }
        upstream = (channel, port)
        switch plan {
        case .forward(let bytes, let framing):
            forward(bytes, framing, to: channel)
        case .tunnel(let stage, let bytes):
            phase = .relaying
            guard answer(stage, bytes, context) else { return }
        }
        while proceed(context) {}
    }

    /// Responds that the origin can't be reached.
    private func refuse(_ plan: Plan, _ context: ChannelHandlerContext) {
        guard case .connecting = phase else { return }
        phase = .over
        switch plan {
        case .tunnel(.reply, _):
            _ = answer(.reply, [5, 5, 0, 1, 0, 0, 0, 0, 0, 0], context)
        case .tunnel, .forward:
            let text = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 10\r\nConnection: close\r\n\r\nno server\n"
            _ = answer(.tunnel, Array(text.utf8), context)
        }
    }

    private func forward(_ head: [UInt8], _ framing: BodyFraming, to channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(bytes: head), promise: nil)
        switch framing {
        case .none: phase = .head
        case .length(let count): phase = .body(remaining: count)
        // The end of the body is not looked for, so that no request can follow.
        case .chunked: phase = .relaying
        }
    }

    /// Sends a response of the proxy, or what the options have in place of it. Returns whether the connection goes on.
    private func answer(_ stage: TestProxy.Stage, _ bytes: [UInt8], _ context: ChannelHandlerContext) -> Bool {
        switch options.answer(stage, bytes) {
        case .send(let bytes):
            write(bytes, context)
            return true
        case .drip(let bytes):
            // A flush each. The peer may still read several of them together.
            for byte in bytes { write([byte], context) }
            return true
        case .silence:
            phase = .over
        case .stop(let bytes):
            phase = .over
            write(bytes, context)
        case .close(let bytes):
            phase = .over
            write(bytes, context)
            context.close(promise: nil)
        }
        return false
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
}

/// Passes the bytes of an origin to the client of a proxy.
final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(to client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // After everything that was written before.
        let client = client
        client.writeAndFlush(ByteBuffer()).whenComplete { _ in client.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
