/// The type of a frame, RFC 9113 §6.
enum FrameKind: UInt8, Sendable {
    case data = 0x0
    case headers = 0x1
    case priority = 0x2
    case reset = 0x3
    case settings = 0x4
    case pushPromise = 0x5
    case ping = 0x6
    case goAway = 0x7
    case windowUpdate = 0x8
    case continuation = 0x9
}

/// The flags of frames.
enum FrameFlag {
    static let acknowledgement: UInt8 = 0x1
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
}
