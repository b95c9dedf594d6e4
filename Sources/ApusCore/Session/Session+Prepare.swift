extension Session {
    /// Opens connections to the origin of a URL in advance, so that the next requests to it need not wait for them.
    ///
    /// ```swift
    /// try await session.prepare("https://api.example.org", count: 2)
    /// ```
    ///
    /// The host is resolved and the TLS handshake performed, with the settings that requests use. No request is sent.
    /// Connections are opened until `count` of them are idle or being opened, within `pool.connectionsPerOrigin` and
    /// `pool.connectionsTotal`. No connection of another origin is closed to make room, or shared
    /// (`http2.coalescesConnections`). A prepared connection is closed like any other idle one, after
    /// `pool.idleTimeout` for example.
    ///
    /// A request that is sent before the end of this call takes a connection that is being opened, like one that is
    /// idle. A custom transport, for example a mock, has no connections to prepare.
    ///
    /// - Parameters:
    ///   - url: A URL of the origin, relative to the base URL of the session. Its path and query do not count.
    ///   - count: The number of idle connections. Zero or less opens none. Default: 1.
    /// - Returns: The number of idle connections to the origin at the end. It is smaller than `count` if a limit was
    ///   reached, if some attempts have failed, or if requests have taken connections. 0 with a custom transport.
    /// - Throws: `ApusError`: `invalidURL`, the failure of the first attempt that has failed if no connection was made
    ///   and none is idle, or `sessionShutDown`, also if the session is shut down during this call.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the wait with `cancelled`. Attempts that have begun go on, and their connections become
    /// idle.
    @discardableResult
    public func prepare(_ url: some URLConvertible, count: Int = 1) async throws(ApusError) -> Int {
        let target: TargetURI
        do {
            target = try url.target(below: core.environment.baseURL?.get())
        } catch {
            throw ApusError(wrapping: error, as: .invalidURL)
        }
        try core.limiter.checkOpen()
        guard let transport = core.chain.eventLoopTransport else { return 0 }
        do throws(ApusError) {
            let origin = core.chain.settled(target, .none).origin
            return try await transport.prepare(origin, count: count)
        } catch {
            throw error.about(method: nil, target: target)
        }
    }
}
