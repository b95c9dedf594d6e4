/// A value of the server's SETTINGS.
enum HTTP2ServerSetting: Sendable, Hashable {
    /// SETTINGS_MAX_CONCURRENT_STREAMS.
    case concurrentStreams(UInt32)
    /// SETTINGS_INITIAL_WINDOW_SIZE.
    case windowBytes(UInt32)

    var bytes: [UInt8] {
        switch self {
        case .concurrentStreams(let count): [0, 3] + ServerFrame.big(count)
        case .windowBytes(let count): [0, 4] + ServerFrame.big(count)
        }
    }
}
