/// The probes that the operating system sends on a TCP connection without traffic, to find out whether the peer is
/// alive.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.tcpKeepAlive?.idle = .seconds(60)
/// ```
///
/// A connection whose probes are not answered is closed. Probes also keep routers from forgetting a connection while a
/// server prepares a response. The peer's system answers them without its application, so they extend no timeout.
///
/// Systems accept whole seconds from 1 to 32767, and 1 to 127 probes. Fractions of a second are rounded up, and values
/// outside these ranges are replaced by the nearest one inside. A system that lacks one of the settings uses its own
/// value for it.
///
/// See RFC 9293 §3.8.4, https://www.rfc-editor.org/rfc/rfc9293.html#section-3.8.4
public struct TCPKeepAlive: Sendable, Hashable {
    /// The time without traffic before the first probe. Default: 15 s.
    public var idle: Duration
    /// The time between two probes. Default: 15 s.
    public var interval: Duration
    /// The number of unanswered probes after which the connection is closed. Default: 9.
    public var probes: Int

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - idle: The time without traffic before the first probe. Default: 15 s.
    ///   - interval: The time between two probes. Default: 15 s.
    ///   - probes: The number of unanswered probes after which the connection is closed. Default: 9.
    public init(idle: Duration = .seconds(15), interval: Duration = .seconds(15), probes: Int = 9) {
        self.idle = idle
        self.interval = interval
        self.probes = probes
    }
}
