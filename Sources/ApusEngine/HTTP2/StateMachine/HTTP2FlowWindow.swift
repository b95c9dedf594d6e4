/// The number of bytes that the peer accepts, on a stream or on the connection (RFC 9113 §6.9).
///
/// It becomes negative if the peer reduces its initial window below the number of bytes that were sent.
struct HTTP2FlowWindow: Sendable, Equatable {
    /// The largest window that the protocol allows.
    static let maximumBytes = 2_147_483_647
    /// The window of the connection, and that of a stream unless SETTINGS has another one.
    static let initialBytes = 65_535

    private(set) var availableBytes: Int

    init(availableBytes: Int = HTTP2FlowWindow.initialBytes) {
        self.availableBytes = availableBytes
    }

    /// The number of bytes that may be sent now, never negative.
    var sendableBytes: Int { max(availableBytes, 0) }

    /// Changes the window by `count` bytes, which is negative if the initial window shrinks.
    ///
    /// - Returns: Whether the window stays within the protocol's maximum. If not, it is unchanged.
    mutating func change(by count: Int) -> Bool {
        let (sum, overflows) = availableBytes.addingReportingOverflow(count)
        guard !overflows, sum <= Self.maximumBytes else { return false }
        availableBytes = sum
        return true
    }

    /// Takes the bytes of a DATA frame that is about to be sent.
    mutating func take(_ count: Int) {
        precondition(count >= 0 && count <= sendableBytes, "more bytes than the window allows")
        availableBytes -= count
    }
}
