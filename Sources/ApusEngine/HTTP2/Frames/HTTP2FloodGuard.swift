internal import NIOCore

/// Limits the frames of a server that cost work and carry nothing.
///
/// Each kind of frame has tokens, at the start as many as its limit. A frame takes one, and without one it is an error
/// that ends the connection. The tokens never exceed the limit.
///
/// | kind | frames | limit |
/// |---|---|---|
/// | `settings` | SETTINGS, each of which requires an acknowledgement | `settingsFrames` |
/// | `ping` | PING, likewise | `pingFrames` |
/// | `reset` | RST_STREAM | `resets` |
/// | `windowUpdate` | WINDOW_UPDATE | `windowUpdates` |
/// | `empty` | DATA without bytes and without END_STREAM, PRIORITY, acknowledgements, unknown types | `emptyFrames` |
///
/// Useful traffic and time return tokens, to all kinds alike. Good servers need them: an upload causes WINDOW_UPDATE
/// and PING frames, a server under load resets many streams, and a quiet connection may live on PING frames for days.
///
/// | event | tokens |
/// |---|---|
/// | a stream was opened | 16 |
/// | a DATA frame was sent | 4, and 1 for each 256 bytes |
/// | bytes were received for an open stream, in DATA or a header block | 1 for each 256 bytes |
/// | 100 ms have passed | 1 |
///
/// HEADERS, GOAWAY and PUSH_PROMISE frames, and DATA frames with bytes or END_STREAM take no token. The caller takes an
/// `empty` one for a header block of a closed stream. DATA for a closed stream is bounded by the stream's last window.
package struct HTTP2FloodGuard: Sendable {
    package enum Kind: Int, Sendable, CaseIterable {
        case settings
        case ping
        case reset
        case windowUpdate
        case empty
    }

    private static var tokensPerStream: Int { 16 }
    private static var tokensPerDataFrame: Int { 4 }
    private static var bytesPerToken: Int { 256 }
    private static var nanosecondsPerToken: UInt64 { 100_000_000 }

    private let limits: HTTP2Limits
    /// The number of missing tokens of each kind. Full buckets, which are the rule, have 0.
    private var spent: [Int]
    private var isFull = true
    /// The useful bytes that have not made up a token.
    private var usefulBytes = 0
    /// The time up to which tokens were returned.
    private var time: UInt64?

    package init(limits: HTTP2Limits) {
        self.limits = limits
        spent = [Int](repeating: 0, count: Kind.allCases.count)
    }

    /// Returns the number of tokens of a kind.
    package func tokens(_ kind: Kind) -> Int { max(0, limit(kind) - spent[kind.rawValue]) }

    /// Takes a token for a received frame, if its kind requires one.
    package mutating func charge(_ frame: HTTP2Frame) throws(HTTP2ConnectionError) {
        switch frame {
        case .settings: try take(.settings)
        case .ping: try take(.ping)
        case .reset: try take(.reset)
        case .windowUpdate: try take(.windowUpdate)
        case .priority, .settingsAcknowledged, .pingAcknowledged, .unknown: try take(.empty)
        case .data(_, let bytes, _, let endStream):
            if bytes.readableBytes == 0, !endStream { try take(.empty) }
        case .headers, .pushPromise, .goAway: break
        }
    }

    /// Takes a token of a kind. Throws if there is none.
    package mutating func take(_ kind: Kind) throws(HTTP2ConnectionError) {
        guard spent[kind.rawValue] < limit(kind) else {
            let name = Self.names(kind)
            throw .exceeded(
                name.limit,
                "The server sent \(name.frames) beyond the limit of \(limit(kind)), without useful traffic."
            )
        }
        spent[kind.rawValue] += 1
        isFull = false
    }

    /// Returns tokens for a stream that was opened.
    package mutating func noteOpenedStream() {
        refill(Self.tokensPerStream)
    }

    /// Returns tokens for a DATA frame that was sent.
    ///
    /// - Parameter byteCount: The size of its payload.
    package mutating func noteSentData(_ byteCount: Int) {
        refill(Self.tokensPerDataFrame)
        noteUsefulBytes(byteCount)
    }

    /// Returns tokens for received bytes of DATA or of a header block, if their stream is open.
    package mutating func noteUsefulBytes(_ byteCount: Int) {
        guard !isFull else { return }
        let (sum, overflows) = usefulBytes.addingReportingOverflow(max(0, byteCount))
        let total = overflows ? Int.max : sum
        usefulBytes = total % Self.bytesPerToken
        refill(total / Self.bytesPerToken)
    }

    /// Returns tokens for the time since the first call.
    ///
    /// - Parameter now: A time in nanoseconds. An earlier one than before has no effect.
    package mutating func noteTime(at now: UInt64) {
        guard let last = time else {
            time = now
            return
        }
        guard now > last else { return }
        let count = (now - last) / Self.nanosecondsPerToken
        guard count > 0 else { return }
        time = last + count * Self.nanosecondsPerToken
        refill(Int(clamping: count))
    }

    private mutating func refill(_ count: Int) {
        guard !isFull, count > 0 else { return }
        isFull = true
        for index in spent.indices {
            spent[index] = max(0, spent[index] - count)
            if spent[index] > 0 { isFull = false }
        }
    }

    private func limit(_ kind: Kind) -> Int {
        switch kind {
        case .settings: limits.settingsFrames
        case .ping: limits.pingFrames
        case .reset: limits.resets
        case .windowUpdate: limits.windowUpdates
        case .empty: limits.emptyFrames
        }
    }

    /// Returns the name of the kind's frames in an error, and of its limit.
    private static func names(_ kind: Kind) -> (frames: String, limit: String) {
        switch kind {
        case .settings: ("SETTINGS frames", "settingsFrames")
        case .ping: ("PING frames", "pingFrames")
        case .reset: ("RST_STREAM frames", "resets")
        case .windowUpdate: ("WINDOW_UPDATE frames", "windowUpdates")
        case .empty: ("frames without content", "emptyFrames")
        }
    }
}
