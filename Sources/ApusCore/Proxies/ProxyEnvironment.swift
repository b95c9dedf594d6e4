internal import ApusPlatform

/// The proxies that the variables of the environment name: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
///
/// A variable in small letters takes precedence over the one in capital letters, an empty one counts as not set, and
/// that of a scheme takes precedence over `all_proxy`. `HTTP_PROXY` is not read: a CGI program gets it from the `Proxy`
/// field of a request. curl has the same rules.
///
/// Requests to `localhost`, to names below it, and to loopback addresses never use these proxies, as in Go. Unlike
/// there, all notations of an address count: `127.1` is 127.0.0.1.
package struct ProxyEnvironment: Sendable, Hashable {
    private enum Setting: Sendable, Hashable {
        case none
        case server(ProxyServer)
        /// The value of a variable can't be used.
        case invalid(variable: String, detail: String)
    }

    /// The names of all variables that are read.
    package static let variables = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    private let http: Setting
    private let https: Setting
    private let exceptions: NoProxyList

    /// Reads the variables.
    ///
    /// - Parameter variable: Returns the value of a variable. `nil` if it is not set.
    package init(reading variable: (String) -> String?) {
        func first(_ names: String...) -> (name: String, value: String)? {
            for name in names {
                if let value = variable(name), !value.isEmpty { return (name, value) }
            }
            return nil
        }
        http = Self.setting(first("http_proxy", "all_proxy", "ALL_PROXY"))
        https = Self.setting(first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"))
        exceptions = NoProxyList(first("no_proxy", "NO_PROXY")?.value ?? "")
    }

    /// Reads the environment of the process.
    package static func current() -> ProxyEnvironment {
        ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }
    }

    /// Whether it names no proxy at all.
    package var isEmpty: Bool { http == .none && https == .none }

    /// Returns the proxy for a target. `nil` if there is none.
    ///
    /// - Parameters:
    ///   - target: The target of a request.
    ///   - list: The hosts without a proxy, in place of those of `no_proxy`. Default: `nil`.
    /// - Returns: The proxy.
    /// - Throws: `ApusError` with the code `invalidConfiguration` that names the variable, if its value can't be used.
    package func proxy(for target: TargetURI, except list: NoProxyList? = nil) throws(ApusError) -> ProxyServer? {
        let exceptions = list ?? self.exceptions
        let origin = target.origin
        let setting = origin.scheme == .https ? https : http
        guard setting != .none, !Self.isLocal(origin.host), !exceptions.contains(origin.host, port: origin.port) else {
            return nil
        }
        switch setting {
        case .none: return nil
        case .server(let server): return server
        case .invalid(let variable, let detail):
            throw ApusError(
                .invalidConfiguration,
                "the environment variable \(variable) can't be used: \(detail)",
                hint: "correct it, or set configuration.proxy = .none"
            )
        }
    }

    private static func setting(_ variable: (name: String, value: String)?) -> Setting {
        guard let variable else { return .none }
        do throws(ApusError) {
            return .server(try ProxyServer(variable.value))
        } catch {
            return .invalid(variable: variable.name, detail: error.detail)
        }
    }

    private static func isLocal(_ host: String) -> Bool {
        let name = host.last == "." ? host.dropLast() : host[...]
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = IPAddress(hostNotation: host) else { return false }
        // A network that translates addresses leads to its own 127.0.0.1.
        return address.isLoopback && !address.isTranslated
    }
}
