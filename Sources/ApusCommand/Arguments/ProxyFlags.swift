internal import Apus

/// The values of `--proxy` and `--no-proxy`.
struct ProxyFlags: Equatable {
    /// Whether the last `--proxy` was `none`.
    private var isOff = false
    private var http: ProxyServer?
    private var https: ProxyServer?
    /// The list of `--no-proxy`.
    var exceptions: String?

    /// Reads a value of `--proxy`: a URL, a URL for one scheme such as `http:URL`, or `none`.
    ///
    /// - Throws: `CommandFault` for an invalid URL.
    mutating func take(_ text: String) throws(CommandFault) {
        isOff = text.lowercased() == "none"
        if isOff {
            (http, https) = (nil, nil)
            return
        }
        let scheme = ["http:", "https:"].first { prefix in
            text.lowercased().hasPrefix(prefix) && !text.dropFirst(prefix.count).hasPrefix("//")
        }
        do throws(ApusError) {
            let server = try ProxyServer(String(text.dropFirst(scheme?.count ?? 0)))
            if scheme != "https:" { http = server }
            if scheme != "http:" { https = server }
        } catch {
            throw CommandFault("--proxy needs a URL such as http://proxy.example:3128, or none: \(error.detail)")
        }
    }

    /// Returns the proxies of the session. Without `--proxy` they are those of the environment.
    func selection(in environment: [String: String]) -> ProxySelection {
        if isOff { return .none }
        if http != nil || https != nil {
            return .servers(http: http, https: https, except: NoProxyList(exceptions ?? ""))
        }
        return .environment(
            ProxyEnvironment { name in
                name.lowercased() == "no_proxy" ? exceptions ?? environment[name] : environment[name]
            }
        )
    }

    /// Returns the same settings as arguments of curl, for a request of one scheme.
    func curlArguments(for scheme: Origin.Scheme) -> [String] {
        if isOff { return ["--noproxy", "*"] }
        var arguments: [String] = []
        if let server = scheme == .https ? https : http {
            arguments += ["--proxy", "\(server)"]
            if let user = server.user { arguments += ["--proxy-user", "\(user):\(server.password ?? "")"] }
        }
        if let exceptions { arguments += ["--noproxy", exceptions] }
        return arguments
    }
}
