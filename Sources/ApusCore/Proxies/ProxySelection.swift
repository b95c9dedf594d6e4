/// The proxies that requests go through.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.proxy = .server(try ProxyServer("socks5h://127.0.0.1:9050"))
/// let response = try await session.get(url, options: [ProxySelection.none])
/// ```
///
/// As an option of a request it replaces the setting of the session. A proxy that can't be reached is an error, and no
/// request goes to its server without it. Scripts that choose a proxy (PAC) are not supported: `.rule` takes their
/// place.
public struct ProxySelection: RequestOption, Hashable {
    private enum Kind: Sendable, Hashable {
        case none
        /// The environment as the session has read it, with a list in place of its `no_proxy`.
        case environment(except: NoProxyList?)
        case fixedEnvironment(ProxyEnvironment)
        case servers(http: ProxyServer?, https: ProxyServer?, except: NoProxyList)
        case rule(Rule)
    }

    /// A rule, which is equal only to itself.
    private final class Rule: Sendable, Hashable {
        let choose: @Sendable (TargetURI) -> ProxyServer?

        init(_ choose: @escaping @Sendable (TargetURI) -> ProxyServer?) {
            self.choose = choose
        }

        static func == (one: Rule, other: Rule) -> Bool { one === other }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let kind: Kind

    /// Uses no proxy.
    public static let none = ProxySelection(kind: .none)

    /// Uses the proxies of the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, also in capital
    /// letters except for `HTTP_PROXY`. A session reads them once, when it is created.
    ///
    /// Requests to `localhost`, to names below it and to loopback addresses, in any notation, use none. If a variable
    /// can't be used, requests that need it fail with `invalidConfiguration`.
    public static let environment = ProxySelection(kind: .environment(except: nil))

    /// Uses the proxies of the environment, with a list in place of `no_proxy`.
    ///
    /// - Parameter exceptions: The hosts that are reached without a proxy.
    /// - Returns: The selection.
    public static func environment(except exceptions: NoProxyList) -> ProxySelection {
        ProxySelection(kind: .environment(except: exceptions))
    }

    /// Uses one proxy for all requests, also for those to this machine.
    ///
    /// - Parameters:
    ///   - server: The proxy.
    ///   - exceptions: The hosts that are reached without it. Default: none.
    /// - Returns: The selection.
    public static func server(_ server: ProxyServer, except exceptions: NoProxyList = NoProxyList()) -> ProxySelection {
        ProxySelection(kind: .servers(http: server, https: server, except: exceptions))
    }

    /// Uses a proxy for each scheme of requests.
    ///
    /// - Parameters:
    ///   - http: The proxy for `http` requests. `nil` for none.
    ///   - https: The proxy for `https` requests. `nil` for none.
    ///   - exceptions: The hosts that are reached without a proxy. Default: none.
    /// - Returns: The selection.
    public static func servers(
        http: ProxyServer?,
        https: ProxyServer?,
        except exceptions: NoProxyList = NoProxyList()
    ) -> ProxySelection {
        ProxySelection(kind: .servers(http: http, https: https, except: exceptions))
    }

    /// Chooses the proxy of each request with a closure. Two selections by rules are equal only if one is a copy of the
    /// other.
    ///
    /// - Parameter choose: Returns the proxy for a target, or `nil` for none. It is called on an event loop each time
    ///   that a request needs a connection, so it must not block.
    /// - Returns: The selection.
    public static func rule(_ choose: @escaping @Sendable (TargetURI) -> ProxyServer?) -> ProxySelection {
        ProxySelection(kind: .rule(Rule(choose)))
    }

    /// Uses the proxies of an environment other than that of the process.
    package static func environment(_ environment: ProxyEnvironment) -> ProxySelection {
        ProxySelection(kind: .fixedEnvironment(environment))
    }

    /// Whether no request gets a proxy.
    ///
    /// - Parameter environment: The environment that the session has read.
    /// - Returns: Whether that is so.
    package func isEmpty(in environment: ProxyEnvironment) -> Bool {
        switch kind {
        case .none: true
        case .environment: environment.isEmpty
        case .fixedEnvironment(let environment): environment.isEmpty
        case .servers(let http, let https, _): http == nil && https == nil
        case .rule: false
        }
    }

    /// Returns whether a request over http to a loopback host may go through a proxy.
    ///
    /// A rule is not called for that, since it may have another answer the next time. So it counts as a proxy.
    ///
    /// - Parameter target: A target over http whose host is `localhost` or a loopback address.
    /// - Returns: Whether it may.
    package func mayServe(loopback target: TargetURI) -> Bool {
        switch kind {
        case .none, .environment, .fixedEnvironment: false
        case .servers(let http, _, let exceptions):
            http != nil && !exceptions.contains(target.origin.host, port: target.origin.port)
        case .rule: true
        }
    }

    /// Returns the proxy for a target. `nil` if it is reached without one.
    ///
    /// - Parameters:
    ///   - target: The target of a request.
    ///   - environment: The environment that the session has read.
    /// - Returns: The proxy.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, if a variable of the environment can't be used.
    package func proxy(for target: TargetURI, in environment: ProxyEnvironment) throws(ApusError) -> ProxyServer? {
        switch kind {
        case .none: return nil
        case .environment(let exceptions): return try environment.proxy(for: target, except: exceptions)
        case .fixedEnvironment(let environment): return try environment.proxy(for: target)
        case .servers(let http, let https, let exceptions):
            let server = target.origin.scheme == .https ? https : http
            return exceptions.contains(target.origin.host, port: target.origin.port) ? nil : server
        case .rule(let rule): return rule.choose(target)
        }
    }
}

extension ProxySelection: CustomStringConvertible, CustomDebugStringConvertible {
    /// The proxies without users and passwords.
    public var description: String {
        switch kind {
        case .none: "no proxy"
        case .environment, .fixedEnvironment: "the proxies of the environment"
        case .servers(let http, let https, _):
            http == https
                ? http?.description ?? "no proxy"
                : "\(http?.description ?? "none") for http, "
                    + "\(https?.description ?? "none") for https"
        case .rule: "a rule"
        }
    }

    public var debugDescription: String { description }
}

extension SessionConfiguration {
    /// Returns whether the connection of a request to a loopback host stays on this machine: it goes to a Unix socket,
    /// or neither through a proxy nor to the destination of an override.
    ///
    /// - Parameters:
    ///   - target: A target over http whose host is `localhost` or a loopback address.
    ///   - options: The options of the request.
    /// - Returns: Whether it stays.
    package func connectsDirectly(toLoopback target: TargetURI, _ options: RequestOptions) -> Bool {
        let rules = options[AddressRules.self] ?? addresses
        if rules.unixSocket != nil { return true }
        // Another resolver may take the name from the network.
        if resolver != nil, target.origin.host == "localhost" { return false }
        let proxies = options[ProxySelection.self] ?? proxy
        return !proxies.mayServe(loopback: target)
            && rules.destination(of: target.origin.host, port: target.origin.port) == nil
    }
}
