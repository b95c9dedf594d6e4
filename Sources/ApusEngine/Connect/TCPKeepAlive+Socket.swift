internal import ApusCore
internal import ApusPlatform
internal import NIOCore

extension TCPKeepAlive {
    /// The ranges that the systems accept. They reject other values.
    private static let seconds: ClosedRange<Int64> = 1...32767
    private static let probeCounts: ClosedRange<Int> = 1...127

    #if canImport(Darwin)
        private static let idleOption = TCP_KEEPALIVE
    #else
        private static let idleOption = TCP_KEEPIDLE
    #endif

    /// Sets the options of a TCP socket. To be called on the loop of the channel.
    ///
    /// A connection works without them, so a system that refuses one does not fail the connection.
    func apply(to channel: any Channel) {
        guard let options = channel.syncOptions else { return }
        let settings: [(level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option, value: SocketOptionValue)] = [
            (.socket, .so_keepalive, 1),
            (.tcp, NIOBSDSocket.Option(rawValue: CInt(Self.idleOption)), Self.wholeSeconds(idle)),
            (.tcp, NIOBSDSocket.Option(rawValue: CInt(TCP_KEEPINTVL)), Self.wholeSeconds(interval)),
            (.tcp, NIOBSDSocket.Option(rawValue: CInt(TCP_KEEPCNT)), Self.accepted(probes)),
        ]
        for setting in settings {
            let option = ChannelOptions.Types.SocketOption(level: setting.level, name: setting.name)
            try? options.setOption(option, value: setting.value)
        }
    }

    /// Returns a duration in whole seconds, rounded up, within the accepted range.
    static func wholeSeconds(_ duration: Duration) -> SocketOptionValue {
        let components = duration.components
        let isFraction = components.attoseconds > 0 && components.seconds < seconds.upperBound
        let rounded = isFraction ? components.seconds + 1 : components.seconds
        return SocketOptionValue(min(max(rounded, seconds.lowerBound), seconds.upperBound))
    }

    /// Returns a number of probes within the accepted range.
    static func accepted(_ probes: Int) -> SocketOptionValue {
        SocketOptionValue(min(max(probes, probeCounts.lowerBound), probeCounts.upperBound))
    }
}
