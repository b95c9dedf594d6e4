internal import NIOCore
internal import NIOSSL

/// Sets up the pipeline of each accepted connection.
struct ConnectionMaker: Sendable {
    let behavior: TestServer.Behavior
    let tls: TestTLS?
    let sslContext: NIOSSLContext?
    let door: LoopGate
    let state: ServerState

    func set(up channel: any Channel) -> EventLoopFuture<Void> {
        let number = state.accepted(channel)
        channel.closeFuture.whenComplete { _ in state.closed(channel) }
        return channel.eventLoop.makeCompletedFuture {
            let facts = ConnectionFacts(
                number: number,
                isSecure: tls != nil,
                remoteAddress: channel.remoteAddress?.ipAddress ?? ""
            )
            let pipeline = channel.pipeline.syncOperations
            if let tls, tls.handshakeStalls || tls.handshakeCloses {
                return try pipeline.addHandler(HandshakeFaultHandler(closes: tls.handshakeCloses))
            }
            if let sslContext {
                try pipeline.addHandler(ServerNameReader(facts))
                try pipeline.addHandler(NIOSSLServerHandler(context: sslContext))
            }
            switch behavior {
            case .endpoints: try pipeline.addHandler(origin(.endpoints(Endpoints(state: state)), facts))
            case .handler(let handler): try pipeline.addHandler(origin(.handler(handler), facts))
            case .http2(let delay): try pipeline.addHandler(HTTP2ResponderHandler(delay: delay, state: state))
            case .script(let script): try pipeline.addHandler(player(script, facts))
            case .scripts(let scripts):
                let script = number <= scripts.count ? scripts[number - 1] : scripts.last ?? []
                try pipeline.addHandler(player(script, facts))
            }
        }
    }

    private func origin(_ responder: Responder, _ facts: ConnectionFacts) -> OriginHandler {
        OriginHandler(responder, state: state, facts: facts, door: door)
    }

    private func player(_ script: Script, _ facts: ConnectionFacts) -> ScriptHandler {
        ScriptHandler(script, state: state, facts: facts, door: door)
    }
}
