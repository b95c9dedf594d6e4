internal import ApusCore
internal import HTTPTypes

/// Writes the requests of a connection to a proxy that passes them on without a tunnel: RFC 9112 §3.2.2.
final class ProxyForwarding {
    private let proxy: ProxyServer
    private let engine: EventLoopEngine

    init(_ proxy: ProxyServer, engine: EventLoopEngine) {
        self.proxy = proxy
        self.engine = engine
    }

    /// Returns the target of a request as the proxy gets it, and its fields with the credentials for the proxy. A
    /// `Proxy-Authorization` of the request takes precedence over them.
    func head(of request: RequestMessage) throws(ApusError) -> (target: String, fields: HTTPFields) {
        let target = request.target.uri
        var fields = request.fields
        if !fields.contains(.proxyAuthorization),
            let field = try engine.proxyAuthorizations.field(for: proxy, method: request.method, target: target)
        {
            fields.append(field)
        }
        return (target, fields)
    }

    /// Takes up a challenge of the proxy, and notes that the request is sent again. Returns `false` if it is not.
    func takeUp(_ fields: HTTPFields, for exchange: Exchange) -> Bool {
        guard exchange.canBeSentAgain, exchange.proxyAnswerCount < ProxyConnectStage.maximumAnswers,
            !exchange.request.fields.contains(.proxyAuthorization)
        else { return false }
        let isAnswered = exchange.proxyAnswerCount > 0
        guard engine.proxyAuthorizations.takeUp(fields, of: proxy, isAnswered: isAnswered) else { return false }
        exchange.noteProxyAnswer()
        return true
    }
}
