internal import ApusCore

/// The errors of proxies that open no tunnel.
enum ProxyFailure {
    /// Returns the error of a proxy that wants other credentials, or any.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - hasSent: Whether the user and the password were sent.
    /// - Returns: The error, which never has the password.
    static func unauthorized(_ proxy: ProxyServer, hasSent: Bool) -> ApusError {
        guard proxy.user != nil else {
            return ApusError(
                .proxyAuthenticationRequired,
                "the proxy \(proxy) requires a user and a password",
                hint: "add them to the URL of the proxy"
            )
        }
        guard hasSent else { return unsupported(proxy) }
        let remedy =
            switch (proxy.kind.isSOCKS, proxy.authentication) {
            case (true, _), (_, .automatic), (_, .digest): "check the user and the password"
            case (_, .basic):
                "check the user and the password, or set its authentication to .automatic, if it does not support Basic"
            }
        let user = proxy.shownUser
        return ApusError(.proxyAuthenticationRequired, "the proxy \(proxy) refused \(user)", hint: remedy)
            .with(refusedProxyUser: user)
    }

    /// Returns the error of a proxy that was sent no credentials, since it asks for them in another way.
    private static func unsupported(_ proxy: ProxyServer) -> ApusError {
        let detail: String
        var hint: String?
        switch (proxy.kind.isSOCKS, proxy.authentication) {
        case (true, _):
            detail = "the proxy \(proxy) accepts no user with a password (RFC 1929)"
        case (_, .digest):
            detail = "the proxy \(proxy) requires a user and a password, but offers no Digest"
            hint = "set its authentication to .automatic"
        case (_, .basic), (_, .automatic):
            detail = "the proxy \(proxy) requires a user and a password, but offers neither Digest nor Basic"
        }
        return ApusError(.proxyAuthenticationRequired, detail, hint: hint)
    }

    /// Returns the error of an HTTP proxy whose response to CONNECT is not valid.
    static func malformed(_ proxy: ProxyServer, _ fault: HTTP1ParseError) -> ApusError {
        guard fault != .statusLineInvalid else {
            return ApusError(
                .proxyConnectFailed,
                "the proxy \(proxy) did not answer CONNECT with a status line of HTTP/1.1",
                hint: "check the scheme and the port of the proxy",
                underlying: fault
            )
        }
        return ApusError(
            .proxyConnectFailed,
            "the proxy \(proxy) sent no valid response to CONNECT: \(fault.clause)",
            underlying: fault
        )
    }

    /// Returns the error of an HTTP proxy that has refused to open a tunnel.
    static func refused(_ proxy: ProxyServer, _ refusal: ProxyTunnel.Refusal, _ target: String) -> ApusError {
        let shown = ProxyServer.shown(refusal.status, content: refusal.content)
        let body = shown.body.isEmpty ? "" : ": \(shown.body)"
        return ApusError(
            .proxyRefused,
            "the proxy \(proxy) responded with \(shown.status) to a tunnel to \(target)\(body)"
        )
    }

    /// Returns the error of a SOCKS proxy.
    static func socks(_ proxy: ProxyServer, _ fault: SOCKSFault, _ target: String) -> ApusError {
        switch fault {
        case .versionUnsupported:
            return ApusError(.proxyConnectFailed, "the proxy \(proxy) does not speak SOCKS 5", underlying: fault)
        case .malformed:
            return ApusError(.proxyConnectFailed, "the proxy \(proxy) sent an invalid response", underlying: fault)
        case .noAcceptableMethod:
            return unauthorized(proxy, hasSent: false)
        case .credentialsRefused:
            return unauthorized(proxy, hasSent: true)
        case .refused(let code):
            let detail = "the proxy \(proxy) did not connect to \(target): \(reason(code))"
            return ApusError(.proxyRefused, detail, underlying: fault)
        }
    }

    /// The reply codes of RFC 1928 §6.
    private static func reason(_ code: UInt8) -> String {
        switch code {
        case 1: "it has failed in general (code 1)"
        case 2: "its rules do not allow it (code 2)"
        case 3: "the network is unreachable (code 3)"
        case 4: "the host is unreachable (code 4)"
        case 5: "the connection was refused (code 5)"
        case 6: "the time to live has expired (code 6)"
        case 7: "it does not support the command (code 7)"
        case 8: "it does not support this type of address (code 8)"
        default: "code \(code)"
        }
    }
}
