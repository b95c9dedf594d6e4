internal import ApusCoding
internal import ApusCookies
internal import ApusCore

/// The order of the chain, from the user to the wire.
enum DefaultChain {
    /// Why this order:
    /// - What watches whole requests stands outside of everything, and what watches exchanges next to the wire: neither
    ///   misses what a middleware of the user's does.
    /// - The user's middleware stands outside: it sees a request once, whatever follows from it.
    /// - `DefaultFields` stands outside `Redirect`: what a session gives each request, credentials among it, is meant for
    ///   the origin that was asked for, and `Redirect` drops it on the way to another like what the request brought.
    /// - `Redirect` stands outside of everything that belongs to one hop.
    /// - What answers challenges stands inside of it, since credentials belong to an origin: each hop starts afresh.
    /// - `Decompression` stands inside: whatever is outside of it sees decoded content.
    /// - `Cookies` stands next to the wire: what a redirect sets has to go to where it leads, so it works on each hop.
    /// - The user's network middleware sees what goes over the wire, exchange by exchange, coded as it is.
    /// - What writes exchanges down has their contents decoded, and all else from the wire: it is the transport.
    ///
    /// What the transport does by itself, and what is switched off, is left out.
    static func make(_ environment: SessionEnvironment, transport: some Transport) -> Chain {
        let configuration = environment.configuration
        let capabilities = transport.capabilities
        let ends = configuration.options[ChainEnds.self]
        var chain: [Chain.Link] = []
        if let ends { chain.append(Chain.Link(ends.outer)) }
        chain += user(configuration.middleware, configuration)
        let decoding = capabilities.contains(.rawContentCoding) ? configuration.contentDecoding : nil
        chain.append(Chain.Link(DefaultFields(configuration.fields, decoding: decoding)))
        if capabilities.contains(.rawRedirects) {
            let redirector = configuration.redirectHandler.map { Redirector($0) } ?? .follow
            let redirect = Redirect(policy: configuration.redirects, redirector: redirector, decoding: decoding)
            chain.append(Chain.Link(redirect))
        }
        let place = chain.count
        if let credentials = configuration.credentials {
            chain.append(Chain.Link(credentials.authentication(environment.credentialProofs)))
        }
        let authentication = place..<chain.count
        if let recorder = configuration.recorder { chain.append(Chain.Link(RecordedDecoding(recorder))) }
        if let decoding { chain.append(Chain.Link(Decompression(policy: decoding, limits: configuration.limits))) }
        chain.append(Chain.Link(Cookies(configuration.cookies, userCode: configuration.userCode)))
        chain += user(configuration.networkMiddleware, configuration)
        if let ends { chain.append(Chain.Link(ends.inner)) }
        let wire: any Transport =
            if let recorder = configuration.recorder { RecordedTransport(transport, recorder: recorder) } else {
                transport
            }
        return Chain(chain, authentication: authentication, transport: wire)
    }

    /// Middleware of the user's, off the loop unless the session says otherwise; what it asks for needs no turn.
    private static func user(
        _ middlewares: [any Middleware],
        _ configuration: SessionConfiguration
    ) -> [Chain.Link] {
        middlewares.map { Chain.Link(UserMiddleware($0, userCode: configuration.userCode)) }
    }
}
