internal import ApusCoding
internal import ApusCore

/// The order of the chain, from the user to the wire.
enum DefaultChain {
    /// Why this order:
    /// - The user's middleware stands outside: it sees a request once, whatever follows from it.
    /// - `Redirect` stands outside of everything that belongs to one hop: credentials and default fields are an
    ///   origin's, and are looked at afresh for each.
    /// - `DefaultFields` stands outside `Decompression`, so that an `Accept-Encoding` of the user's own is seen there.
    /// - `Decompression` stands inside, next to the wire: whatever is outside of it sees decoded content.
    /// - The user's network middleware sees what goes over the wire, exchange by exchange, coded as it is.
    ///
    /// What the transport does by itself, and what is switched off, is left out.
    static func middlewares(
        _ configuration: SessionConfiguration,
        capabilities: TransportCapabilities
    ) -> [any Middleware] {
        var chain = user(configuration.middleware, configuration)
        if capabilities.contains(.rawRedirects) { chain.append(Redirect(policy: configuration.redirects)) }
        chain.append(DefaultFields(configuration.fields))
        if capabilities.contains(.rawContentCoding) {
            chain.append(Decompression(policy: configuration.contentDecoding, limits: configuration.limits))
        }
        return chain + user(configuration.networkMiddleware, configuration)
    }

    /// Middleware of the user's, off the loop unless the session says otherwise.
    private static func user(
        _ middlewares: [any Middleware],
        _ configuration: SessionConfiguration
    ) -> [any Middleware] {
        configuration.userCode == .onLoop ? middlewares : middlewares.map { OffLoopMiddleware($0) }
    }
}
