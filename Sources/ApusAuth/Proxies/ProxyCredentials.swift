package import ApusCore

/// Authenticates requests to HTTP proxies with Basic, RFC 7617, and Digest, RFC 7616.
package struct ProxyCredentials: ProxyAuthenticator {
    package init() {}

    package func authorization(for proxy: ProxyServer) -> any ProxyAuthorization {
        ProxyCredential(proxy)
    }
}
