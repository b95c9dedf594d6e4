internal import ApusCore

/// The errors of proxies that open no tunnel.
enum ProxyFailure {
    /// Returns the error of a proxy that wants other credentials, or any.
    static func unauthorized(_ proxy: ProxyServer) -> ApusError {
        guard proxy.user != nil else {
            return ApusError(
                .proxyAuthenticationRequired,
                "the proxy \(proxy) requires a user and a password",
                hint: "add them to the URL of the proxy"
            )
        }
        let remedy =
            switch (proxy.kind.isSOCKS, proxy.authentication) {
            case (true, _), (_, .automatic): "check them"
            case (_, .basic): "check them, or set its authentication to .automatic, if it does not support Basic"
            case (_, .digest): "check them, or set its authentication to .automatic, if it does not support Digest"
            }
        return ApusError(
            .proxyAuthenticationRequired,
            "the proxy \(proxy) does not accept its user and password",
            hint: remedy
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
        case .noAcceptableMethod, .credentialsRefused:
            return unauthorized(proxy)
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
