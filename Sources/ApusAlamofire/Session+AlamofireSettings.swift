public import Apus

extension Session {
    /// Creates a session with the labels that Alamofire has.
    ///
    /// ```swift
    /// let session = Session(interceptor: .retryPolicy)
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The session's settings, which are copied. Default: `Configuration()`.
    ///   - startRequestsImmediately: Whether a request starts with its first response handler. Default: `nil`, as in
    ///     the configuration.
    ///   - interceptor: Adapts requests and decides about retries. Default: `nil`, that of the configuration.
    ///   - redirectHandler: Decides about redirects. Default: `nil`, that of the configuration.
    ///   - eventMonitors: The monitors of all requests. Default: `nil`, those of the configuration.
    @_disfavoredOverload
    public convenience init(
        configuration: Configuration = Configuration(),
        startRequestsImmediately: Bool? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        redirectHandler: (any RedirectHandler)? = nil,
        eventMonitors: [any EventMonitor]? = nil
    ) {
        var configuration = configuration
        if let startRequestsImmediately { configuration.startRequestsImmediately = startRequestsImmediately }
        if let interceptor { configuration.interceptor = interceptor }
        if let redirectHandler { configuration.redirectHandler = redirectHandler }
        if let eventMonitors { configuration.eventMonitors = eventMonitors }
        self.init(configuration: configuration)
    }
}
