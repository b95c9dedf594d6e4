internal import ApusCookies
public import ApusCore
internal import ApusEngine

extension Session {
    /// The session that programs share which need nothing of their own.
    public static let `default` = Session()

    /// Makes a session that speaks to sockets.
    ///
    /// - Parameter configuration: Everything that the session is told; the defaults by default.
    public convenience init(configuration: Configuration = Configuration()) {
        let counters = LiveCounters()
        self.init(
            configuration: configuration,
            transport: Engine(configuration: configuration, counters: counters),
            counters: counters
        )
    }

    /// Makes a session over a transport: a mock, in a test.
    ///
    /// - Parameters:
    ///   - configuration: Everything that the session is told; the defaults by default.
    ///   - transport: What carries its requests.
    public convenience init(configuration: Configuration = Configuration(), transport: some Transport) {
        self.init(configuration: configuration, transport: transport, counters: LiveCounters())
    }

    package convenience init(configuration: Configuration, transport: some Transport, counters: LiveCounters) {
        var configuration = configuration
        configuration.provideCookieJar()
        let environment = SessionEnvironment(configuration: configuration, counters: counters)
        self.init(environment: environment, chain: DefaultChain.make(environment, transport: transport))
    }
}
