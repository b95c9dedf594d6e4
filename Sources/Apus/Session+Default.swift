internal import ApusAuth
internal import ApusCookies
public import ApusCore
internal import ApusEngine
internal import ApusTrust

extension Session {
    /// A shared session with the default configuration.
    public static let `default` = Session()

    /// Creates a session that sends its requests over sockets.
    ///
    /// - Parameter configuration: The session's settings, which are copied. Default: `Configuration()`.
    public convenience init(configuration: Configuration = Configuration()) {
        let counters = LiveCounters()
        self.init(
            configuration: configuration,
            transport: SocketTransport(
                configuration: configuration,
                counters: counters,
                proxyAuthenticator: ProxyCredentials()
            ),
            counters: counters
        )
    }

    /// Creates a session over a custom transport, for example a mock in a test.
    ///
    /// - Parameters:
    ///   - configuration: The session's settings, which are copied. Default: `Configuration()`.
    ///   - transport: The transport that sends the session's requests.
    public convenience init(configuration: Configuration = Configuration(), transport: some Transport) {
        self.init(configuration: configuration, transport: transport, counters: LiveCounters())
    }

    package convenience init(configuration: Configuration, transport: some Transport, counters: LiveCounters) {
        var configuration = configuration
        configuration.provideCookieJar()
        configuration.provideHSTSStore()
        let environment = SessionEnvironment(configuration: configuration, counters: counters)
        self.init(environment: environment, chain: DefaultChain.make(environment, transport: transport))
    }
}
