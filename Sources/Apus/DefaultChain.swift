internal import ApusCoding
internal import ApusCookies
internal import ApusCore
internal import ApusDiagnostics
internal import ApusTrust

/// Builds a session's chain of middleware, ordered from the caller to the wire.
enum DefaultChain {
    /// Why this order:
    /// - `TracingMiddleware` (tracing) is at both ends, so that it covers the user's middleware too.
    /// - `OuterMiddleware` sees the same requests and responses as the caller.
    /// - User middleware sees every attempt of a request, since a retry passes through the whole chain again.
    /// - `RequestCompressionMiddleware` follows the user's middleware, which may set its option or compress the body
    ///   itself. It is outside `RedirectMiddleware`, so that a redirect sends the compressed body again.
    /// - `DefaultFieldsMiddleware` is outside `RedirectMiddleware`: the session's fields, credentials among them, are
    ///   meant for the origin of the request. `RedirectMiddleware` drops them for another origin, as it drops the
    ///   request's own credentials.
    /// - `RedirectMiddleware` is outside all middleware that works on a single exchange.
    /// - `HSTSMiddleware` is inside `RedirectMiddleware`, so that each redirect is upgraded to https, and outside all
    ///   middleware that needs the final target. Network middleware may change the target, so another one follows it.
    /// - `AuthenticationMiddleware` is inside `RedirectMiddleware`: credentials belong to an origin, so each redirect
    ///   starts without any.
    /// - `DecompressionMiddleware` is inside these, so that they see decoded bodies.
    /// - `CookieMiddleware` is near the wire and sees every exchange: a cookie set by a redirect is sent with the next
    ///   one.
    /// - Network middleware sees every exchange (redirect, authentication, retry), with its body as it is on the wire.
    /// - `BandwidthMiddleware` is next to the wire, so that it counts bodies as they are sent and received, and makes
    ///   all readers of a body wait.
    /// - With a `HARRecorder`, `RecordedDecodingMiddleware` is outside `DecompressionMiddleware`, since bodies are
    ///   archived decoded. `RecordedTransport` wraps the transport, since the wire is recorded as it is.
    ///
    /// Middleware that is switched off, or whose work the transport does itself, is left out.
    static func make(_ environment: SessionEnvironment, transport: some Transport) -> Chain {
        let configuration = environment.configuration
        let capabilities = transport.capabilities
        let ends = configuration.options[TracingMiddleware.self]
        var chain: [Chain.Link] = []
        if let ends { chain.append(Chain.Link(ends.outer)) }
        if let outer = configuration.options[OuterMiddleware.self] { chain.append(Chain.Link(outer.middleware)) }
        chain += user(configuration.middleware, configuration)
        chain.append(Chain.Link(RequestCompressionMiddleware()))
        let decoding = capabilities.contains(.rawContentCoding) ? configuration.contentDecoding : nil
        chain.append(Chain.Link(DefaultFieldsMiddleware(configuration.fields, decoding: decoding)))
        let hsts = HSTSMiddleware(configuration.hsts)
        if capabilities.contains(.rawRedirects) {
            let redirector = configuration.redirectHandler.map { Redirector($0) } ?? .follow
            let redirect = RedirectMiddleware(
                policy: configuration.redirects,
                redirector: redirector,
                decoding: decoding,
                upgrader: hsts
            )
            chain.append(Chain.Link(redirect))
        }
        chain.append(Chain.Link(hsts))
        let place = chain.count
        if let credentials = configuration.credentials {
            chain.append(Chain.Link(credentials.authentication(environment.credentialProofs)))
        }
        let authentication = place..<chain.count
        if let recorder = configuration.recorder { chain.append(Chain.Link(RecordedDecodingMiddleware(recorder))) }
        if let decoding {
            chain.append(Chain.Link(DecompressionMiddleware(policy: decoding, limits: configuration.limits)))
        }
        chain.append(
            Chain.Link(CookieMiddleware(configuration.cookies, handlerExecution: configuration.handlerExecution))
        )
        chain += user(configuration.networkMiddleware, configuration)
        if !configuration.networkMiddleware.isEmpty {
            chain.append(Chain.Link(HSTSMiddleware(configuration.hsts, notesPolicies: false)))
        }
        chain.append(Chain.Link(BandwidthMiddleware(configuration.transferRate, time: configuration.time)))
        if let ends { chain.append(Chain.Link(ends.inner)) }
        let wire: any Transport =
            if let recorder = configuration.recorder { RecordedTransport(transport, recorder: recorder) } else {
                transport
            }
        return Chain(chain, authentication: authentication, upgrader: hsts, transport: wire)
    }

    /// Wraps user middleware so that it runs off the event loop, unless the session's `handlerExecution` is
    /// `.eventLoop`. Requests that it sends with the same session are not queued.
    private static func user(
        _ middlewares: [any Middleware],
        _ configuration: SessionConfiguration
    ) -> [Chain.Link] {
        middlewares.map { Chain.Link(UserMiddleware($0, handlerExecution: configuration.handlerExecution)) }
    }
}
