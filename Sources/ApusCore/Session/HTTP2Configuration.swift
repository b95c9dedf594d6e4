/// The settings of HTTP/2 connections.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.http2.pingInterval = .seconds(10)
/// ```
public struct HTTP2Configuration: Sendable, Hashable {
    /// The time without received bytes after which a connection with open requests is checked with a PING. `nil` for
    /// none. Default: 30 s.
    public var pingInterval: Duration? = .seconds(30)
    /// The time within which the server has to answer a PING. Then its requests fail with `connectionClosed`. Default:
    /// 15 s.
    public var pingPatience: Duration = .seconds(15)
    /// The maximum number of concurrent requests on a connection. The server may allow fewer. At least 1.
    /// Default: 1,000.
    public var concurrentStreams = 1000
    /// The largest window of a stream: the number of bytes of its response that a server may send before they are
    /// read. A window begins with 1 MiB, or with up to 16 MiB for a long response if the round trip is long. It grows
    /// while a whole window is read within two round trips. Default: 64 MiB.
    public var streamWindowBytes = 64 << 20
    /// The window of a connection: the number of bytes of all its responses that a server may send before they arrive.
    /// The windows of its streams grow together by no more than this. Default: 128 MiB.
    public var connectionWindowBytes = 128 << 20
    /// Whether requests to several origins may share a connection. RFC 9113 §9.1.1.
    ///
    /// The origins need the same address, port, trust and protocols, and the server's verified certificate has to name
    /// all of their hosts. If the server refuses a request on a coalesced connection with 421, the request is sent
    /// again on a connection of its origin's own. Default: `true`.
    public var coalescesConnections = true

    /// Creates the default settings.
    public init() {}
}
