internal import ApusCore
internal import HTTPTypes

/// The credentials for the proxies of an event loop, with the nonces of their challenges.
struct ProxyAuthorizations {
    /// The maximum number of proxies. Beyond it, all of them are forgotten, and send their challenges again.
    private static let capacity = 100

    private let authenticator: (any ProxyAuthenticator)?
    private var known: [ProxyServer: any ProxyAuthorization] = [:]

    /// - Parameter authenticator: Makes the credentials. `nil` to send none.
    init(_ authenticator: (any ProxyAuthenticator)?) {
        self.authenticator = authenticator
    }

    /// Returns the `Proxy-Authorization` field of the next request. `nil` to send none.
    mutating func field(
        for proxy: ProxyServer,
        method: HTTPRequest.Method,
        target: String
    ) throws(ApusError) -> HTTPField? {
        guard var current = authorization(for: proxy) else { return nil }
        let field = try current.field(method: method, target: target)
        keep(current, for: proxy)
        return field
    }

    /// Takes up the challenge of a proxy. Returns whether the request can be sent again.
    mutating func takeUp(_ fields: HTTPFields, of proxy: ProxyServer, isAnswered: Bool) -> Bool {
        guard var current = authorization(for: proxy) else { return false }
        let isAnswerable = current.takeUp(fields, isAnswered: isAnswered)
        keep(current, for: proxy)
        return isAnswerable
    }

    private func authorization(for proxy: ProxyServer) -> (any ProxyAuthorization)? {
        guard proxy.user != nil else { return nil }
        return known[proxy] ?? authenticator?.authorization(for: proxy)
    }

    private mutating func keep(_ authorization: any ProxyAuthorization, for proxy: ProxyServer) {
        if known.count >= Self.capacity, known[proxy] == nil { known = [:] }
        known[proxy] = authorization
    }
}
